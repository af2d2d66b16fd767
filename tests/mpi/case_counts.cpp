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

}  // namespace

void any_count_works() {
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
}

}  // namespace laconic::test
