// SPDX-License-Identifier: BSD-3-Clause
// Writes the program of one rank step by step; one function for each operation and schedule.
#pragma once

#include "collective/program.hpp"

namespace laconic::collective {

class program_builder {
public:
    program_builder(int ranks, int rank) noexcept;

    // Around a ring, or along a chain whose end is the root.
    [[nodiscard]] program ring_allreduce();
    [[nodiscard]] program ring_reduce_scatter();
    [[nodiscard]] program ring_allgather();
    [[nodiscard]] program chain_reduce(int root);
    [[nodiscard]] program chain_bcast(int root);

    // Binomial trees; ranks counted from the root. A rank's parent lacks the rank's lowest one bit.
    [[nodiscard]] program tree_allreduce();
    [[nodiscard]] program tree_reduce(int root);
    [[nodiscard]] program tree_bcast(int root);
    [[nodiscard]] program tree_allgather();
    [[nodiscard]] program tree_gather(int root);
    [[nodiscard]] program tree_scatter(int root);

    // Partners at doubling distances. Beyond the largest power of two ranks fold their values into a neighbour's first
    // and get the result from it at the end.
    [[nodiscard]] program recursive_doubling();
    [[nodiscard]] program rabenseifner();

    // Straight from where it is to where it belongs.
    [[nodiscard]] program direct_reduce_scatter();
    [[nodiscard]] program direct_allgather();
    [[nodiscard]] program direct_gather(int root);
    [[nodiscard]] program direct_scatter(int root);
    [[nodiscard]] program alltoall();

private:
    step& add(int piece);
    step& local(int piece);
    step& combine(int piece, int from);
    step& take(int piece, int from);
    /// One more target of the step added last.
    void send_to(int rank);
    [[nodiscard]] program finish(int pieces);
    /// Of a program::in_order.
    [[nodiscard]] program finish_in_order(int pieces);
    /// The same, if it has few partners.
    [[nodiscard]] program finish_direct(int pieces);
    /// Where a rank sends another one all partial sums before it gets any from its next partner, and so with results:
    /// they may travel together. most: program::most_bundled, the same on all ranks.
    void bundle_messages(bool sums, int most);
    enum class pairing : std::uint8_t { all, results, sums_and_results };
    /// Fills program::incoming and outgoing: for each partner one of everything, one of results, or one of partial sums
    /// and one of results.
    void pair_up(pairing what);

    [[nodiscard]] int wrapped(int rank) const noexcept { return (rank % ranks_ + ranks_) % ranks_; }
    /// Children in a tree of `size` members counted from its root, largest subtree first: f(child).
    template <class F>
    static void for_each_child(int member, int size, F f);
    void reduce_along_tree(int root);
    void bcast_along_tree(int root, bool root_has_it);

    int ranks_;
    int rank_;
    program made_;
};

template <class F>
void program_builder::for_each_child(int member, int size, F f) {
    int low = 1;
    while (low < size && (member & low) == 0) low <<= 1;
    for (int bit = low >> 1; bit > 0; bit >>= 1)
        if (member + bit < size) f(member + bit);
}

}  // namespace laconic::collective
