// SPDX-License-Identifier: BSD-3-Clause
// Engine per_patch, the paper's: a message for each piece of a patch, of a derived datatype, sent and received in
// place.
#include <climits>
#include <string>

#include "redistribute/exchange/datatypes.hpp"

namespace laconic::redistribute {
namespace {

constexpr int piece_tag = 2;

class per_patch_engine final : public engine {
public:
    per_patch_engine(const engine_setup& setup, const streams& outgoing, const streams& incoming)
        : channel_(setup.channel),
          outgoing_(outgoing),
          incoming_(incoming),
          fields_(setup.todo.fields),
          types_(setup.channel, setup.element.bytes) {}

    [[nodiscard]] status prepare() override {
        if (status bad = make_messages(incoming_, receives_); !bad.ok()) return bad;
        if (status bad = make_messages(outgoing_, sends_); !bad.ok()) return bad;
        const std::size_t count = (receives_.size() + sends_.size()) * fields_;
        if (count > INT_MAX)
            return {errc::unsupported,
                    std::to_string(count) + " messages are more than MPI can wait for; use engine auto"};
        requests_.resize(count, MPI_REQUEST_NULL);
        finished_.resize(count);
        return {};
    }

    [[nodiscard]] status start(run_context& run) override {
        run_ = &run;
        open_ = requests_.size();
        std::size_t next = 0;
        for (const message& each : receives_)
            for (std::byte* const out : run.arrays.out)
                if (status bad = channel_.check(MPI_Irecv(out + each.first, 1, each.type, each.peer, piece_tag,
                                                          channel_.comm(), &requests_[next++]),
                                                "MPI_Irecv");
                    !bad.ok())
                    return bad;
        for (const message& each : sends_)
            for (const std::byte* const in : run.arrays.in) {
                if (status bad = channel_.check(MPI_Isend(in + each.first, 1, each.type, each.peer, piece_tag,
                                                          channel_.comm(), &requests_[next++]),
                                                "MPI_Isend");
                    !bad.ok())
                    return bad;
                run.report->message_bytes += static_cast<std::uint64_t>(each.bytes);
            }
        run.report->wire_bytes = run.report->message_bytes;
        return {};
    }

    [[nodiscard]] result<step> advance() override {
        if (open_ == 0) return step::done;
        int count = 0;
        if (status bad = channel_.check(MPI_Waitsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                                                     finished_.data(), MPI_STATUSES_IGNORE),
                                        "MPI_Waitsome");
            !bad.ok())
            return bad;
        for (int i = 0; i < count; ++i) {
            const std::size_t which = static_cast<std::size_t>(finished_[static_cast<std::size_t>(i)]) / fields_;
            if (which < receives_.size()) run_->arrivals->arrived(receives_[which].patch, receives_[which].bytes);
        }
        open_ -= static_cast<std::size_t>(count);
        return open_ == 0 ? step::done : step::moved;
    }

    [[nodiscard]] bool blocks() const noexcept override { return true; }

private:
    struct message {
        int peer;
        MPI_Datatype type;
        std::int64_t first, bytes;  // of the piece
        std::uint32_t patch;
    };

    [[nodiscard]] status make_messages(const streams& all, std::vector<message>& messages) {
        for (const stream* each : all)
            for (const part& piece : each->parts) {
                const auto type = types_.of(piece.rows);
                if (!type) return type.error();
                messages.push_back({each->peer, *type, piece.rows.first[0], piece.rows.bytes(), piece.patch});
            }
        return {};
    }

    mpi::channel& channel_;
    streams outgoing_, incoming_;
    std::size_t fields_;
    datatypes types_;
    std::vector<message> receives_, sends_;
    std::vector<MPI_Request> requests_;  // of receives, then of sends; field by field
    std::vector<int> finished_;
    std::size_t open_ = 0;
    run_context* run_ = nullptr;
};

}  // namespace

std::unique_ptr<engine> make_per_patch(const engine_setup& setup, const streams& outgoing, const streams& incoming) {
    return std::make_unique<per_patch_engine>(setup, outgoing, incoming);
}

}  // namespace laconic::redistribute
