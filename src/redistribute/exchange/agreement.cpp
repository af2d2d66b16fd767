// SPDX-License-Identifier: BSD-3-Clause
// Everything travels as an order-preserving integer under MPI_MAX, next to its complement where the least is wanted,
// too.
#include "redistribute/exchange/agreement.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "base/units.hpp"
#include "redistribute/no_memory.hpp"

namespace laconic::redistribute {
namespace {

constexpr int text_bytes = 600;
constexpr int agreement_tag = 4;

/// Highest code first, then lowest rank; 0 for ok.
std::int64_t failure_key(const status& local, int rank) noexcept {
    return local.ok() ? 0 : (static_cast<std::int64_t>(local.code()) << 32) | (INT32_MAX - rank);
}

/// Collective: the failure behind a key, known to the rank that it is of. `heard`: all have heard of it.
status tell(mpi::channel& channel, std::int64_t key, const status& local, bool& heard) {
    const int teller = INT32_MAX - static_cast<int>(key & INT32_MAX);
    std::array<char, text_bytes> text{};
    if (teller == channel.rank()) local.context().copy(text.data(), text.size() - 1);
    if (status bad = channel.check(MPI_Bcast(text.data(), text_bytes, MPI_CHAR, teller, channel.comm()), "MPI_Bcast");
        !bad.ok())
        return bad;
    heard = true;
    const auto code = static_cast<errc>(key >> 32);
    try {
        return {code, "rank " + std::to_string(teller) + ": " + text.data()};
    } catch (const std::bad_alloc&) {
        return {code, "no memory"};
    }
}

status tell(mpi::channel& channel, std::int64_t key, const status& local) {
    bool heard = false;
    return tell(channel, key, local, heard);
}

/// Doubles in the order of integers.
std::int64_t to_ordered(double value) noexcept {
    const auto bits = std::bit_cast<std::int64_t>(value + 0.0);  // -0.0 becomes 0.0
    return bits < 0 ? bits ^ INT64_MAX : bits;
}
double from_ordered(std::int64_t ordered) noexcept {
    return std::bit_cast<double>(ordered < 0 ? ordered ^ INT64_MAX : ordered);
}

class hash {
public:
    void add(std::int64_t number) noexcept {
        // The finaliser of splitmix64 over a running sum.
        state_ += 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(number);
        state_ = (state_ ^ (state_ >> 30)) * 0xbf58476d1ce4e5b9U;
        state_ = (state_ ^ (state_ >> 27)) * 0x94d049bb133111ebU;
        state_ ^= state_ >> 31;
    }
    void add(const box& region) noexcept {
        add(static_cast<std::int64_t>(region.dimensions));
        for (std::size_t d = 0; d < region.dimensions; ++d) {
            add(region.lower[d]);
            add(region.upper[d]);
        }
    }
    [[nodiscard]] std::int64_t value() const noexcept { return static_cast<std::int64_t>(state_); }

private:
    std::uint64_t state_ = 0;
};

std::int64_t hash_of_boxes(const layout& from, rank_number rank) {
    hash made;
    for (const box& each : from.boxes_of(rank)) made.add(each);
    return made.value();
}

struct fact {
    const char* name;
    std::int64_t value;
    std::string (*describe)(std::int64_t);  ///< null: a hash, which says nothing
};

std::string number_text(std::int64_t value) { return std::to_string(value); }
std::string flag_text(std::int64_t value) { return value != 0 ? "on" : "off"; }
std::string engine_text(std::int64_t value) { return std::string(name_of(static_cast<exchange_engine>(value))); }
std::string type_text(std::int64_t value) {
    constexpr std::array names{"of no known type", "float", "double", "half", "bfloat16"};
    return names[static_cast<std::size_t>(value) % names.size()];
}
std::string bound_text(std::int64_t value) { return base::format_real(from_ordered(value)); }
std::string kind_text(std::int64_t value) { return value != 0 ? "relative" : "absolute"; }

constexpr std::size_t facts = 13;
constexpr std::size_t layout_fact = 0, owners_fact = 2;

std::array<fact, facts> facts_of(const plan& what, exchange_element element, const exchange_options& options) {
    hash from, to, owners;
    from.add(what.from().domain());
    for (rank_number rank = 0; rank < what.from().ranks(); ++rank) from.add(hash_of_boxes(what.from(), rank));
    to.add(what.to().domain());
    for (std::size_t d = 0; d < what.to().domain().dimensions; ++d)
        for (const std::int64_t cut : what.to().cuts(d)) to.add(cut);
    for (const rank_number owner : what.owners()) owners.add(owner);
    return {{{"layout", from.value(), nullptr},
             {"patch grid", to.value(), nullptr},
             {"placement", owners.value(), nullptr},
             {"size of an element", static_cast<std::int64_t>(element.bytes), number_text},
             {"type", element.type ? static_cast<std::int64_t>(*element.type) : 0, type_text},
             {"number of fields", static_cast<std::int64_t>(options.fields), number_text},
             {"engine", static_cast<std::int64_t>(options.engine), engine_text},
             {"batch_bytes", static_cast<std::int64_t>(options.batch_bytes), number_text},
             {"error bound", to_ordered(options.limit.value), bound_text},
             {"kind of error bound", options.limit.kind == bound_kind::relative ? 1 : 0, kind_text},
             {"shared_memory", options.shared_memory ? 1 : 0, flag_text},
             {"check", options.check ? 1 : 0, flag_text},
             {"shared_in", options.shared_in ? 1 : 0, flag_text}}};
}

/// Collective: rank 0's numbers, on all ranks.
status of_rank_0(mpi::channel& channel, std::span<std::int64_t> numbers) {
    return channel.check(MPI_Bcast(numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T, 0, channel.comm()),
                         "MPI_Bcast");
}

/// What this rank's layout or placement has that rank 0's, told by its numbers, has not.
std::string first_difference(std::size_t which, const plan& what, const std::vector<std::int64_t>& mine,
                             const std::vector<std::int64_t>& first) {
    const auto at = std::mismatch(mine.begin(), mine.end(), first.begin()).first - mine.begin();
    if (at == static_cast<std::ptrdiff_t>(mine.size())) return {};
    if (which == owners_fact)
        return ": here patch " + std::to_string(at) + ", " + what.to().patch(static_cast<patch_number>(at)).text() +
               ", goes to rank " + std::to_string(mine[static_cast<std::size_t>(at)]) + ", there to rank " +
               std::to_string(first[static_cast<std::size_t>(at)]);
    std::string boxes;
    for (const box& each : what.from().boxes_of(static_cast<rank_number>(at))) {
        if (boxes.size() > 200) {
            boxes += " ...";
            break;
        }
        boxes += (boxes.empty() ? "" : ", ") + each.text();
    }
    return ": here the array is " + what.from().domain().text() + " and rank " + std::to_string(at) + " holds " +
           (boxes.empty() ? "nothing" : boxes);
}

/// Collective: a sentence of the lowest rank that differs from rank 0 in this fact.
status explain(mpi::channel& channel, const plan& what, const fact& mine, std::size_t which) {
    std::vector<std::int64_t> own, others;
    // The same length everywhere: as many ranks as the communicator has; grids agree where owners are looked at.
    const auto look = [&]() -> status {
        if (which == layout_fact)
            for (rank_number rank = 0; rank < what.from().ranks(); ++rank)
                own.push_back(hash_of_boxes(what.from(), rank));
        if (which == owners_fact) own.assign(what.owners().begin(), what.owners().end());
        others = own;
        return {};
    };
    const std::size_t numbers = which == owners_fact ? what.owners().size() : static_cast<std::size_t>(channel.size());
    const status found = or_no_memory(look, [&] {
        return no_memory("finding where ranks differ", 2 * numbers * sizeof(std::int64_t), "give all ranks the same");
    });
    if (status bad = all_ok(channel, found); !bad.ok()) return bad;
    std::array<std::int64_t, 1> first{mine.value};
    if (status bad = of_rank_0(channel, first); !bad.ok()) return bad;
    if (!own.empty())
        if (status bad = of_rank_0(channel, others); !bad.ok()) return bad;
    int teller = mine.value != first[0] ? channel.rank() : INT32_MAX;
    if (status bad =
            channel.check(MPI_Allreduce(MPI_IN_PLACE, &teller, 1, MPI_INT, MPI_MIN, channel.comm()), "MPI_Allreduce");
        !bad.ok())
        return bad;
    status told;
    const auto write = [&]() -> status {
        std::string text = std::string(mine.name) + " differs from that of rank 0";
        if (mine.describe != nullptr)
            text += ": " + mine.describe(mine.value) + " instead of " + mine.describe(first[0]);
        else
            text += first_difference(which, what, own, others);
        return {errc::mismatch, text + "; give all ranks the same"};
    };
    // Whatever the text says, the others wait for it.
    if (teller == channel.rank())
        told = or_no_memory(write, []() noexcept { return status(errc::mismatch, "no memory"); });
    return tell(channel, failure_key({errc::mismatch, ""}, teller), told);
}

}  // namespace

status all_ok(mpi::channel& channel, const status& local) {
    std::int64_t key = failure_key(local, channel.rank());
    if (status bad =
            channel.check(MPI_Allreduce(MPI_IN_PLACE, &key, 1, MPI_INT64_T, MPI_MAX, channel.comm()), "MPI_Allreduce");
        !bad.ok())
        return bad;
    return key == 0 ? status{} : tell(channel, key, local);
}

status same_everywhere(mpi::channel& channel, const plan& what, exchange_element element,
                       const exchange_options& options) {
    std::array<fact, facts> mine{};
    const auto look = [&]() -> status {
        mine = facts_of(what, element, options);
        return {};
    };
    // Boxes of one rank at a time are looked at.
    const status found =
        or_no_memory(look, [&] { return no_memory("a look at the layout", sizeof(box), "use fewer boxes"); });
    std::array<std::int64_t, 2 * facts + 1> packet{};
    packet.back() = failure_key(found, channel.rank());
    for (std::size_t i = 0; i < facts; ++i) {
        packet[i] = mine[i].value;
        packet[facts + i] = ~mine[i].value;
    }
    if (status bad = channel.check(MPI_Allreduce(MPI_IN_PLACE, packet.data(), static_cast<int>(packet.size()),
                                                 MPI_INT64_T, MPI_MAX, channel.comm()),
                                   "MPI_Allreduce");
        !bad.ok())
        return bad;
    if (packet.back() != 0) return tell(channel, packet.back(), found);
    for (std::size_t i = 0; i < facts; ++i)
        if (packet[i] != ~packet[facts + i]) return explain(channel, what, mine[i], i);
    return {};
}

void run_agreement::set_range(std::size_t field, double min, double max) noexcept {
    packet_[2 + 2 * field] = to_ordered(max);
    packet_[3 + 2 * field] = ~to_ordered(min);
}

void run_agreement::clear_ranges() noexcept { std::fill_n(packet_.get(), numbers_, INT64_MIN); }

status run_agreement::start(mpi::channel& channel, const status& local) {
    channel_ = &channel;
    refused_ = false;
    packet_[0] = failure_key(local, channel.rank());
    stride_ = 1;
    return begin_round();
}

status run_agreement::begin_round() {
    const int ranks = channel_->size(), me = channel_->rank(), count = static_cast<int>(numbers_);
    under_way_ = 0;
    std::int64_t* arriving = packet_.get();
    for (int i = 1; i < radix && i * std::int64_t{stride_} < ranks; ++i) {
        const int from = (me + ranks - i * stride_) % ranks, to = (me + i * stride_) % ranks;
        arriving += numbers_;
        MPI_Request* const two = &requests_[static_cast<std::size_t>(under_way_)];
        if (status bad = channel_->check(
                MPI_Irecv(arriving, count, MPI_INT64_T, from, agreement_tag, channel_->comm(), &two[0]), "MPI_Irecv");
            !bad.ok())
            return bad;
        ++under_way_;
        if (status bad = channel_->check(
                MPI_Isend(packet_.get(), count, MPI_INT64_T, to, agreement_tag, channel_->comm(), &two[1]),
                "MPI_Isend");
            !bad.ok())
            return bad;
        ++under_way_;
    }
    return {};
}

void run_agreement::end_round() noexcept {
    const auto arrived = static_cast<std::size_t>(under_way_) / 2;
    for (std::size_t i = 1; i <= arrived; ++i)
        for (std::size_t k = 0; k < numbers_; ++k) packet_[k] = std::max(packet_[k], packet_[i * numbers_ + k]);
    under_way_ = 0;
}

status run_agreement::test(const status& local, bool waits, bool& over) {
    while (under_way_ > 0) {
        int there = 1;
        const int code = waits ? MPI_Waitall(under_way_, requests_.data(), MPI_STATUSES_IGNORE)
                               : MPI_Testall(under_way_, requests_.data(), &there, MPI_STATUSES_IGNORE);
        if (status bad = channel_->check(code, waits ? "MPI_Waitall" : "MPI_Testall"); !bad.ok()) return bad;
        if (there == 0) return {};
        end_round();
        if (stride_ > channel_->size() / radix) break;
        stride_ *= radix;
        if (status bad = begin_round(); !bad.ok()) return bad;
    }
    over = true;
    return packet_[0] == 0 ? status{} : tell(*channel_, packet_[0], local, refused_);
}

value_limits run_agreement::range(std::size_t field) const noexcept {
    const std::int64_t greatest = packet_[2 + 2 * field], least = packet_[3 + 2 * field];
    if (greatest == INT64_MIN) return {};
    return {true, from_ordered(~least), from_ordered(greatest)};
}

}  // namespace laconic::redistribute
