// SPDX-License-Identifier: BSD-3-Clause
// Exchanges as C calls them, with all that the options have: fields whose boxes have halos and whose patches lie in
// larger arrays flow in; every element, what lies between, every call of the callback and the report are checked.
#include <mpi.h>

#include <algorithm>
#include <string>
#include <vector>

#include "check.hpp"
#include "exchange_cases.hpp"
#include "laconic/laconic.h"
#include "run.hpp"

namespace laconic::test {
namespace {

constexpr std::int64_t width = 9, halo = 2, pitch = width + 2 * halo, gap = 3;
constexpr double untouched = -1;

double value(std::size_t field, std::int64_t y, std::int64_t x) {
    return static_cast<double>(width * y + x) + 1e6 * static_cast<double>(field);
}

/// Rows dealt out to ranks from the last to the first, patches as `owners` says: nothing is regular. The last rank has
/// a patch.
struct problem {
    int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    std::int64_t extents[2] = {5 * ranks, width};
    std::int64_t counts[2] = {2 * ranks, 2};
    std::vector<std::int32_t> box_ranks, owners;
    std::vector<std::int64_t> lower, upper;

    problem() {
        for (int i = 0; i < ranks; ++i) {
            box_ranks.push_back(ranks - 1 - i);
            for (const std::int64_t corner : {std::int64_t{5} * i, std::int64_t{0}}) lower.push_back(corner);
            for (const std::int64_t corner : {std::int64_t{5} * (i + 1), width}) upper.push_back(corner);
        }
        for (int p = 0; p < 4 * ranks; ++p) owners.push_back(p == 0 ? ranks - 1 : (p * 7 + p / 3) % ranks);
    }
    [[nodiscard]] laconic_plan planned() const {
        laconic_plan_request asked{};
        asked.dimensions = 2;
        asked.extents = extents;
        asked.ranks = ranks;
        asked.boxes = box_ranks.size();
        asked.box_ranks = box_ranks.data();
        asked.lower = lower.data();
        asked.upper = upper.data();
        asked.patches = counts;
        asked.placement = LACONIC_PLACE_GIVEN;
        asked.owners = owners.data();
        laconic_plan made = LACONIC_PLAN_NULL;
        check(laconic_plan_make(&asked, &made) == LACONIC_OK, laconic_last_message());
        return made;
    }
};

struct corners {
    std::int64_t lower[2], upper[2];
};

std::vector<corners> patches_of(laconic_plan planned, int rank) {
    const std::int32_t* numbers = nullptr;
    std::size_t count = 0;
    check(laconic_plan_patches(planned, rank, &numbers, &count) == LACONIC_OK, laconic_last_message());
    std::vector<corners> found(count);
    for (std::size_t i = 0; i < count; ++i)
        check(laconic_plan_patch(planned, numbers[i], found[i].lower, found[i].upper) == LACONIC_OK, "corners");
    return found;
}

/// Each patch has rows of `width + gap` elements, and the last comes first.
std::vector<laconic_stored_box> places_of(const std::vector<corners>& patches) {
    std::vector<laconic_stored_box> places(patches.size());
    std::int64_t next = gap;
    for (std::size_t i = patches.size(); i-- > 0;) {
        places[i] = {next, {width + gap, 1, 0, 0}};
        next += (patches[i].upper[0] - patches[i].lower[0]) * (width + gap);
    }
    return places;
}

struct told {
    std::vector<laconic_ready_patch> patches;
    static void add(void* user, const laconic_ready_patch* ready) {
        static_cast<told*>(user)->patches.push_back(*ready);
    }
};

void run_and_check(const problem& given, laconic_plan planned, const char* engine, double bound,
                   bool shared_in = false) {
    const std::string name = std::string("from C with engine ") + engine + ": ";
    const std::vector<corners> patches = patches_of(planned, given.rank);
    const std::vector<laconic_stored_box> places = places_of(patches);
    const laconic_stored_box box{halo * pitch + halo, {pitch, 1, 0, 0}};
    laconic_exchange_options options{};
    options.engine = engine;
    options.bound = bound;
    options.shared_in = shared_in ? 1 : 0;
    options.fields = 2;
    options.in_boxes = &box;
    options.in_box_count = 1;
    options.out_patches = places.data();
    options.out_patch_count = places.size();
    laconic_exchange moving = LACONIC_EXCHANGE_NULL;
    const int code =
        laconic_exchange_make_f(planned, sizeof(double), LACONIC_F64, MPI_Comm_c2f(MPI_COMM_WORLD), &options, &moving);
    check(code == LACONIC_OK, name + laconic_last_message());
    if (code != LACONIC_OK) return;
    std::size_t in_elements = 0, out_elements = 0;
    check(laconic_exchange_elements(moving, &in_elements, &out_elements) == LACONIC_OK, "elements");
    const std::int64_t first = 5 * (given.ranks - 1 - given.rank);
    std::vector<double> in[2], out[2], wanted[2];
    for (std::size_t f = 0; f < 2; ++f) {
        in[f].assign(in_elements, 1e300);
        for (std::int64_t y = 0; y < 5; ++y)
            for (std::int64_t x = 0; x < width; ++x)
                in[f][static_cast<std::size_t>(box.offset + y * pitch + x)] = value(f, first + y, x);
        out[f].assign(out_elements, untouched);
        wanted[f] = out[f];
        for (std::size_t i = 0; i < patches.size(); ++i)
            for (std::int64_t y = patches[i].lower[0]; y < patches[i].upper[0]; ++y)
                for (std::int64_t x = patches[i].lower[1]; x < patches[i].upper[1]; ++x)
                    wanted[f][static_cast<std::size_t>(places[i].offset + (y - patches[i].lower[0]) * (width + gap) +
                                                       x - patches[i].lower[1])] = value(f, y, x);
    }
    const void* from[2] = {in[0].data(), in[1].data()};
    for (std::size_t f = 0; f < 2; ++f) {
        auto* const own = static_cast<double*>(laconic_exchange_in_array(moving, f));
        check((own != nullptr) == shared_in, name + "the exchange's own array");
        if (own != nullptr) from[f] = std::copy(in[f].begin(), in[f].end(), own) - in_elements;
    }
    check(laconic_exchange_in_array(moving, 2) == nullptr, name + "an array of a field that is not there");
    void* to[2] = {out[0].data(), out[1].data()};
    told calls;
    check(laconic_exchange_run_fields(moving, 2, from, in_elements, to, out_elements, told::add, &calls) == LACONIC_OK,
          name + laconic_last_message());
    for (std::size_t f = 0; f < 2; ++f)
        for (std::size_t i = 0; i < out_elements; ++i)
            check(std::abs(out[f][i] - wanted[f][i]) <= (wanted[f][i] == untouched ? 0 : bound),
                  name + "element " + std::to_string(i) + " of field " + std::to_string(f));
    check(calls.patches.size() == patches.size(), name + "patches told");
    bool shared = false;
    for (const laconic_ready_patch& each : calls.patches) {
        std::size_t offset = 0;
        check(laconic_exchange_offset(moving, each.position, &offset) == LACONIC_OK && offset == each.offset &&
                  offset == static_cast<std::size_t>(places[each.position].offset),
              name + "offset of a patch");
        check(each.held == 0 || !shared, name + "a held patch is told late");
        shared = shared || each.held == 0;
    }
    laconic_exchange_report report{};
    check(laconic_exchange_describe(moving, &report) == LACONIC_OK, "report");
    std::uint64_t bytes[2] = {report.kept_bytes + report.shared_bytes + report.message_bytes, 0};
    MPI_Allreduce(MPI_IN_PLACE, bytes, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    check(bytes[0] == 2 * sizeof(double) * 5 * width * static_cast<std::uint64_t>(given.ranks),
          name + "bytes of the report");
    check(report.straight_bytes == (shared_in ? report.shared_bytes : 0), name + "bytes read straight");
    check(report.largest_bound == bound, name + "bound of the report");
    check(std::string(engine) == "auto" || std::string(laconic_exchange_engine(moving)) == engine, name + "engine");
    check(laconic_exchange_free(&moving) == LACONIC_OK && moving == LACONIC_EXCHANGE_NULL, name + "free");
}

}  // namespace

void fields_with_strides_arrive_from_c() {
    const problem given;
    laconic_plan planned = given.planned();
    for (const exchange_engine engine : engines_here()) run_and_check(given, planned, name_of(engine).data(), 0);
    run_and_check(given, planned, "per_rank", 1e-3);
    run_and_check(given, planned, "auto", 0, true);
    check(laconic_plan_free(&planned) == LACONIC_OK, "free a plan");
}

void c_calls_fail_on_all_ranks() {
    const problem given;
    laconic_plan planned = given.planned();
    const int last = given.ranks - 1, comm = MPI_Comm_c2f(MPI_COMM_WORLD);
    const bool wrong = given.rank == last;
    const std::string culprit = "rank " + std::to_string(last) + ": ";
    laconic_exchange moving = LACONIC_EXCHANGE_NULL;
    const auto refused = [&](int code, int expected, const std::string& words, const char* what) {
        check(code == expected && std::string(laconic_last_message()).find(words) != std::string::npos,
              std::string(what) + ": " + laconic_last_message());
        check(moving == LACONIC_EXCHANGE_NULL, std::string(what) + ": an exchange all the same");
    };
    const laconic_stored_box box{0, {width, 1, 0, 0}}, slanted{0, {width - 1, 1, 0, 0}};
    laconic_exchange_options options{};
    options.in_boxes = wrong ? &slanted : &box;
    options.in_box_count = 1;
    refused(laconic_exchange_make_f(planned, 8, LACONIC_F64, comm, &options, &moving), LACONIC_ERR_ARGUMENT,
            culprit + "in_boxes", "strides that are too small");
    options.in_boxes = wrong ? nullptr : &box;
    refused(laconic_exchange_make_f(planned, 8, LACONIC_F64, comm, &options, &moving), LACONIC_ERR_ARGUMENT,
            culprit + "in_boxes is NULL, but 1", "boxes that are announced and missing");
    refused(wrong ? laconic_exchange_refuse_f(comm, LACONIC_ERR_IO, "the cat sat on it")
                  : laconic_exchange_make_f(planned, 8, LACONIC_F64, comm, nullptr, &moving),
            LACONIC_ERR_IO, culprit + "the cat sat on it", "a rank that refuses");
    refused(laconic_exchange_make_f(planned, 8, LACONIC_F64, MPI_Comm_c2f(MPI_COMM_NULL), nullptr, &moving),
            LACONIC_ERR_ARGUMENT, "comm", "no communicator");

    options = {};
    options.fields = 2;
    check(laconic_exchange_make_f(planned, 8, LACONIC_F64, comm, &options, &moving) == LACONIC_OK,
          laconic_last_message());
    std::size_t in_elements = 0, out_elements = 0, offset = 0;
    check(laconic_exchange_elements(moving, &in_elements, &out_elements) == LACONIC_OK, "elements");
    std::vector<double> in[2], out[3];
    for (auto& each : in) each.resize(in_elements + 1);
    for (auto& each : out) each.resize(out_elements + 1);
    const void* from[3] = {in[0].data(), in[1].data(), in[1].data()};
    void* to[3] = {out[0].data(), out[1].data(), out[2].data()};
    const auto run = [&](std::size_t fields, const void* const* sources, void* const* targets) {
        return laconic_exchange_run_fields(moving, fields, sources, in_elements, targets, out_elements, nullptr,
                                           nullptr);
    };
    const auto failed = [&](int code, const std::string& words, const char* what) {
        check(code == LACONIC_ERR_ARGUMENT &&
                  std::string(laconic_last_message()).find(culprit + words) != std::string::npos,
              std::string(what) + ": " + laconic_last_message());
    };
    failed(run(wrong ? 3 : 2, from, to), "3 arrays", "a field too many");
    failed(run(wrong ? 0 : 2, from, to), "0 arrays", "no fields");
    failed(run(2, wrong ? nullptr : from, to), "0 arrays", "no arrays");
    const char* why = "no array has come";
    const int refused_run = wrong ? laconic_exchange_refuse_run(moving, LACONIC_ERR_IO, why) : run(2, from, to);
    check(refused_run == LACONIC_ERR_IO &&
              std::string(laconic_last_message()).find((wrong ? "" : culprit) + why) != std::string::npos,
          "a run that a rank refuses: " + std::string(laconic_last_message()));
    to[1] = wrong ? to[0] : to[1];
    failed(run(2, from, to), "out of field", "fields that overlap");
    to[1] = out[1].data();
    check(run(2, from, to) == LACONIC_OK, laconic_last_message());
    check(laconic_exchange_offset(moving, given.owners.size(), &offset) == LACONIC_ERR_ARGUMENT, "no such patch");
    check(laconic_exchange_free(&moving) == LACONIC_OK, "free");
    check(laconic_exchange_engine(nullptr) == nullptr && laconic_exchange_staging(nullptr) == 0, "no exchange");
    check(laconic_plan_free(&planned) == LACONIC_OK, "free a plan");

    laconic_plan_request asked{};
    const std::int64_t extents[1] = {10}, patch[1] = {3};
    check(laconic_plan_make(nullptr, &planned) == LACONIC_ERR_ARGUMENT, "no request");
    asked.dimensions = 1;
    asked.extents = extents;
    asked.ranks = 2;
    check(laconic_plan_make(&asked, &planned) == LACONIC_ERR_ARGUMENT, "neither patch nor patches");
    asked.patch = asked.patches = patch;
    check(laconic_plan_make(&asked, &planned) == LACONIC_ERR_ARGUMENT, "patch and patches");
    asked.patches = nullptr;
    asked.placement = LACONIC_PLACE_GIVEN;
    check(laconic_plan_make(&asked, &planned) == LACONIC_ERR_ARGUMENT, "no owners");
    check(laconic_plan_boxes(1, extents, 2, 0, nullptr, nullptr, nullptr, patch, LACONIC_PLACE_GREEDY, 0, &planned) ==
              LACONIC_ERR_MISMATCH,
          "no boxes");
}

}  // namespace laconic::test
