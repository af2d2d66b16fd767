// SPDX-License-Identifier: BSD-3-Clause
// Requests that live longer than their communicator, as MPI's own may, and longer than MPI.
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "cases.hpp"
#include "fields.hpp"
#include "mpi/channel.hpp"
#include "run.hpp"

namespace laconic::test {
namespace {

struct row {
    const char* name;
    bool audited;
};
constexpr row rows[] = {{"fused", false}, {"stock", false}, {"argm", false}, {"auto", false}, {"fused", true}};

collective_options options_of(const row& which) {
    collective_options options = options_for(which.name, bound::abs(1e-3));
    options.ranks_per_node = 2;
    options.audit = which.audited;
    return options;
}

void check_sum(const std::vector<double>& out, double factor, const std::string& what) {
    const int ranks = size_of(MPI_COMM_WORLD);
    const double sum = factor * ranks * (ranks + 1) / 2;
    std::size_t wrong = 0;
    for (const double value : out)
        if (!(std::fabs(value - sum) <= 1e-3)) ++wrong;
    check(wrong == 0, what + ": " + std::to_string(wrong) + " wrong sums");
}

/// A request that is under way when its communicator goes, and one that starts only then.
void check_row(const row& which) {
    const std::string what =
        std::string(which.name) + (which.audited ? ", audited," : "") + " without its communicator";
    const std::size_t before = mpi::open_channels();
    std::vector<double> in(40000, rank_in(MPI_COMM_WORLD) + 1.0), out(in.size()), later(in.size());
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    {
        auto prepared = prepare(collective_call<double>::allreduce(in, later, reduction::sum), comm, options_of(which));
        auto started = start(collective_call<double>::allreduce(in, out, reduction::sum), comm, options_of(which));
        check(started.ok() && prepared.ok(), what);
        MPI_Comm_free(&comm);
        if (!started.ok() || !prepared.ok()) return;
        const auto done = started->wait();
        check(done.ok(), what + ": " + done.error().message());
        check_sum(out, 1, what);
        for (const double factor : {1.0, 3.0}) {
            for (double& value : in) value = factor * (rank_in(MPI_COMM_WORLD) + 1.0);
            check(prepared->start().ok(), what + ": start");
            const auto again = prepared->wait();
            check(again.ok(), what + ", started later: " + again.error().message());
            check_sum(later, factor, what + ", started later");
        }
    }
    check(mpi::open_channels() == before, what + ": the channel goes with the last request");
}

template <class T>
collective_request ran_once(const row& which) {
    static const std::vector<T> in(1000, T(1.0F));
    static std::vector<T> out(in.size());
    auto made = prepare(collective_call<T>::allreduce(in, out, reduction::sum), MPI_COMM_WORLD, options_of(which));
    check(made.ok() && made->start().ok() && made->wait().ok(), "a request that outlives MPI");
    return made.ok() ? std::move(*made) : collective_request();
}

}  // namespace

void requests_outlive_communicators() {
    for (const row& which : rows) check_row(which);
}

void keep_requests_beyond_finalize() {
    // Destroyed when the program ends, after MPI_Finalize.
    static std::vector<collective_request> kept;
    struct farewell {
        ~farewell() {
            for (collective_request& one : kept)
                if (one.start().code() != errc::invalid_argument) std::_Exit(3);
            if (start_progress_thread().code() != errc::invalid_argument) std::_Exit(4);
        }
    };
    static const farewell last;
    kept.push_back(ran_once<half>({"stock", false}));
    kept.push_back(ran_once<float>({"fused", true}));
    kept.push_back(ran_once<double>({"argm", false}));
}

}  // namespace laconic::test
