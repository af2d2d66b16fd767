// SPDX-License-Identifier: BSD-3-Clause
// Open MPI enumerates the names of its algorithms; MPICH 4.0 has them in the text that describes the variable, in the
// order of their values: "... auto - what it does" "nb   - ..." "ring   - ...", without anything before a name.
#include "cli/forced_stock_mpi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <limits>
#include <optional>

#include "base/units.hpp"
#include "cli/command.hpp"
#include "collective/registry.hpp"

namespace laconic::cli {
namespace {

constexpr std::string_view prefix = "stock:";
constexpr bool is_mpich = std::string_view(LACONIC_FLAVOUR) == "mpich";

/// The tool interface, which stays awake: MPICH 4.0 does not find its variables when it wakes a second time, and Open
/// MPI 4.1 crashes when it ends after MPI.
bool has_tools() {
    static const bool woke = [] {
        int threads = 0;
        return MPI_T_init_thread(MPI_THREAD_SINGLE, &threads) == MPI_SUCCESS;
    }();
    return woke;
}

/// The function that is called, without MPI_, e.g. "Allgatherv".
std::string function_of(operation op, bool with_counts) {
    std::string name(collective::name_of(op));
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    if (op == operation::reduce_scatter) return with_counts ? name : name + "_block";
    return with_counts ? name + "v" : name;
}

std::string variable_of(std::string function) {
    for (char& c : function) {
        const auto letter = static_cast<unsigned char>(c);
        c = static_cast<char>(is_mpich ? std::toupper(letter) : std::tolower(letter));
    }
    return is_mpich ? "MPIR_CVAR_" + function + "_INTRA_ALGORITHM" : "coll_tuned_" + function + "_algorithm";
}

struct description {
    int index = 0;
    MPI_T_enum names = MPI_T_ENUM_NULL;
    std::string text;
};
std::optional<description> describe(const std::string& variable) {
    description found;
    if (MPI_T_cvar_get_index(variable.c_str(), &found.index) != MPI_SUCCESS) return {};
    std::array<char, 8192> text{};
    int length = static_cast<int>(text.size());
    int unused = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (MPI_T_cvar_get_info(found.index, nullptr, nullptr, &unused, &type, &found.names, text.data(), &length, &unused,
                            &unused) != MPI_SUCCESS ||
        type != MPI_INT)
        return {};
    found.text = text.data();
    return found;
}

/// What a text as MPICH's may name: where names begin in it, it does not tell.
constexpr std::array<std::string_view, 18> mpich_names{"binomial",
                                                       "brucks",
                                                       "linear",
                                                       "nb",
                                                       "noncommutative",
                                                       "pairwise",
                                                       "pairwise_sendrecv_replace",
                                                       "recursive_doubling",
                                                       "recursive_halving",
                                                       "reduce_scatter_allgather",
                                                       "reduce_scatter_gather",
                                                       "recexch_doubling",
                                                       "recexch_halving",
                                                       "ring",
                                                       "scatter_recursive_doubling_allgather",
                                                       "scatter_ring_allgather",
                                                       "scattered",
                                                       "smp"};
std::optional<int> value_in(std::string_view text, std::string_view name) {
    constexpr std::string_view dash = " - ";
    int value = 0;
    for (std::size_t at = text.find(dash); at != text.npos; at = text.find(dash, at + dash.size()), ++value) {
        std::string_view before = text.substr(0, at);
        before = before.substr(0, before.find_last_not_of(' ') + 1);
        if (before.ends_with(name) && (before.size() == name.size() || before[before.size() - name.size() - 1] != '_'))
            return value;
    }
    return {};
}

struct named_value {
    std::string name;
    int value;
};
/// All algorithms but the library's own choice, which has the value 0.
std::vector<named_value> algorithms_of(const description& variable) {
    std::vector<named_value> all;
    if (variable.names == MPI_T_ENUM_NULL) {
        for (const std::string_view name : mpich_names)
            if (const auto value = value_in(variable.text, name); value && *value != 0)
                all.push_back({std::string(name), *value});
        return all;
    }
    std::array<char, 256> item{};
    int items = 0;
    int length = static_cast<int>(item.size());
    MPI_T_enum_get_info(variable.names, &items, item.data(), &length);
    for (int i = 0; i < items; ++i) {
        int value = 0;
        length = static_cast<int>(item.size());
        if (MPI_T_enum_get_item(variable.names, i, &value, item.data(), &length) == MPI_SUCCESS && value != 0)
            all.push_back({item.data(), value});
    }
    return all;
}

}  // namespace

bool is_forced(std::string_view row) noexcept { return row.starts_with(prefix); }

void allow_forced() {
    if (!is_mpich) ::setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 0);
}

forced_stock::forced_stock(const std::string& row, operation op, bool with_counts) {
    const std::string_view words = std::string_view(row).substr(prefix.size());
    const std::size_t at = std::min(words.find('@'), words.size());
    const std::string name(words.substr(0, at));
    const std::string function = function_of(op, with_counts);
    const std::string variable = variable_of(function);
    if (!has_tools()) fail_usage(fmt::format("--algorithms: '{}': this MPI has no tool interface", row));
    try {
        const auto found = describe(variable);
        if (!found)
            fail_usage(
                fmt::format("--algorithms: '{}': {} lets nobody force an algorithm of MPI_{} (it has no variable {})",
                            row, LACONIC_FLAVOUR, function, variable));
        const std::vector<named_value> all = algorithms_of(*found);
        const auto value =
            std::find_if(all.begin(), all.end(), [&](const named_value& one) { return one.name == name; });
        if (value == all.end()) {
            std::string known;
            for (const named_value& one : all) known += (known.empty() ? "stock:" : ", stock:") + one.name;
            fail_usage(fmt::format("--algorithms: '{}': {} has no such algorithm of MPI_{}; use {}", row,
                                   LACONIC_FLAVOUR, function, known));
        }
        if (!add(variable, value->value))
            fail_usage(fmt::format("--algorithms: '{}': {} cannot be set", row, variable));
        if (at == words.size()) return;
        const auto size = base::parse_bytes(words.substr(at + 1));
        if (!size || *size > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
            fail_usage(
                fmt::format("--algorithms: '{}': '{}' is no size of segments; give bytes, e.g. stock:pipeline@128K",
                            row, words.substr(at + 1)));
        if (!add(variable + "_segmentsize", static_cast<int>(*size)))
            fail_usage(fmt::format("--algorithms: '{}': {} has no segments to set in MPI_{}; leave out '@{}'", row,
                                   LACONIC_FLAVOUR, function, words.substr(at + 1)));
    } catch (...) {
        close();
        throw;
    }
}

forced_stock::~forced_stock() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
    close();
}

void forced_stock::close() noexcept {
    for (setting& each : settings_) MPI_T_cvar_handle_free(&each.handle);
    settings_.clear();
}

bool forced_stock::add(const std::string& name, int value) {
    const auto found = describe(name);
    int count = 0;
    setting added{nullptr, value, 0};
    if (!found || MPI_T_cvar_handle_alloc(found->index, nullptr, &added.handle, &count) != MPI_SUCCESS) return false;
    settings_.push_back(added);
    setting& kept = settings_.back();
    return MPI_T_cvar_read(kept.handle, &kept.usual) == MPI_SUCCESS &&
           MPI_T_cvar_write(kept.handle, &kept.usual) == MPI_SUCCESS;
}

void forced_stock::make_comm() {
    begin();
    const int code = MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    end();
    if (code != MPI_SUCCESS) fail_data("MPI_Comm_dup failed");
}

void forced_stock::write(bool forced) noexcept {
    for (const setting& each : settings_) MPI_T_cvar_write(each.handle, forced ? &each.forced : &each.usual);
}

}  // namespace laconic::cli
