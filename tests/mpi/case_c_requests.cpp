// SPDX-License-Identifier: BSD-3-Clause
// Requests of the C face: several at a time, started again and again, and those of calls that fail.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "c_calls.hpp"
#include "cases.hpp"

namespace laconic::test {
namespace {

constexpr std::size_t count = 20000;

laconic_collective_options checked(const char* algorithm) {
    laconic_collective_options options{};
    options.bound = c_bound;
    options.algorithm = algorithm;
    options.check = 1;
    return options;
}

int sum_of(int ranks, int which, std::size_t i) {
    int sum = 0;
    for (int r = 0; r < ranks; ++r) sum += number_of(r, which, i);
    return sum;
}

void check_overlap() {
    const int rank = rank_in(MPI_COMM_WORLD);
    const int ranks = size_of(MPI_COMM_WORLD);
    laconic_collective_options options = checked("homcomp_f");
    std::vector<float> sums = numbers<float>(rank, 0, count);
    std::vector<double> all = blank<double>(count * static_cast<std::size_t>(ranks));
    const std::vector<double> mine = numbers<double>(rank, 1, count);
    std::vector<int> passed = numbers<int>(rank, 2, count);
    std::array<laconic_request, 4> requests{};
    check(laconic_iallreduce(MPI_IN_PLACE, sums.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &options,
                             &requests[0]) == LACONIC_OK,
          "C start 0");
    options = checked("ring");
    check(laconic_iallgather(mine.data(), count, all.data(), count, MPI_DOUBLE, MPI_COMM_WORLD, &options,
                             &requests[1]) == LACONIC_OK,
          "C start 1");
    options = {};
    check(laconic_iallreduce(MPI_IN_PLACE, passed.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, nullptr,
                             &requests[3]) == LACONIC_OK,
          "C start 3");
    check(requests[0] != nullptr && requests[1] != nullptr && requests[3] != nullptr, "C requests");
    // The last first: testing one moves all.
    int flag = 0;
    while (flag == 0)
        if (laconic_test(&requests[1], &flag) != LACONIC_OK) break;
    check(flag == 1 && requests[1] == LACONIC_REQUEST_NULL, "C a test that says over has waited");
    check(laconic_waitall(requests.size(), requests.data()) == LACONIC_OK, "C wait for all");
    for (const laconic_request& gone : requests) check(gone == LACONIC_REQUEST_NULL, "C all are freed");
    check_numbers<float>(
        sums, 0, count, [&](std::size_t i) { return sum_of(ranks, 0, i); }, "C overlapping sum");
    check_numbers<int>(
        passed, 0, count, [&](std::size_t i) { return sum_of(ranks, 2, i); }, "C overlapping passed on");
    for (int k = 0; k < ranks; ++k)
        check_numbers<double>(
            all, static_cast<std::size_t>(k) * count, count, [&](std::size_t i) { return number_of(k, 1, i); },
            "C overlapping allgather");
}

/// In the same memory.
template <class T>
void refill(std::vector<T>& array, const std::vector<T>& values) {
    std::copy(values.begin(), values.end(), array.begin());
}

template <class T>
void check_restarts(const char* algorithm) {
    const int rank = rank_in(MPI_COMM_WORLD);
    const int ranks = size_of(MPI_COMM_WORLD);
    laconic_collective_options options = checked(algorithm);
    std::vector<T> in(count), out(count);
    laconic_request request = LACONIC_REQUEST_NULL;
    check(laconic_allreduce_init(in.data(), out.data(), count, c_type<T>(), MPI_SUM, MPI_COMM_WORLD, &options,
                                 &request) == LACONIC_OK,
          "C prepare");
    options.bound = -1;  // the request has its own
    int flag = 0;
    check(laconic_test(&request, &flag) == LACONIC_OK && flag == 1 && request != nullptr, "C one not started is over");
    for (int round = 0; round < 3; ++round) {
        refill(in, numbers<T>(rank, round, count));
        refill(out, blank<T>(count));
        check(laconic_start(&request) == LACONIC_OK, std::string("C start again: ") + laconic_last_message());
        check(laconic_start(&request) == LACONIC_ERR_ARGUMENT, "C start while running");
        check(laconic_wait(&request) == LACONIC_OK && request != nullptr, "C wait again");
        check_numbers<T>(
            out, 0, count, [&](std::size_t i) { return sum_of(ranks, round, i); },
            std::string("C round ") + std::to_string(round));
    }
    refill(in, numbers<T>(rank, 7, count));
    check(laconic_start(&request) == LACONIC_OK, "C start before freeing");
    check(laconic_request_free(&request) == LACONIC_OK && request == nullptr, "C freeing waits");
    check_numbers<T>(
        out, 0, count, [&](std::size_t i) { return sum_of(ranks, 7, i); }, "C freed while running");
}

bool is_empty(const laconic_collective_report& report) {
    return report.algorithm[0] == '\0' && report.sent_bytes == 0 && report.result_bound == 0;
}

/// Every form tells how it went when it is over, as C++ does.
void check_reports() {
    const std::vector<float> in = numbers<float>(rank_in(MPI_COMM_WORLD), 0, count);
    std::vector<float> out(count);
    laconic_collective_report told{};
    laconic_collective_options options = checked("homcomp_f");
    options.report = &told;
    const auto want = run(collective_call<float>::allreduce(in, out, reduction::sum), MPI_COMM_WORLD,
                          options_for("homcomp_f", bound::abs(c_bound)));
    const auto check_told = [&](const std::string& what) {
        // How many messages travel together is a matter of time.
        const bool sends = size_of(MPI_COMM_WORLD) > 1;
        check((told.messages > 0) == sends && (told.sent_bytes > 0) == sends, "C report of what was sent, " + what);
        check(want.ok() && want->algorithm == told.algorithm && want->raw_bytes == told.raw_bytes &&
                  want->contribution_bound == told.contribution_bound && want->result_bound == told.result_bound &&
                  want->step == told.step && want->workspace_bytes == told.workspace_bytes &&
                  want->exact_sums == (told.exact_sums != 0),
              "C report, " + what + ": " + told.algorithm);
        told = {};
    };
    check(laconic_allreduce(in.data(), out.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &options) == LACONIC_OK,
          "C report");
    check_told("blocking");
    laconic_request request = LACONIC_REQUEST_NULL;
    check(laconic_allreduce_init(in.data(), out.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &options,
                                 &request) == LACONIC_OK,
          "C report of a prepared one");
    for (int round = 0; round < 2; ++round) {
        check(laconic_wait(&request) == LACONIC_OK && is_empty(told), "C report before the start");
        check(laconic_start(&request) == LACONIC_OK && laconic_wait(&request) == LACONIC_OK, "C report, started");
        check_told("prepared");
    }
    check(laconic_request_free(&request) == LACONIC_OK && is_empty(told), "C report of nothing");
    options.algorithm = "argm";
    options.ranks_per_node = 2;
    check(laconic_allreduce(in.data(), out.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &options) == LACONIC_OK,
          "C report of a row with hierarchy");
    const int ranks = size_of(MPI_COMM_WORLD);
    const bool alone = ranks % 2 == 1 && rank_in(MPI_COMM_WORLD) == ranks - 1;
    check(told.inside == (alone ? LACONIC_NODE_NONE : LACONIC_NODE_MEMORY), "C report of the way inside a node");
    told.sent_bytes = 7;
    options.bound = -1;
    check(laconic_allreduce(in.data(), out.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &options) ==
                  LACONIC_ERR_BOUND &&
              is_empty(told),
          "C report of a call that fails");
}

bool is_same(const laconic_audit_prediction& c, const audit_prediction& want) {
    return c.deviation == want.deviation && std::ranges::equal(c.inside, want.inside);
}

bool is_same(const laconic_audit_report& c, const audit_report& want) {
    return c.elements == want.elements && c.nonfinite == want.nonfinite && c.violations == want.violations &&
           c.bound == want.bound && c.max_error == want.max_error && c.max_share == want.max_share &&
           c.mean_error == want.mean_error && c.deviation == want.deviation && c.rms_error == want.rms_error &&
           std::ranges::equal(c.histogram, want.histogram) && is_same(c.normal, want.normal) &&
           is_same(c.uniform, want.uniform);
}

/// An audit asked for from C says what one asked for from C++ says; calls that are passed on have none.
void check_audits() {
    std::vector<float> in = numbers<float>(rank_in(MPI_COMM_WORLD), 0, count);
    // Neither whole numbers nor finite throughout: errors, and one without.
    for (float& value : in) value *= 1.2345F;
    in[7] = HUGE_VALF;
    std::vector<float> out(count);
    laconic_collective_report told{};
    laconic_collective_options options = checked("homcomp_f");
    options.check = 0, options.audit = 1, options.report = &told;
    collective_options same = options_for("homcomp_f", bound::abs(c_bound));
    same.audit = true;
    const auto want = run(collective_call<float>::allreduce(in, out, reduction::sum), MPI_COMM_WORLD, same);
    if (!want.ok() || !want->audit) return check(false, "an audit to compare with: " + want.error().message());
    check((size_of(MPI_COMM_WORLD) == 1 || want->audit->max_error > 0) && want->audit->nonfinite > 0,
          "an audit that finds nothing");
    laconic_request request = LACONIC_REQUEST_NULL;
    for (const bool starts : {false, true}) {
        told = {};
        const int code =
            starts ? laconic_iallreduce(in.data(), out.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &options,
                                        &request)
                   : laconic_allreduce(in.data(), out.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &options);
        check(code == LACONIC_OK && laconic_wait(&request) == LACONIC_OK, "an audited call from C");
        check(told.audited != 0 && is_same(told.audit, *want->audit), "the audit of C");
    }
    int mine = 1, all = 0;
    check(laconic_allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &options) == LACONIC_OK &&
              told.audited == 0 && told.audit.elements == 0,
          "an audit of a call that is passed on");
}

/// The last rank alone is wrong: every rank's wait says so, every time, and other requests go on.
void check_failures() {
    const int last = size_of(MPI_COMM_WORLD) - 1;
    const bool mine = rank_in(MPI_COMM_WORLD) == last;
    const std::string blamed = "rank " + std::to_string(last);
    const auto check_said = [&](int code, int want, const std::string& word, const std::string& what) {
        const std::string message = laconic_last_message();
        check(code == want, what + ": " + std::to_string(code) + " " + message);
        check(message.find(word) != std::string::npos && message.find(blamed) != std::string::npos,
              what + " should mention " + word + " and " + blamed + ": " + message);
    };
    laconic_collective_options options = checked("homcomp_f");
    if (mine) options.bound = -1;
    std::vector<float> values(count, 1.0F);
    laconic_request request = LACONIC_REQUEST_NULL;
    check(laconic_allreduce_init(MPI_IN_PLACE, values.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &options,
                                 &request) == LACONIC_OK,
          "C prepare with a bad bound");
    for (int round = 0; round < 2; ++round) {
        check(laconic_start(&request) == LACONIC_OK, "C start with a bad bound");
        check_said(laconic_wait(&request), LACONIC_ERR_BOUND, "bound", "C a prepared bad bound");
        check(values == std::vector<float>(count, 1.0F), "C a refused call wrote");
    }
    check(laconic_request_free(&request) == LACONIC_OK, "C free a failed request");

    options = checked("homcomp_f");
    if (mine) options.average = 1;
    check(laconic_allreduce_init(MPI_IN_PLACE, values.data(), count, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD, &options,
                                 &request) == LACONIC_OK,
          "C prepare what cannot be described");
    for (int round = 0; round < 2; ++round) {
        check(laconic_start(&request) == LACONIC_OK, "C start what cannot be described");
        check_said(laconic_wait(&request), LACONIC_ERR_ARGUMENT, "average", "C prepared, cannot be described");
    }
    check(laconic_request_free(&request) == LACONIC_OK, "C free a refused request");

    options = checked("homcomp_f");
    std::array<laconic_request, 3> requests{};
    std::array<std::vector<float>, 3> arrays{values, values, values};
    for (std::size_t k = 0; k < 3; ++k) {
        void* const buffer = mine && k == 1 ? MPI_IN_PLACE : arrays[k].data();
        check(laconic_iallreduce(k == 1 ? values.data() : MPI_IN_PLACE, buffer, count, MPI_FLOAT, MPI_SUM,
                                 MPI_COMM_WORLD, &options, &requests[k]) == LACONIC_OK,
              "C start one of three");
    }
    check_said(laconic_waitall(3, requests.data()), LACONIC_ERR_ARGUMENT, "MPI_IN_PLACE", "C the second of three");
    for (const std::size_t k : {std::size_t{0}, std::size_t{2}})
        check_numbers<float>(
            arrays[k], 0, count, [&](std::size_t) { return last + 1; }, "C beside a failure");
    for (const laconic_request& gone : requests) check(gone == LACONIC_REQUEST_NULL, "C all are freed");
}

void check_environment() {
    std::vector<float> values(count, 1.0F);
    laconic_request request = LACONIC_REQUEST_NULL;
    setenv("LACONIC_ALGORITHM", "pigeon", 1);
    const int code = laconic_ibcast(values.data(), count, MPI_FLOAT, 0, MPI_COMM_WORLD, nullptr, &request);
    unsetenv("LACONIC_ALGORITHM");
    check(code == LACONIC_OK && laconic_wait(&request) == LACONIC_ERR_ARGUMENT &&
              std::string(laconic_last_message()).find("pigeon") != std::string::npos,
          std::string("C a request's options from the environment: ") + laconic_last_message());
    setenv("LACONIC_ABS", "0.25", 1);
    setenv("LACONIC_ALGORITHM", "homcomp_f", 1);
    std::vector<double> thirds(count, 1.0 / 3), sums(count);
    check(laconic_allreduce(thirds.data(), sums.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, nullptr) ==
              LACONIC_OK,
          "C bound from the environment");
    unsetenv("LACONIC_ABS");
    unsetenv("LACONIC_ALGORITHM");
    const int ranks = size_of(MPI_COMM_WORLD);
    const double error = std::fabs(sums[17] - ranks / 3.0);
    check(error <= 0.2500001 && (ranks == 1 || error > 1e-9), "C the environment's bound was not used");
}

void check_handles() {
    laconic_request none = LACONIC_REQUEST_NULL;
    int flag = 0;
    check(laconic_test(&none, &flag) == LACONIC_OK && flag == 1, "C test of none");
    check(laconic_wait(&none) == LACONIC_OK && laconic_waitall(1, &none) == LACONIC_OK, "C wait for none");
    check(laconic_waitall(0, nullptr) == LACONIC_OK, "C wait for nothing");
    check(laconic_request_free(&none) == LACONIC_OK, "C free none");
    check(laconic_start(&none) == LACONIC_ERR_ARGUMENT, "C start none");
    check(laconic_wait(nullptr) == LACONIC_ERR_ARGUMENT && laconic_start(nullptr) == LACONIC_ERR_ARGUMENT &&
              laconic_request_free(nullptr) == LACONIC_ERR_ARGUMENT &&
              laconic_waitall(1, nullptr) == LACONIC_ERR_ARGUMENT,
          "C NULL requests");
    check(laconic_test(&none, nullptr) == LACONIC_ERR_ARGUMENT, "C NULL flag");
    float one = 1;
    check(laconic_ibcast(&one, 1, MPI_FLOAT, 0, MPI_COMM_WORLD, nullptr, nullptr) == LACONIC_ERR_ARGUMENT,
          "C nowhere to put a request");
    none = reinterpret_cast<laconic_request>(&one);
    check(laconic_ibcast(&one, 1, MPI_FLOAT, 0, MPI_COMM_NULL, nullptr, &none) == LACONIC_ERR_ARGUMENT &&
              none == LACONIC_REQUEST_NULL,
          "C no request of no communicator");
}

}  // namespace

void c_requests_work() {
    check_handles();
    check_overlap();
    check_restarts<float>("homcomp_f");
    check_restarts<bfloat16>(nullptr);
    check_restarts<int>(nullptr);
    check_reports();
    check_audits();
    check_failures();
    check_environment();
}

}  // namespace laconic::test
