// SPDX-License-Identifier: BSD-3-Clause
// Payloads whose messages are streams of `fle`, added without being decoded. The caller's arrays and a quantisation
// flow in; bare chunk sequences, without headers, flow out. How local values join a received stream is what tells the
// three of them apart:
//   homomorphic  (hZCCL)      they are encoded, then the streams are added
//   fused        (HomComp_F)  one pass from values and stream to stream
//   quantised    (HomComp)    all of them became integers up front; integers and stream to stream
#pragma once

#include "base/arithmetic.hpp"
#include "codec/crew.hpp"
#include "collective/arrays.hpp"
#include "collective/quantisation.hpp"

namespace laconic::collective {

enum class joining : std::uint8_t { encode_and_add, one_pass, integers };

template <class T>
class payload_fle final : public payload {
public:
    /// threads   of the codec
    payload_fle(const arrays<T>& data, const quantisation<T>& plan, joining how, unsigned threads) noexcept
        : data_(data), plan_(plan), how_(how), crew_(threads) {}

    [[nodiscard]] std::size_t wire_bound(std::size_t count) const noexcept override {
        return codec::bare_sum_bound(element_type_of<T>::value, count);
    }
    /// HomComp holds the integers of the whole array; several threads write beside each other.
    [[nodiscard]] std::size_t private_bytes(std::size_t count) const noexcept override {
        return integer_bytes() + codec::crew::memory_for(crew_.threads(), element_type_of<T>::value, count);
    }
    void use_memory(std::span<std::byte> memory) noexcept override;

    [[nodiscard]] message begin(part piece, std::span<std::byte> scratch) override;
    [[nodiscard]] message combine(part piece, const operands& what) override;
    void finish(part piece, std::span<const std::byte> final_message) override;

private:
    void copy_values(part piece) override { data_.copy(piece); }
    [[nodiscard]] std::size_t integer_bytes() const noexcept {
        return how_ == joining::integers ? base::round_up(data_.in.size() * sizeof(std::int32_t), 64) : 0;
    }
    [[nodiscard]] bool is_extreme() const noexcept { return data_.op == reduction::min || data_.op == reduction::max; }
    [[nodiscard]] result<codec::sum_report> join(std::span<const std::byte> a, std::span<const std::byte> b,
                                                 std::size_t count, std::span<std::byte> out) const;
    /// A sum in `memory` as a message, or an empty one after a failure.
    [[nodiscard]] message keep(const result<codec::sum_report>& sum, std::span<std::byte> memory, home where);

    arrays<T> data_;
    quantisation<T> plan_;
    joining how_;
    codec::crew crew_;
    std::span<const std::int32_t> integers_;  ///< empty: some value has none, or they are not used
    std::uint64_t own_magnitude_ = 0;
};

}  // namespace laconic::collective
