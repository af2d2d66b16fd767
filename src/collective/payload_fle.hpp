// SPDX-License-Identifier: BSD-3-Clause
// What the payloads that compress with `fle` share: the caller's arrays and a quantisation flow in; encoding local
// values and decoding final sums flow out. Messages are bare chunk sequences, without headers.
#pragma once

#include <cstddef>
#include <span>

#include "codec/fle.hpp"
#include "collective/payload.hpp"
#include "collective/quantisation.hpp"

namespace laconic::collective {

template <class T>
class payload_fle : public payload {
public:
    payload_fle(std::span<const T> in, std::span<T> out, const quantisation<T>& plan) noexcept
        : in_(in), out_(out), plan_(plan) {}

    [[nodiscard]] std::size_t wire_bound(std::size_t count) const noexcept override {
        return codec::bare_sum_bound(element_type_of<T>::value, count);
    }
    [[nodiscard]] message begin(range part, std::span<std::byte> scratch) override {
        const stopwatch watch(times_.compress_s);
        const std::size_t size = codec::encode<T>(local(part), plan_.how, scratch).bytes;
        return {scratch.first(size), home::scratch, false};
    }
    void finish(range part, std::span<const std::byte> final_message) override {
        const stopwatch watch(times_.decompress_s);
        status done = codec::decode<T>(final_message, plan_.result_step, plan_.magnitude, result(part), plan_.divisor);
        if (!done.ok()) this->fail(std::move(done));
    }

protected:
    [[nodiscard]] std::span<const T> local(range part) const noexcept { return in_.subspan(part.first, part.count); }
    [[nodiscard]] std::span<T> result(range part) const noexcept { return out_.subspan(part.first, part.count); }
    [[nodiscard]] const quantisation<T>& plan() const noexcept { return plan_; }

    /// A sum in `memory` as a message, or an empty one after a failure.
    [[nodiscard]] message keep(const laconic::result<codec::sum_report>& sum, std::span<std::byte> memory, home where) {
        if (!sum) {
            this->fail(sum.error());
            return {};
        }
        return {memory.first(sum->bytes), where, false};
    }

private:
    std::span<const T> in_;
    std::span<T> out_;
    quantisation<T> plan_;
};

}  // namespace laconic::collective
