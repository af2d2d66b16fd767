// SPDX-License-Identifier: BSD-3-Clause
// Payload `raw`: values travel as they are. Local values flow in from the caller's array, results flow out into it; the
// first and the last hops read and write that array directly, without a copy.
#pragma once

#include "collective/arrays.hpp"

namespace laconic::collective {

template <class T>
class payload_raw final : public payload {
public:
    /// only_moves   no result lands where this rank's values are still to be sent from
    payload_raw(const arrays<T>& data, bool only_moves) noexcept : data_(data), only_moves_(only_moves) {}

    [[nodiscard]] std::size_t wire_bound(std::size_t count) const noexcept override { return count * sizeof(T); }
    [[nodiscard]] message begin(part piece, std::span<std::byte> scratch) override;
    [[nodiscard]] message combine(part piece, const operands& what) override;
    void finish(part piece, std::span<const std::byte> final_message) override;
    [[nodiscard]] std::span<std::byte> landing(part piece) noexcept override {
        return std::as_writable_bytes(data_.result(piece));
    }

private:
    void copy_values(part piece) override { data_.copy(piece); }
    arrays<T> data_;
    bool only_moves_;
};

}  // namespace laconic::collective
