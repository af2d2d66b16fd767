// SPDX-License-Identifier: BSD-3-Clause
// A random redistribution: a seed flows in, alike on all ranks; a plan, arrays whose elements tell where they belong,
// and after a run the verdict whether each is there, flow out.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "../unit/redistribute/random_layouts.hpp"
#include "laconic/exchange.hpp"

namespace laconic::test {

class exchange_problem {
public:
    /// Collective in spirit only: no messages. Everything but padding is the same on all ranks.
    exchange_problem(unsigned seed, int rank, int ranks);

    [[nodiscard]] const plan& planned() const noexcept { return plan_; }
    [[nodiscard]] exchange_element element() const noexcept { return {element_bytes_, std::nullopt}; }
    /// With storage: boxes and patches have gaps between and inside them.
    [[nodiscard]] exchange_options options(bool storage) const;
    [[nodiscard]] std::string text() const;

    /// Runs it and checks every byte of `out` and every call of the callback.
    /// own  `in` is the exchange's own array
    void run_and_check(exchange& moving, const std::string& engine, bool storage, bool own = false);

private:
    [[nodiscard]] std::vector<stored_box> spread(const std::vector<box>& boxes, unsigned salt) const;
    [[nodiscard]] static std::vector<stored_box> dense(const std::vector<box>& boxes);
    void fill(std::span<std::byte> memory, const std::vector<box>& boxes, const std::vector<stored_box>& stored,
              std::size_t field) const;

    unsigned seed_;
    int rank_;
    plan plan_;
    std::size_t element_bytes_, fields_, batch_bytes_;
    std::vector<box> boxes_, patches_;
};

}  // namespace laconic::test
