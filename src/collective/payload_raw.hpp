// SPDX-License-Identifier: BSD-3-Clause
// Payload `raw`: values travel as they are. Local values flow in from the caller's array, sums flow out into it; the
// first and the last hops read and write that array directly, without a copy.
#pragma once

#include <cstddef>
#include <span>

#include "collective/payload.hpp"

namespace laconic::collective {

template <class T>
class payload_raw final : public payload {
public:
    /// divisor   1, or the number of ranks for an average
    payload_raw(std::span<const T> in, std::span<T> out, unsigned divisor) noexcept
        : in_(in), out_(out), divisor_(divisor) {}

    [[nodiscard]] int lanes() const noexcept override { return 32; }
    [[nodiscard]] std::size_t wire_bound(std::size_t count) const noexcept override { return count * sizeof(T); }
    [[nodiscard]] message begin(range part, std::span<std::byte> scratch) override;
    [[nodiscard]] message combine(range part, std::span<const std::byte> received, std::span<std::byte> slot,
                                  std::span<std::byte> scratch, bool last) override;
    void finish(range part, std::span<const std::byte> final_message) override;
    [[nodiscard]] std::span<std::byte> landing(range part) noexcept override {
        return std::as_writable_bytes(out_.subspan(part.first, part.count));
    }

private:
    std::span<const T> in_;
    std::span<T> out_;
    unsigned divisor_;
};

extern template class payload_raw<float>;
extern template class payload_raw<double>;

}  // namespace laconic::collective
