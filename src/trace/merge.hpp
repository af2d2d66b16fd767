// SPDX-License-Identifier: BSD-3-Clause
// The merge of traces of disjoint sets of ranks: bytes in, bytes out. Who moves the bytes between processes is none of
// its business: in log2(P) steps, each with half as many, or all at once on a laptop.
#pragma once

#include "laconic/status.hpp"
#include "trace/wire.hpp"

namespace laconic::trace {

/// Cores as recorder::finish() and merge() make them (encoded(), model.hpp), of ranks of one job, in any order.
/// returns corrupt        an argument is no core
///         mismatch       other jobs, or a rank occurs twice
///         out_of_memory  as expanded()
/// cost     O(numbers of all signatures * ranks) in time and, at 8 bytes for those that differ between ranks, in
///          memory; the result grows with ranks only where no expression of the rank holds
[[nodiscard]] result<bytes> merge(view first, view second);

}  // namespace laconic::trace
