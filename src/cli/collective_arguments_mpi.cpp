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
#include "collective/call_check.hpp"
#include "collective/options.hpp"
#include "collective/registry.hpp"
#include "collective/select.hpp"

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
    if (!op) fail_usage("--op: " + op.error().context());
    return *op;
}

using collective::row_task;

/// The library would say so only after the ranks have met.
void refuse_unsuitable(std::string_view origin, const std::string& name, const row_task& what) {
    const auto found = collective::find_cell(what.op, name);
    if (!found) fail_usage(fmt::format("{}: {}", origin, found.error().context()));
    if (const status good = collective::check_row(what, *found); !good.ok())
        fail_usage(fmt::format("{}: '{}': {}", origin, name, good.context()));
}

/// Rows of --algorithms, checked; none given: what `algorithm` of the option table says, with stock before it, or all
/// rows that can do it.
std::vector<std::string> chosen_algorithms(const row_task& what, const std::vector<std::string>& given,
                                           const base::option_set& options, bool takes_forced) {
    for (const std::string& name : given) {
        if (is_forced(name) && !takes_forced)
            fail_usage(
                fmt::format("--algorithms: '{}': audits force no algorithm of MPI; give stock, or measure it with "
                            "bench collective",
                            name));
        if (!is_forced(name)) refuse_unsuitable("--algorithms", name, what);
    }
    std::vector<std::string> sorted = given;
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
        fail_usage(fmt::format("--algorithms names '{}' twice", *twice));
    if (!given.empty()) return given;
    if (options.is_set(option_id::algorithm)) {
        const std::string& name = options.text(option_id::algorithm);
        refuse_unsuitable(options.origin(option_id::algorithm), name, what);
        return name == "stock" ? std::vector<std::string>{name} : std::vector<std::string>{"stock", name};
    }
    std::vector<std::string> known;
    for (const collective::algorithm& row : collective::algorithms())
        if (row.op == what.op && collective::check_row(what, row.what).ok()) known.emplace_back(row.name);
    return known;
}

void check_confidence(std::string_view origin, const std::string& text) {
    const result<double> value = base::parse_bound(text);
    if (!value || !(*value > 0 && *value < 1))
        fail_usage(fmt::format("{} is '{}'; give a number between 0 and 1, e.g. 0.9544", origin, text));
}

/// The machine is read here, and once: ranks that read other figures are found by its digest.
std::uint64_t machine_digest(const base::option_set& options) {
    const auto machine = collective::machine_of(options.text(option_id::machine));
    if (machine) return (*machine)->digest;
    if (machine.error().code() == errc::io) fail_data(machine.error().context());
    fail_usage(fmt::format("{}: {}", options.origin(option_id::machine), machine.error().context()));
}

/// Of all rows but `algorithm`, which the list of algorithms has.
std::string text_of(const base::option_set& options, std::initializer_list<option_id> ids) {
    std::string text;
    for (const option_id id : ids) {
        if (id == option_id::algorithm) continue;
        const base::option& row = base::describe(id);
        text += fmt::format(" {} ", row.flag);
        switch (row.type) {
            case base::option_type::number:
            case base::option_type::bound: text += fmt::format("{}", options.real(id)); break;
            case base::option_type::bytes: text += fmt::format("{}", options.bytes(id)); break;
            case base::option_type::count: text += fmt::format("{}", options.count(id)); break;
            case base::option_type::path: text += fmt::format("of digest {:x}", machine_digest(options)); break;
            default: text += options.text(id);
        }
    }
    return text;
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
        ->type_name("A,B");
    app.add_option("--data", data_, "field: raw little-endian array, tiled from another offset on every rank")
        ->type_name("FILE")
        ->required();
    type_.declare(app, what.offers_16_bit);
    app.add_option(
           "--bytes", bytes_,
           fmt::format(
               "uncompressed bytes of the buffer, e.g. {} (default): on each rank; the whole result of "
               "allgather and gather, the whole source of scatter; rounded down to equal parts of whole elements "
               "for all ranks, but at least one element each, which the output says",
               what.bytes))
        ->type_name("SIZE");
    limit_.declare(app, true);
    declare_options(app, what.options);
}

collective_work collective_arguments::prepare(bool with_counts) const {
    const std::string confidence(base::describe(option_id::confidence).flag);
    // The table has no largest number.
    if (app_->count(confidence) > 0) check_confidence(confidence, app_->get_option(confidence)->results().back());
    const base::option_set options = resolve_options(*app_, options_);
    check_confidence(options.origin(option_id::confidence), options.text(option_id::confidence));
    collective_settings settings;
    settings.op = operation_named(op_);
    settings.combine = reduction_named(reduction_);
    if (!collective::is_reduction(settings.op) && settings.combine != reduction::sum)
        fail_usage(fmt::format("--reduction is '{}', but {} combines nothing; leave it out", reduction_, op_));
    settings.bytes = byte_size("--bytes", bytes_);
    settings.options = collective::options_of(options);
    settings.options.limit = limit_.value();
    settings.options.codec_threads = codec_threads_of(options);
    const element_type type = type_.value();
    if (!algorithms_.empty() && app_->count(std::string(base::describe(option_id::algorithm).flag)) > 0)
        fail_usage("--algorithm and --algorithms both say what runs; give only one of them");
    settings.algorithms = chosen_algorithms({settings.op, settings.combine, with_counts, type, settings.options.rate},
                                            listed("--algorithms", algorithms_), options, takes_forced_);
    std::string told = text_of(options, options_);
    if (settings.bytes < size_of(type))
        fail_usage(fmt::format("--bytes is {}; give at least one element of {} bytes", bytes_, size_of(type)));
    if (data_ == "-") fail_usage("--data is '-'; every rank reads the field, so give a file");
    buffer field = read_array(data_, type, name_a_file);
    if (field.size() == 0) fail_data(fmt::format("'{}' is empty; give a field with at least one value", data_));
    return {std::move(settings), type, std::move(field), std::move(told)};
}

std::string collective_arguments::fingerprint(const collective_work& work) const {
    const collective_settings& all = work.settings;
    return fmt::format(
        "--op {} --reduction {} --algorithms {} --type {} --bytes {} --bound {}:{}{}, a field of {} bytes", op_,
        reduction_, fmt::join(all.algorithms, ","), codec::name_of(work.type), all.bytes,
        static_cast<int>(all.options.limit.kind), all.options.limit.value, work.options, work.field.size());
}

bool collective_arguments::names_forced() const {
    const std::vector<std::string> names = listed("--algorithms", algorithms_);
    return std::any_of(names.begin(), names.end(), [](const std::string& name) { return is_forced(name); });
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

std::size_t bytes_that_run(const collective_work& work, int ranks) noexcept {
    const std::size_t element_bytes = size_of(work.type);
    return common_count(work.settings.bytes, element_bytes, ranks) * element_bytes;
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
