// SPDX-License-Identifier: BSD-3-Clause
// Counts around every edge of blocks, chunks and ranks; in place; addresses that are no multiple of the element size.
#include <cstring>

#include "cases.hpp"
#include "reference.hpp"
#include "run.hpp"

namespace laconic::test {
namespace {

template <class T>
void check_count(std::string_view row, std::size_t count) {
    const int ranks = size_of(MPI_COMM_WORLD);
    const std::string what = std::string(row) + " count " + std::to_string(count) + (sizeof(T) == 4 ? " f32" : " f64");
    const std::vector<T> in = make_field<T>(field::smooth, rank_in(MPI_COMM_WORLD), count);
    const collective_options options = options_for(row, bound::abs(1e-4));
    const std::vector<T> out = reduce(in, reduction::sum, MPI_COMM_WORLD, options, what);
    const reference<T> exact(field::smooth, ranks, count);
    const accumulator held = row == "stock" || row == "ring_raw" ? accumulator::element : accumulator::exact;
    check_promise(out, exact, ranks, 1, ranks == 1 ? 0 : 1e-4, held, what);

    check_same_bytes(bytes_of(out), MPI_COMM_WORLD, what);

    std::vector<T> in_place = in;
    const auto done =
        allreduce<T>(std::span<const T>(in_place), std::span<T>(in_place), reduction::sum, MPI_COMM_WORLD, options);
    check(done.ok(), what + " in place: " + done.error().message());
    check(count == 0 || std::memcmp(in_place.data(), out.data(), count * sizeof(T)) == 0,
          what + ": in place differs from out of place");
}

template <class T>
void check_unaligned(std::string_view row) {
    constexpr std::size_t count = 5000;
    const std::string what = std::string(row) + " unaligned";
    const std::vector<T> in = make_field<T>(field::smooth, rank_in(MPI_COMM_WORLD), count);
    const collective_options options = options_for(row, bound::abs(1e-4));
    const std::vector<T> want = reduce(in, reduction::avg, MPI_COMM_WORLD, options, what);
    std::vector<std::byte> shifted_in(count * sizeof(T) + 1);
    std::vector<std::byte> shifted_out(count * sizeof(T) + 3);
    std::memcpy(shifted_in.data() + 1, in.data(), count * sizeof(T));
    // Never dereferenced as T: the library promises to take such addresses.
    const std::span<const T> source(reinterpret_cast<const T*>(shifted_in.data() + 1), count);
    const std::span<T> target(reinterpret_cast<T*>(shifted_out.data() + 3), count);
    const auto done = allreduce<T>(source, target, reduction::avg, MPI_COMM_WORLD, options);
    check(done.ok(), what + ": " + done.error().message());
    check(count == 0 || std::memcmp(shifted_out.data() + 3, want.data(), count * sizeof(T)) == 0,
          what + ": other bits than aligned");
}

/// An audit reads them, too, and keeps a copy of what the call overwrites.
template <class T>
void check_unaligned_audit(operation op) {
    constexpr std::size_t count = 5000;
    const std::vector<T> in = make_field<T>(field::adversarial, rank_in(MPI_COMM_WORLD), count);
    std::vector<std::byte> shifted(count * sizeof(T) + 1);
    std::memcpy(shifted.data() + 1, in.data(), count * sizeof(T));
    const std::span<T> values(reinterpret_cast<T*>(shifted.data() + 1), count);
    collective_options options = options_for(op == operation::bcast ? "ring" : "homcomp_f", bound::abs(1e-4));
    options.audit = true;
    const auto done = run(op == operation::bcast ? collective_call<T>::bcast(values, 0)
                                                 : collective_call<T>::allreduce(values, values, reduction::sum),
                          MPI_COMM_WORLD, options);
    check(done.ok() && done->audit && done->audit->violations == 0, "an unaligned audit: " + done.error().message());
}

/// Nobody knows what MPI sends: a report has what the rank sends at least.
void check_stock_reports() {
    const auto p = static_cast<std::size_t>(size_of(MPI_COMM_WORLD));
    const bool is_root = rank_in(MPI_COMM_WORLD) == 0;
    const std::size_t part = 100;
    std::vector<float> part_in(part), part_out(part), all_in(part * p), all_out(part * p);
    const auto check_sent = [&](const char* name, const collective_call<float>& call, std::size_t elements) {
        const auto done = run(call, MPI_COMM_WORLD, options_for("stock", {}));
        check(done.ok() && done->sent_bytes == (p == 1 ? 0 : elements * sizeof(float)),
              std::string("stock ") + name + " reports " + std::to_string(done.ok() ? done->sent_bytes : 0) + " bytes");
    };
    const auto root_only = [&](std::size_t elements) { return is_root ? elements : 0; };
    const auto others = [&](std::size_t elements) { return is_root ? 0 : elements; };
    const std::size_t rest = part * (p - 1);
    using call = collective_call<float>;
    check_sent("allreduce", call::allreduce(all_in, all_out, reduction::sum), 2 * rest);
    check_sent("reduce", call::reduce(all_in, all_out, reduction::sum, 0), others(part * p));
    check_sent("bcast", call::bcast(all_in, 0), root_only(part * p));
    check_sent("gather", call::gather(part_in, all_out, 0), others(part));
    check_sent("scatter", call::scatter(all_in, part_out, 0), root_only(rest));
    check_sent("allgather", call::allgather(part_in, all_out), rest);
    check_sent("alltoall", call::alltoall(all_in, all_out), rest);
    check_sent("reduce_scatter", call::reduce_scatter_block(all_in, part_out, reduction::sum), rest);
    // Rank k gets k + 1 elements of everybody.
    const auto mine = static_cast<std::size_t>(rank_in(MPI_COMM_WORLD)) + 1;
    std::vector<std::size_t> counts(p), first(p), own(p, mine), own_first(p);
    for (std::size_t k = 0; k < p; ++k) counts[k] = k + 1, first[k] = k * (k + 1) / 2, own_first[k] = k * mine;
    const std::size_t sum = p * (p + 1) / 2;
    const auto in = std::span(all_in).first(sum);
    // Elsewhere lists are not looked at.
    const std::vector<std::size_t> short_list(1);
    check_sent("scatterv",
               call::scatterv(in, is_root ? counts : short_list, is_root ? first : short_list,
                              std::span(part_out).first(mine), 0),
               root_only(sum - 1));
    check_sent("alltoallv", call::alltoallv(in, counts, first, std::span(all_out).first(p * mine), own, own_first),
               sum - mine);
}

}  // namespace

void any_count_works() {
    check_stock_reports();
    const auto ranks = static_cast<std::size_t>(size_of(MPI_COMM_WORLD));
    for (const std::string_view row : all_rows) {
        for (const std::size_t count :
             {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{31}, std::size_t{32}, std::size_t{33},
              ranks - 1, ranks, ranks + 1, std::size_t{2047}, std::size_t{2048}, std::size_t{2049}, 2048 * ranks + 1}) {
            check_count<float>(row, count);
            // Many ranks on few cores are slow; the layout is that of float.
            if (ranks <= 5) check_count<double>(row, count);
        }
        if (row != "stock") check_count<float>(row, 100003);
        if (row == "stock") continue;
        check_unaligned<float>(row);
        check_unaligned<double>(row);
    }
    for (const operation op : {operation::allreduce, operation::bcast}) {
        check_unaligned_audit<float>(op);
        check_unaligned_audit<bfloat16>(op);
    }
}

}  // namespace laconic::test
