// SPDX-License-Identifier: BSD-3-Clause
// Adaptive binary range coding (as in LZMA): bits with adaptive probabilities flow in, fewer bytes flow out, and back.
#pragma once

#include <cstdint>

#include "trace/wire.hpp"

namespace laconic::trace {

/// The probability of a 0, in 1/65536, that learns fast at first and slowly later.
struct bit_model {
    std::uint16_t zero = 1U << 15;
    std::uint8_t seen = 0;

    void learn(bool bit) noexcept {
        const unsigned rate = seen < 6 ? ++seen : 6U;
        if (bit)
            zero = static_cast<std::uint16_t>(zero - ((zero - 32U) >> rate));
        else
            zero = static_cast<std::uint16_t>(zero + ((65536U - 32U - zero) >> rate));
    }
};

class range_encoder {
public:
    void put(bit_model& model, bool bit) {
        const auto bound = static_cast<std::uint32_t>((std::uint64_t{range_} * model.zero) >> 16);
        if (bit) {
            low_ += bound;
            range_ -= bound;
        } else {
            range_ = bound;
        }
        model.learn(bit);
        while (range_ < 1U << 24) {
            shift();
            range_ <<= 8;
        }
    }
    /// So many low bits of `value`, each 0 or 1 with equal chance.
    void put_plain(std::uint64_t value, unsigned bits) {
        while (bits-- > 0) {
            range_ >>= 1;
            if ((value >> bits & 1) != 0) low_ += range_;
            while (range_ < 1U << 24) {
                shift();
                range_ <<= 8;
            }
        }
    }
    [[nodiscard]] std::size_t size() const noexcept { return out_.size(); }
    /// All bytes; a copy of the encoder is finished where coding goes on.
    bytes finish() {
        for (int i = 0; i < 5; ++i) shift();
        return std::move(out_);
    }

private:
    void shift() {
        if (low_ < 0xff000000U || low_ > 0xffffffffU) {
            const auto carry = static_cast<std::uint8_t>(low_ >> 32);
            if (begun_) out_.push_back(static_cast<std::byte>(cache_ + carry));
            for (; waiting_ > 0; --waiting_) out_.push_back(static_cast<std::byte>(0xff + carry));
            cache_ = static_cast<std::uint8_t>(low_ >> 24);
            begun_ = true;
        } else {
            ++waiting_;
        }
        low_ = (low_ & 0x00ffffffU) << 8;
    }

    bytes out_;
    std::uint64_t low_ = 0;
    std::uint32_t range_ = ~std::uint32_t{0};
    std::uint64_t waiting_ = 0;
    std::uint8_t cache_ = 0;
    bool begun_ = false;
};

/// Reads zeros behind the end of its bytes; overrun() says that it had to.
class range_decoder {
public:
    explicit range_decoder(view data) noexcept : data_(data) {
        for (int i = 0; i < 4; ++i) code_ = code_ << 8 | take();
    }
    bool get(bit_model& model) noexcept {
        const auto bound = static_cast<std::uint32_t>((std::uint64_t{range_} * model.zero) >> 16);
        const bool bit = code_ >= bound;
        if (bit) {
            code_ -= bound;
            range_ -= bound;
        } else {
            range_ = bound;
        }
        model.learn(bit);
        fill();
        return bit;
    }
    std::uint64_t get_plain(unsigned bits) noexcept {
        std::uint64_t value = 0;
        while (bits-- > 0) {
            range_ >>= 1;
            const bool bit = code_ >= range_;
            if (bit) code_ -= range_;
            value = value << 1 | (bit ? 1 : 0);
            fill();
        }
        return value;
    }
    [[nodiscard]] bool overrun() const noexcept { return missing_ > 8; }

private:
    void fill() noexcept {
        while (range_ < 1U << 24) {
            code_ = code_ << 8 | take();
            range_ <<= 8;
        }
    }
    std::uint32_t take() noexcept {
        if (data_.empty()) {
            ++missing_;
            return 0;
        }
        const auto next = static_cast<std::uint32_t>(data_.front());
        data_ = data_.subspan(1);
        return next;
    }

    view data_;
    std::uint32_t code_ = 0, range_ = ~std::uint32_t{0};
    std::uint64_t missing_ = 0;
};

}  // namespace laconic::trace
