// SPDX-License-Identifier: BSD-3-Clause
// One collective in the simulation: the library's own agreement, schedule, job and runner with a payload without data.
// Rank 0 prints a line of JSON for each algorithm: the seconds that the slowest rank took, and where they went.
//
// usage: laconic-scale TABLE OPERATION BYTES SEGMENT DIVISOR ROW...
// BYTES are those of the whole: an allreduce's or bcast's buffer, an allgather's or scatter's over all ranks. A ROW is
// ALGORITHM=CODEC[*CORES], e.g. homcomp_f=fle*4. `stock` is SMPI's own function; it takes real memory, so it moves
// BYTES / DIVISOR over a network whose bandwidth the caller has divided alike.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "codec_table.hpp"
#include "collective/agreement.hpp"
#include "collective/geometry.hpp"
#include "collective/job.hpp"
#include "collective/program.hpp"
#include "collective/runner.hpp"
#include "payload_modelled.hpp"
#include "smpi_program.hpp"
#include "smpi_waiting.hpp"

namespace {

using namespace laconic;
using collective::cell;
using collective::payload_kind;
using collective::schedule_kind;

constexpr int tags_per_call = 4096;  // as in stage.cpp

struct row {
    std::string text, algorithm, codec;
    double cores = 1;
};

row parse_row(const std::string& text) {
    const auto equals = text.find('=');
    const auto star = text.find('*');
    if (equals == std::string::npos) throw std::runtime_error("'" + text + "'; give ALGORITHM=CODEC[*CORES]");
    row made{text, text.substr(0, equals), text.substr(equals + 1, star - equals - 1), 1};
    if (star != std::string::npos) made.cores = std::stod(text.substr(star + 1));
    return made;
}

using scale::value_of;

void require(const status& done) {
    if (!done.ok()) throw std::runtime_error(done.context());
}

/// The shape of a call in which every rank has as much as every other.
collective::geometry shape_of(operation op, std::size_t values, const mpi::channel& channel) {
    const auto ranks = static_cast<std::size_t>(channel.size());
    collective::geometry shape;
    shape.op = op;
    shape.rank = channel.rank();
    shape.ranks = channel.size();
    const bool gathers = op == operation::allgather || op == operation::gather;
    const bool parts = op == operation::scatter || op == operation::reduce_scatter;
    shape.in_count = gathers ? values / ranks : values;
    shape.out_count = parts ? values / ranks : values;
    return shape;
}

struct measured {
    double total_s = 0;
    collective::phase_times busy;
    collective::traffic sent;
};

/// What MPI's own collectives call to add: it only takes the time.
struct {
    double seconds_per_float = 0;
    scale::simulated_work time;
} adding;

void add_in_time(void*, void*, int* count, MPI_Datatype*) {
    adding.time.take(static_cast<double>(*count) * adding.seconds_per_float);
}

measured run_stock(mpi::channel& channel, operation op, std::size_t values, double divisor, const row& wanted,
                   const scale::codec_row& codec) {
    const auto count = static_cast<int>(static_cast<double>(values) / divisor);
    const int each = count / channel.size();
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(float);
    const MPI_Comm comm = channel.comm();
    // All ranks live in one process: they get by with the memory of one.
    std::array<void*, 2> memory{};
    if (channel.rank() == 0) memory = {SMPI_SHARED_MALLOC(bytes), SMPI_SHARED_MALLOC(bytes)};
    MPI_Bcast(memory.data(), sizeof memory, MPI_BYTE, 0, comm);
    const auto [in, out] = memory;
    adding.seconds_per_float = divisor * sizeof(float) / (codec.plain_sum * wanted.cores);
    MPI_Op sum = MPI_OP_NULL;
    MPI_Op_create(add_in_time, 1, &sum);
    MPI_Barrier(comm);
    const double start = MPI_Wtime();
    if (op == operation::allreduce)
        MPI_Allreduce(in, out, count, MPI_FLOAT, sum, comm);
    else if (op == operation::bcast)
        MPI_Bcast(in, count, MPI_FLOAT, 0, comm);
    else if (op == operation::allgather)
        MPI_Allgather(in, each, MPI_FLOAT, out, each, MPI_FLOAT, comm);
    else if (op == operation::scatter)
        MPI_Scatter(in, each, MPI_FLOAT, out, each, MPI_FLOAT, 0, comm);
    else
        throw std::runtime_error("stock: only allreduce, bcast, allgather, scatter");
    const double total = MPI_Wtime() - start;
    MPI_Op_free(&sum);
    MPI_Barrier(comm);
    for (void* const part : memory)
        if (channel.rank() == 0) SMPI_SHARED_FREE(part);
    return {total, {}, {}};
}

measured run(mpi::channel& channel, const collective::geometry& shape, const cell& what, const row& wanted,
             const scale::codec_row& codec, std::size_t segment, std::span<std::byte> shared) {
    // As execution<T>::reserve() and stage<T>::lay_out() have it.
    const auto steps = collective::make_program(shape.op, what.schedule, shape.ranks, shape.rank, 0);
    std::vector<collective::place> places;
    collective::place_pieces(shape, steps.pieces, places);
    scale::payload_modelled carrier(what.payload, codec, wanted.cores, shared);
    const std::size_t longest = shape.longest_piece(steps.pieces);
    const auto cut = collective::job::choose(what, steps, longest, segment / sizeof(float), sizeof(float));
    const collective::job work(steps, places, cut, longest);
    mpi::workspace memory;
    require(memory.reserve(collective::runner::memory_for(carrier, work)));
    if (work.largest() * sizeof(float) > shared.size()) throw std::runtime_error("the shared memory is too small");

    MPI_Barrier(channel.comm());
    const double start = MPI_Wtime();
    if (collective::compresses(what)) {
        collective::agreement_letter letter;
        collective::agreement agreed;
        collective::call_shape all;
        all.op = shape.op;
        all.count = shape.common_count();
        all.what = what;
        require(agreed.start(channel, letter, all, {true, -1, 1, 1, 0}, {}));
        for (scale::forget(); !value_of(agreed.test()); scale::forget())
            if (!scale::scale_wait()) throw std::runtime_error("the agreement waits for nothing");
    }
    collective::team everybody;
    everybody.rank = shape.rank;
    everybody.size = shape.ranks;
    collective::runner running(channel, everybody, carrier, work, memory.bytes(), 0, tags_per_call, false);
    while (true) {
        scale::forget();
        const auto now = value_of(running.advance());
        if (now == collective::runner::state::done) break;
        if (now == collective::runner::state::waiting && !scale::scale_wait())
            throw std::runtime_error("a runner waits for nothing");
    }
    scale::forget();
    return {MPI_Wtime() - start, carrier.times(), running.sent()};
}

void report(const mpi::channel& channel, const row& wanted, operation op, std::size_t bytes, std::size_t segment,
            const measured& mine) {
    std::array<double, 6> most{mine.total_s,
                               mine.busy.compress_s,
                               mine.busy.combine_s,
                               mine.busy.decompress_s,
                               static_cast<double>(mine.sent.sent_bytes),
                               static_cast<double>(mine.sent.messages)};
    const std::array<double, 6> own = most;
    MPI_Reduce(own.data(), most.data(), 6, MPI_DOUBLE, MPI_MAX, 0, channel.comm());
    if (channel.rank() != 0) return;
    std::printf(
        R"({"op":"%s","algorithm":"%s","codec":"%s","cores":%g,"ranks":%d,"bytes":%zu,"segment":%zu,"seconds":%.9g,)"
        R"("compress_s":%.6g,"combine_s":%.6g,"decompress_s":%.6g,"sent_bytes":%.0f,"messages":%.0f})"
        "\n",
        std::string(collective::name_of(op)).c_str(), wanted.algorithm.c_str(), wanted.codec.c_str(), wanted.cores,
        channel.size(), bytes, segment, most[0], most[1], most[2], most[3], most[4], most[5]);
    std::fflush(stdout);
}

void run_all(MPI_Comm own, int argc, char** argv) {
    if (argc < 7) throw std::runtime_error("usage: laconic-scale TABLE OPERATION BYTES SEGMENT DIVISOR ROW...");
    const auto table = scale::read_codec_table(argv[1]);
    const operation op = value_of(collective::operation_named(argv[2]));
    const std::size_t bytes = std::stoull(argv[3]);
    const std::size_t segment = std::stoull(argv[4]);
    const double divisor = std::stod(argv[5]);
    mpi::channel& channel = *value_of(mpi::channel_of(own, mpi::channel_use::collectives));
    const std::size_t shared_bytes = std::max<std::size_t>(segment, 1 << 20);
    auto* const memory = static_cast<std::byte*>(SMPI_SHARED_MALLOC(shared_bytes));
    for (int i = 6; i < argc; ++i) {
        const row wanted = parse_row(argv[i]);
        const cell what = value_of(collective::find_cell(op, wanted.algorithm));
        const auto codec = table.find(wanted.codec);
        if (codec == table.end()) throw std::runtime_error("no codec '" + wanted.codec + "' in " + argv[1]);
        const std::size_t values = bytes / sizeof(float);
        const measured mine = what.schedule == schedule_kind::stock
                                  ? run_stock(channel, op, values, divisor, wanted, codec->second)
                                  : run(channel, shape_of(op, values, channel), what, wanted, codec->second, segment,
                                        {memory, shared_bytes});
        report(channel, wanted, op, bytes, segment, mine);
    }
    SMPI_SHARED_FREE(memory);
}

}  // namespace

__attribute__((visibility("default"))) int main(int argc, char** argv) {
    return laconic::scale::run_program("laconic-scale", &argc, &argv, [&](MPI_Comm own) { run_all(own, argc, argv); });
}
