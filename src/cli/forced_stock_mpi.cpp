// SPDX-License-Identifier: BSD-3-Clause
// Open MPI enumerates the names of its algorithms. MPICH 4.0 has them in the text that describes the variable, in the
// order of their values, each glued to the sentence before it: "... algorithmring  - Force ring algorithmnb  - Force
// ...". So only names known here are found there.
#include "cli/forced_stock_mpi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <exception>
#include <limits>
#include <optional>

#include "base/units.hpp"
#include "cli/command.hpp"
#include "collective/registry.hpp"

namespace laconic::cli {

class forced_stock::setting {
public:
    /// Throws a usage failure when MPI does not let it be set.
    setting(const std::string& name, int index, int forced) : forced_(forced) {
        int count = 0;
        if (MPI_T_cvar_handle_alloc(index, nullptr, &handle_, &count) == MPI_SUCCESS) {
            if (MPI_T_cvar_read(handle_, &usual_) == MPI_SUCCESS && takes(forced_) && takes(usual_)) return;
            MPI_T_cvar_handle_free(&handle_);
        }
        fail_usage(fmt::format("--algorithms: {} lets nobody set {}; leave that row out", LACONIC_FLAVOUR, name));
    }
    ~setting() { MPI_T_cvar_handle_free(&handle_); }
    setting(const setting&) = delete;
    setting& operator=(const setting&) = delete;

    void write(bool forced) noexcept { MPI_T_cvar_write(handle_, forced ? &forced_ : &usual_); }

private:
    [[nodiscard]] bool takes(const int& value) noexcept {
        int now = 0;
        return MPI_T_cvar_write(handle_, &value) == MPI_SUCCESS && MPI_T_cvar_read(handle_, &now) == MPI_SUCCESS &&
               now == value;
    }

    MPI_T_cvar_handle handle_{};
    int forced_, usual_ = 0;
};

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
/// Of a variable that holds an int.
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

/// Of MPICH 4.0, for the operations there are here.
constexpr std::string_view mpich_names[] = {"binomial",
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
                                            "ring",
                                            "scatter_recursive_doubling_allgather",
                                            "scatter_ring_allgather",
                                            "scattered",
                                            "smp"};

/// The value of a name in a text as MPICH's.
std::optional<int> value_in(std::string_view text, std::string_view name) {
    constexpr std::string_view dash = " - ";
    int value = 0;
    for (std::size_t at = text.find(dash); at != text.npos; at = text.find(dash, at + dash.size()), ++value) {
        std::string_view before = text.substr(0, at);
        before = before.substr(0, before.find_last_not_of(' ') + 1);
        // Not the end of a longer name.
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

int value_of(const description& variable, std::string_view name, const std::string& row, const std::string& function) {
    std::string known;
    for (const named_value& one : algorithms_of(variable)) {
        if (one.name == name) return one.value;
        known += fmt::format("{}{}{}", known.empty() ? "" : ", ", prefix, one.name);
    }
    fail_usage(fmt::format("--algorithms: '{}': {} has no such algorithm of MPI_{}; use {}", row, LACONIC_FLAVOUR,
                           function, known.empty() ? "stock" : known));
}

std::vector<std::unique_ptr<forced_stock::setting>> settings_of(const std::string& row, operation op,
                                                                bool with_counts) {
    if (!has_tools())
        fail_usage(fmt::format("--algorithms: '{}': this MPI has no tool interface to force it by; use stock", row));
    const std::string_view words = std::string_view(row).substr(prefix.size());
    const std::size_t at = std::min(words.find('@'), words.size());
    const std::string function = function_of(op, with_counts);
    const std::string variable = variable_of(function);
    const auto found = describe(variable);
    if (!found)
        fail_usage(
            fmt::format("--algorithms: '{}': {} lets nobody force an algorithm of MPI_{} (it has no variable {}); use "
                        "stock",
                        row, LACONIC_FLAVOUR, function, variable));
    std::vector<std::unique_ptr<forced_stock::setting>> all;
    const int value = value_of(*found, words.substr(0, at), row, function);
    all.push_back(std::make_unique<forced_stock::setting>(variable, found->index, value));
    if (at == words.size()) return all;

    const auto segments = describe(variable + "_segmentsize");
    if (!segments)
        fail_usage(fmt::format("--algorithms: '{}': {} has no segments to set in MPI_{}; leave out '{}'", row,
                               LACONIC_FLAVOUR, function, words.substr(at)));
    const auto size = base::parse_bytes(words.substr(at + 1));
    if (!size) fail_usage(fmt::format("--algorithms: '{}': {}", row, size.error().context()));
    if (*size > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
        fail_usage(fmt::format("--algorithms: '{}': segments of {} bytes; give less than 2G", row, *size));
    all.push_back(
        std::make_unique<forced_stock::setting>(variable + "_segmentsize", segments->index, static_cast<int>(*size)));
    return all;
}

}  // namespace

bool is_forced(std::string_view row) noexcept { return row.starts_with(prefix); }

void allow_forced() {
    if (!is_mpich) ::setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 1);
}

void refuse_unforcible(const std::string& row, operation op, bool with_counts) {
    static_cast<void>(settings_of(row, op, with_counts));
}

forced_stock::forced_stock(const std::string& row, operation op, bool with_counts)
    : settings_(settings_of(row, op, with_counts)) {
    begin();
    const int code = MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    end();
    if (code != MPI_SUCCESS) fail_data("MPI_Comm_dup failed");
}

forced_stock::~forced_stock() {
    // A rank that fails alone must not wait for the others here: it ends them.
    if (comm_ != MPI_COMM_NULL && std::uncaught_exceptions() == 0) MPI_Comm_free(&comm_);
}

void forced_stock::write(bool forced) noexcept {
    for (const auto& each : settings_) each->write(forced);
}

}  // namespace laconic::cli
