// SPDX-License-Identifier: BSD-3-Clause
// Arguments checked against the tables, and ranks that wait for nobody who has failed.
#include "cli/collective_arguments_mpi.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>
#include <optional>

#include "base/units.hpp"
#include "cli/command.hpp"
#include "cli/forced_stock_mpi.hpp"
#include "cli/session_mpi.hpp"
#include "cli/table_options.hpp"
#include "codec/element.hpp"
#include "collective/options.hpp"
#include "collective/registry.hpp"

namespace laconic::cli {
namespace {

using base::option_id;

/// Started by the launcher of another MPI, every rank would be a job of its own. Its first rank says so; the others
/// end in silence.
bool started_by_another_mpi() {
    struct launcher {
        std::string_view flavour;
        const char* size;
        const char* rank;
    };
    constexpr launcher mpich{"mpich", "PMI_SIZE", "PMI_RANK"};
    constexpr launcher openmpi{"openmpi", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"};
    const bool for_mpich = std::string_view(LACONIC_FLAVOUR) == mpich.flavour;
    const launcher& own = for_mpich ? mpich : openmpi;
    const launcher& other = for_mpich ? openmpi : mpich;
    const char* const size = std::getenv(other.size);
    const char* const rank = std::getenv(other.rank);
    if (std::getenv(own.size) != nullptr || size == nullptr || std::string_view(size) == "1") return false;
    if (rank == nullptr || std::string_view(rank) == "0")
        fail_usage(
            fmt::format("laconic-{} was started by the mpiexec of {}, which makes {} jobs of one rank; start it "
                        "with mpiexec.{}, or start laconic-{}",
                        own.flavour, other.flavour, size, own.flavour, other.flavour));
    return true;
}

/// At least 1.
std::size_t byte_size(std::string_view flag, const std::string& text) {
    const result<std::uint64_t> size = base::parse_bytes(text);
    if (!size) fail_usage(fmt::format("{}: {}", flag, size.error().context()));
    if (*size == 0) fail_usage(fmt::format("{} is '{}'; give at least 1 byte", flag, text));
    return *size;
}

reduction reduction_named(const std::string& name) {
    constexpr std::array names{"sum", "avg", "min", "max", "prod"};
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) fail_usage(fmt::format("--reduction is '{}'; use sum, avg, min, max or prod", name));
    return static_cast<reduction>(found - names.begin());
}

operation operation_named(const std::string& name) {
    const auto op = collective::operation_named(name);
    if (!op) fail_usage("--op is " + op.error().context());
    return *op;
}

/// Rows of --algorithms, checked; none given: what `algorithm` of the option table says, with stock before it, or all
/// rows of the operation.
std::vector<std::string> chosen_algorithms(operation op, const std::vector<std::string>& given,
                                           const base::option_set& options, bool takes_forced) {
    const auto refuse_unknown = [&](std::string_view origin, const std::string& name) {
        if (const auto found = collective::find_cell(op, name); !found)
            fail_usage(fmt::format("{}: {}", origin, found.error().context()));
    };
    for (const std::string& name : given)
        if (!takes_forced || !is_forced(name)) refuse_unknown("--algorithms", name);
    std::vector<std::string> sorted = given;
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
        fail_usage(fmt::format("--algorithms names '{}' twice", *twice));
    if (!given.empty()) return given;
    if (options.is_set(option_id::algorithm)) {
        const std::string& name = options.text(option_id::algorithm);
        refuse_unknown(options.origin(option_id::algorithm), name);
        return name == "stock" ? std::vector<std::string>{name} : std::vector<std::string>{"stock", name};
    }
    std::vector<std::string> known;
    for (const collective::algorithm& row : collective::algorithms())
        if (row.op == op) known.emplace_back(row.name);
    return known;
}

}  // namespace

std::string_view scope_name(scope what) {
    return what == scope::result ? "result" : what == scope::contribution ? "contribution" : "probable";
}

void collective_arguments::declare(CLI::App& app, const form& what) {
    app_ = &app;
    options_ = what.options;
    takes_forced_ = what.takes_forced;
    bytes_ = what.bytes;
    app.add_option("--op", op_, "the collective (default allreduce)")
        ->type_name("allreduce|reduce|reduce_scatter|allgather|gather|scatter|bcast|alltoall");
    app.add_option("--reduction", reduction_, "sum (default) or another")->type_name("sum|avg|min|max|prod");
    app.add_option("--algorithms", algorithms_,
                   fmt::format("rows of 'laconic info --algorithms' (default: stock and --algorithm, or all){}",
                               what.algorithms_hint))
        ->type_name("A,B")
        ->delimiter(',');
    app.add_option("--data", data_, "field: raw little-endian array, tiled from another offset on every rank")
        ->type_name("FILE")
        ->required();
    type_.declare(app, what.offers_16_bit);
    app.add_option("--bytes", bytes_,
                   fmt::format("uncompressed bytes of the buffer, e.g. {} (default): on each rank; the whole result of "
                               "allgather and gather, the whole source of scatter",
                               what.bytes))
        ->type_name("SIZE");
    limit_.declare(app, true);
    declare_options(app, what.options);
}

collective_work collective_arguments::prepare() const {
    const base::option_set options = resolve_options(*app_, options_);
    collective_settings settings;
    settings.op = operation_named(op_);
    settings.combine = reduction_named(reduction_);
    settings.algorithms = chosen_algorithms(settings.op, algorithms_, options, takes_forced_);
    settings.bytes = byte_size("--bytes", bytes_);
    settings.options = collective::options_of(options);
    settings.options.limit = limit_.value();
    const element_type type = type_.value();
    if (settings.bytes < size_of(type))
        fail_usage(fmt::format("--bytes is {}; give at least one element of {} bytes", bytes_, size_of(type)));
    if (data_ == "-") fail_usage("--data is '-'; every rank reads the field, so give a file");
    buffer field = read_array(data_, type);
    if (field.size() == 0) fail_data(fmt::format("'{}' is empty; give a field with at least one value", data_));
    return {std::move(settings), type, std::move(field)};
}

std::string collective_arguments::fingerprint(const collective_work& work) const {
    const collective_settings& all = work.settings;
    return fmt::format(
        "--op {} --reduction {} --algorithms {} --type {} --bytes {} --bound {}:{} --scope {} --segment-bytes {}, a "
        "field of {} bytes",
        op_, reduction_, fmt::join(all.algorithms, ","), codec::name_of(work.type), all.bytes,
        static_cast<int>(all.options.limit.kind), all.options.limit.value, scope_name(all.options.bound_scope),
        all.options.segment_bytes, work.field.size());
}

bool collective_arguments::names_forced() const {
    return std::any_of(algorithms_.begin(), algorithms_.end(), is_forced);
}

rank_sizes::rank_sizes(operation op, std::size_t count, int ranks, bool root) noexcept : in(count), out(count) {
    const std::size_t part = count / static_cast<std::size_t>(ranks);
    switch (op) {
        case operation::allreduce:
        case operation::bcast:
        case operation::alltoall: return;
        case operation::reduce: out = root ? count : 0; return;
        case operation::reduce_scatter: out = part; return;
        case operation::allgather: in = part; return;
        case operation::gather:
            in = part;
            out = root ? count : 0;
            return;
        case operation::scatter:
            in = root ? count : 0;
            out = part;
            return;
    }
}

std::size_t common_count(std::size_t bytes, std::size_t element_bytes, int ranks) noexcept {
    const auto p = static_cast<std::size_t>(ranks);
    return std::max<std::size_t>(bytes / element_bytes / p, 1) * p;
}

int run_together(const together& todo) {
    if (started_by_another_mpi()) return exit_ok;
    mpi_session session;
    // Launchers give ranks a terminal of their own, even when their output ends in a file.
    ::setenv("NO_COLOR", "1", 1);
    std::optional<failure> mine;
    try {
        todo.prepare();
    } catch (const failure& why) {
        mine = why;
    } catch (const std::bad_alloc&) {
        mine = failure(exit_data, "not enough memory for the field");
    }
    if (!session.all_agree_to_go_on(mine)) return exit_ok;
    const std::string ours = todo.settings();
    if (const std::string theirs = session.of_rank_0(ours); theirs != ours)
        mine = failure(
            exit_usage,
            fmt::format("the ranks have different options, '{}' and '{}'; give all of them the same", theirs, ours));
    if (!session.all_agree_to_go_on(mine)) return exit_ok;
    // From here on a rank that fails alone would leave the others waiting.
    try {
        return todo.run(session.rank(), session.ranks());
    } catch (const failure& why) {
        session.abort(why, todo.name);
    } catch (const std::bad_alloc&) {
        session.abort(failure(exit_data, "not enough memory for the arrays; give fewer --bytes"), todo.name);
    }
}

}  // namespace laconic::cli
