// SPDX-License-Identifier: BSD-3-Clause
// Which engine carries an exchange out: options and what the MPI has flow in, an engine flows out.
#pragma once

#include "redistribute/exchange/engine.hpp"

namespace laconic::redistribute {

/// The engine that automatic stands for: the same on all ranks. Others stand for themselves.
[[nodiscard]] exchange_engine chosen_engine(const exchange_options& options, const node_rings* rings) noexcept;
/// Whether it has a use for memory that ranks share.
[[nodiscard]] bool wants_rings(const exchange_options& options) noexcept;

/// ok, or unsupported when this MPI has no such engine, or the engine does no compression. The same on all ranks.
[[nodiscard]] status check_engine(const exchange_options& options);

/// Local. Precondition: check_engine(); `which` is not automatic.
[[nodiscard]] std::unique_ptr<engine> make_engine(exchange_engine which, const engine_setup& setup);

}  // namespace laconic::redistribute
