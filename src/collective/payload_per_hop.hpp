// SPDX-License-Identifier: BSD-3-Clause
// Payload `per_hop` (CPR-P2P, the baseline of C-Coll): every message is decompressed on arrival, and every message
// sent is compressed anew, in the allgather as well.
#pragma once

#include "collective/payload_fle.hpp"

namespace laconic::collective {

template <class T>
class payload_per_hop final : public payload_fle<T> {
public:
    /// divisor   1, or the number of ranks for an average
    payload_per_hop(std::span<const T> in, std::span<T> out, const quantisation<T>& plan, unsigned divisor) noexcept
        : payload_fle<T>(in, out, plan), divisor_(divisor) {}

    [[nodiscard]] std::size_t wire_bound(std::size_t count) const noexcept override {
        return codec::bare_bound(element_type_of<T>::value, count);
    }
    [[nodiscard]] std::size_t private_bytes(std::size_t count) const noexcept override { return count * sizeof(T); }
    void use_memory(std::span<std::byte> memory) noexcept override { memory_ = memory; }

    [[nodiscard]] message combine(range part, std::span<const std::byte> received, std::span<std::byte> slot,
                                  std::span<std::byte> scratch, bool last) override;
    [[nodiscard]] message relay(range part, std::span<const std::byte> received, std::span<std::byte> scratch) override;
    void finish(range part, std::span<const std::byte> final_message) override;

private:
    [[nodiscard]] bool decode(std::span<const std::byte> received, std::span<T> values);
    [[nodiscard]] message encode(std::span<const T> values, std::span<std::byte> scratch);

    std::span<std::byte> memory_;
    unsigned divisor_;
};

extern template class payload_per_hop<float>;
extern template class payload_per_hop<double>;

}  // namespace laconic::collective
