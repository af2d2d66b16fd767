// SPDX-License-Identifier: BSD-3-Clause
// What commands that run collectives on a field share: arguments flow in, what to run on which field flows out, or a
// failure; and the way of a command from its ranks' arguments, compared, to its end.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.hpp"
#include "cli/arguments.hpp"
#include "cli/files.hpp"
#include "laconic/collective.hpp"

namespace laconic::cli {

struct collective_settings {
    operation op = operation::allreduce;
    reduction combine = reduction::sum;
    std::vector<std::string> algorithms;
    /// Of the buffer, at most: the whole result of (all)gather, the whole source of scatter. What runs is
    /// common_count().
    std::size_t bytes = 0;
    collective_options options;  ///< its algorithm is not looked at
};

/// What a rank needs before ranks start to wait for each other.
struct collective_work {
    collective_settings settings;
    element_type type;
    buffer field;
    std::string options;  ///< of the table, as text that is the same where they mean the same
};

/// --op, --reduction, --algorithms, --data, --type, --bytes, the bound and options of the table.
class collective_arguments {
public:
    struct form {
        std::string_view algorithms_hint;  ///< what the help says behind the rows there are
        std::string_view bytes;            ///< the default
        bool offers_16_bit = false;
        bool takes_forced = false;                       ///< rows as is_forced() (cli/forced_stock_mpi.hpp) has them
        std::initializer_list<base::option_id> options;  ///< that outlives the arguments
    };
    void declare(CLI::App& app, const form& what);
    /// Reads the field.
    /// with_counts   rows have to serve the form of the operation that has a count for each rank
    [[nodiscard]] collective_work prepare(bool with_counts) const;
    /// Everything in which the ranks must not differ, threads of the codec included: what is measured would be of
    /// several kinds.
    [[nodiscard]] std::string fingerprint(const collective_work& work) const;
    /// Whether rows are named that is_forced() knows.
    [[nodiscard]] bool names_forced() const;
    [[nodiscard]] const std::string& op() const noexcept { return op_; }
    [[nodiscard]] const std::string& reduction() const noexcept { return reduction_; }

private:
    const CLI::App* app_ = nullptr;  // knows the flags of the option table
    std::initializer_list<base::option_id> options_;
    bool takes_forced_ = false;
    std::string op_ = "allreduce";
    std::string reduction_ = "sum";
    std::vector<std::string> algorithms_;  // words, each of which may name several
    std::string data_;
    type_argument type_;
    bound_argument limit_;
    std::string bytes_;
};

[[nodiscard]] std::string_view scope_name(scope what);

/// Elements that a rank reads and writes of a buffer of `count`, a multiple of the ranks: of the whole result of
/// (all)gather, of the whole source of scatter.
struct rank_sizes {
    std::size_t in = 0, out = 0;

    rank_sizes(operation op, std::size_t count, int ranks, bool root) noexcept;
};

/// Elements of a buffer of at most so many bytes, but at least one for each rank, with equal parts for all ranks.
[[nodiscard]] std::size_t common_count(std::size_t bytes, std::size_t element_bytes, int ranks) noexcept;
/// Bytes of that buffer.
[[nodiscard]] std::size_t bytes_that_run(const collective_work& work, int ranks) noexcept;
/// Where rank `rank` begins in a field of so many elements.
[[nodiscard]] constexpr std::size_t tile_offset(std::size_t field, int rank, int ranks) noexcept {
    return field / static_cast<std::size_t>(ranks) * static_cast<std::size_t>(rank);
}

/// A command of all ranks.
struct together {
    std::string_view name;                  ///< of the command, for messages
    std::function<void()> prepare;          ///< local; throws a failure
    std::function<std::string()> settings;  ///< everything in which the ranks must not differ
    std::function<int(int rank, int ranks)> run;
};
/// MPI from beginning to end. Ranks that fail, or differ, end together with one message.
[[nodiscard]] int run_together(const together& todo);

}  // namespace laconic::cli
