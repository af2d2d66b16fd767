// SPDX-License-Identifier: BSD-3-Clause
// The calls of one or many ranks, unfolded over the ranks as merging needs them: ranks whose calls differ in numbers
// only are one class with one grammar, and every number has a column with its value on each rank. Cores flow in from
// recorders and files (model.hpp), a core of all their ranks flows out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "laconic/status.hpp"
#include "trace/call_statistics.hpp"
#include "trace/rules.hpp"
#include "trace/wire.hpp"

namespace laconic::trace {

inline constexpr std::uint64_t most_ranks = std::uint64_t{1} << 24;

/// A number on each rank of a class; one value while it is the same on all.
class column {
public:
    column() = default;
    explicit column(std::uint64_t value) : value_(value) {}
    explicit column(std::vector<std::uint64_t> values);

    [[nodiscard]] bool constant() const noexcept { return values_.empty(); }
    [[nodiscard]] std::uint64_t at(std::size_t rank_index) const noexcept {
        return constant() ? value_ : values_[rank_index];
    }
    /// The columns of two disjoint sets of ranks as one, merged in the order that `from_second` gives.
    [[nodiscard]] static column merged(const column& first, const column& second, const std::vector<bool>& from_second);

private:
    std::uint64_t value_ = 0;
    std::vector<std::uint64_t> values_;
};

/// A signature with a column per slot. `steps` is empty, or the signature stands in a progressive rule and grows by
/// these per turn.
struct class_signature {
    std::uint32_t shape = 0;
    std::vector<column> slots, steps;
    call_statistics times;

    [[nodiscard]] bool progressive() const noexcept { return !steps.empty(); }
};

struct class_symbol {
    std::uint32_t value = 0;  ///< a signature, or rule_flag | rule
    column count{1};
};

/// The symbol that names a progressive rule counts its turns; the rule holds no other progressive rule.
struct class_rule {
    bool progressive = false;
    std::vector<class_symbol> body;
};

struct rank_class {
    std::vector<std::uint32_t> ranks;  ///< ascending
    std::vector<class_signature> signatures;
    std::vector<class_rule> rules;  ///< the first is the start
};

struct core {
    std::uint64_t ranks = 1;  ///< of the job; the classes may have fewer
    std::vector<bytes> shapes;
    std::vector<rank_class> classes;
};

/// Rules in the order in which a walk from the start meets them, signatures in the order of their first appearance in
/// those rules. Ranks belong together when their canonical classes have equal keys. Precondition: the rules are a
/// grammar (lengths_of()).
void make_canonical(rank_class& made);
/// All of a class that its ranks have in common, as bytes.
[[nodiscard]] std::string key_of(const rank_class& of, const std::vector<bytes>& shapes);

/// returns mismatch  the cores are of jobs of different sizes, or have a rank in common
[[nodiscard]] result<core> merged(core first, core second);

}  // namespace laconic::trace
