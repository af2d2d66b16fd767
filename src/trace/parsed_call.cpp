// SPDX-License-Identifier: BSD-3-Clause
// One reader per form of a value; bytes that make no sense fail the reader, and the parse with it.
#include "trace/parsed_call.hpp"

namespace laconic::trace {

const mpi::function_info* row_of(std::uint32_t function) noexcept {
    if (const auto* row = mpi::find_function(function)) return row;
    return function >= large_count_offset ? mpi::find_function(function - large_count_offset) : nullptr;
}

bool parsed_call::parse(view signature) {
    in_ = wire_reader(signature);
    arguments_.clear();
    values_.clear();
    inputs_ = 0;
    thread_ = result_ = 0;
    has_returned_ = false;
    const std::uint64_t head = in_.varint();
    function_ = static_cast<std::uint32_t>(head >> 1);
    row_ = in_.failed() || head >> 1 > 0xffffffff ? nullptr : row_of(function_);
    if (row_ == nullptr) return false;
    if (head % 2 == 1) thread_ = in_.varint();
    for (const mpi::parameter_info& each : row_->parameters)
        if (each.before) parameter(each, false);
    inputs_ = arguments_.size();
    if (row_->has_result) result_ = in_.varint();
    // What failed has no outputs, except where the error is in the statuses.
    if (in_.left() > 0)
        for (const mpi::parameter_info& each : row_->parameters)
            if (each.after) parameter(each, true);
    if (in_.left() > 0 && row_->returns != mpi::form::none) {
        returned_ = one(row_->returns);
        has_returned_ = true;
    }
    return in_.complete();
}

void parsed_call::parameter(const mpi::parameter_info& of, bool after) {
    if (of.form == mpi::form::none) return;
    parsed_argument made;
    made.of = &of;
    made.after = after;
    made.first = values_.size();
    made.present = !of.conditional || in_.below(2) == 1;
    if (made.present && !of.array) values_.push_back(one(of.form));
    if (made.present && of.array) {
        const std::uint64_t code = in_.varint();
        made.present = code > 0;
        made.count = code == 0 ? 0 : code - 1;
        const std::uint64_t form = of.form == mpi::form::integer && made.count > 0 ? in_.below(3) : 0;
        if (form != 0) {
            // Few bytes may stand for many values: they stay as they are.
            made.packed = true;
            values_.push_back(one(of.form));
            made.step = form == 2 ? in_.signed_varint() : 0;
        } else if (of.kind == "texts") {
            // Each is a list of texts that ends with a NULL.
            std::uint64_t texts = 0;
            for (std::uint64_t i = 0; i < made.count && !in_.failed(); ++i) do {
                    values_.push_back(one(of.form));
                    ++texts;
                } while (values_.back().code != 0);
            made.count = texts;
        } else {
            for (std::uint64_t i = 0; i < made.count && !in_.failed(); ++i) values_.push_back(one(of.form));
        }
    }
    if (in_.failed()) {
        made.present = false;
        made.count = 0;
    }
    arguments_.push_back(made);
}

wire_value parsed_call::one(mpi::form form) {
    constexpr std::uint64_t spaces = 10, on_device = 5;
    wire_value made;
    switch (form) {
        case mpi::form::none: break;
        case mpi::form::integer: made.number = in_.signed_varint(); break;
        case mpi::form::rank:
            made.code = in_.varint();
            if (made.code >= 4) made.number = in_.signed_varint();
            break;
        case mpi::form::handle:
        case mpi::form::pointer:
        case mpi::form::flags:
        case mpi::form::error: made.code = in_.varint(); break;
        case mpi::form::request:
            made.code = in_.varint();
            if (made.code != 0) made.extra = in_.varint();
            break;
        case mpi::form::buffer:
        case mpi::form::address:
            made.code = in_.below(spaces);
            if (made.code == on_device) made.bytes = in_.varint();
            if (made.code > 2) made.extra = in_.varint();
            if (made.code > 2 || (made.code == 0 && form == mpi::form::address)) made.number = in_.signed_varint();
            break;
        case mpi::form::status:
            made.code = in_.varint();
            if ((made.code & 1) != 0) {
                made.extra = in_.varint();
                if (made.extra >= 4) made.source = in_.signed_varint();
                made.number = in_.signed_varint();
            }
            if ((made.code & 2) != 0) made.bytes = in_.varint();
            if ((made.code & 8) != 0) made.error = in_.varint();
            break;
        case mpi::form::string: {
            made.code = in_.varint();
            if (made.code == 0) break;
            const view letters = in_.take(static_cast<std::size_t>(made.code - 1));
            made.text = {reinterpret_cast<const char*>(letters.data()), letters.size()};
            break;
        }
        case mpi::form::named:
            made.code = in_.varint();
            if (made.code == 0) made.number = in_.signed_varint();
            break;
    }
    return made;
}

const parsed_argument* parsed_call::find(std::string_view name, bool after) const noexcept {
    const std::size_t begin = after ? inputs_ : 0, end = after ? arguments_.size() : inputs_;
    for (std::size_t i = begin; i < end; ++i)
        if (arguments_[i].of->name == name) return &arguments_[i];
    return nullptr;
}

wire_value parsed_call::value(const parsed_argument& of, std::uint64_t i) const noexcept {
    if (!of.packed) return values_[of.first + static_cast<std::size_t>(i)];
    wire_value made;
    made.number = static_cast<std::int64_t>(static_cast<std::uint64_t>(values_[of.first].number) +
                                            i * static_cast<std::uint64_t>(of.step));
    return made;
}

std::int64_t parsed_call::integer(std::string_view name, std::int64_t otherwise, bool after) const noexcept {
    const parsed_argument* const found = find(name, after);
    if (found == nullptr || !found->present || found->of->array || found->of->form != mpi::form::integer)
        return otherwise;
    return values_[found->first].number;
}

}  // namespace laconic::trace
