// SPDX-License-Identifier: BSD-3-Clause
// Payload `homomorphic` (hZCCL): local values are compressed, compressed sums flow in and out and are added without
// being decompressed; only the final sum is decoded.
#pragma once

#include "collective/payload_fle.hpp"

namespace laconic::collective {

template <class T>
class payload_homomorphic final : public payload_fle<T> {
public:
    using payload_fle<T>::payload_fle;

    /// Compresses the local range just before it is added: the same arithmetic as compressing everything up front, in
    /// the memory of one message.
    [[nodiscard]] message combine(range part, std::span<const std::byte> received, std::span<std::byte> slot,
                                  std::span<std::byte> scratch, bool last) override;
};

extern template class payload_homomorphic<float>;
extern template class payload_homomorphic<double>;

}  // namespace laconic::collective
