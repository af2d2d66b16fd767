// SPDX-License-Identifier: BSD-3-Clause
// Payload `fused` (HomComp_F): raw local values and a compressed partial sum flow in, the compressed sum flows out of
// one pass. Only the first message of a piece is ever compressed on its own.
#pragma once

#include "collective/payload_fle.hpp"

namespace laconic::collective {

template <class T>
class payload_fused final : public payload_fle<T> {
public:
    using payload_fle<T>::payload_fle;

    [[nodiscard]] message combine(range part, std::span<const std::byte> received, std::span<std::byte> slot,
                                  std::span<std::byte> scratch, bool last) override;
};

extern template class payload_fused<float>;
extern template class payload_fused<double>;

}  // namespace laconic::collective
