// SPDX-License-Identifier: BSD-3-Clause
// An OTF2 archive that is being written by one process: definitions and events flow in, a folder flows out, under its
// name only when it is complete. What the library refuses ends the command.
#pragma once

#include <otf2/otf2.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace laconic::cli {

/// Throws a data failure that names `what` unless the library succeeded.
void otf2_check(OTF2_ErrorCode code, const char* what);

class otf2_archive {
public:
    /// Throws a data failure when `folder` exists or cannot be made.
    explicit otf2_archive(const std::string& folder);
    ~otf2_archive();
    otf2_archive(const otf2_archive&) = delete;
    otf2_archive& operator=(const otf2_archive&) = delete;

    [[nodiscard]] OTF2_EvtWriter* open_events(OTF2_LocationRef location);
    /// How many events were written.
    std::uint64_t close_events(OTF2_EvtWriter* writer);
    /// After all events; then definitions.
    OTF2_GlobalDefWriter* begin_definitions(const std::vector<OTF2_LocationRef>& locations);
    [[nodiscard]] OTF2_GlobalDefWriter* definitions() noexcept { return definitions_; }
    /// A string of the definitions, written once.
    [[nodiscard]] OTF2_StringRef text(std::string_view of);
    /// Closes everything and gives the folder its name.
    void commit();

private:
    /// With nothing to write: from here on the destructor clears what a failure leaves.
    otf2_archive() = default;

    std::filesystem::path folder_, temporary_;
    OTF2_Archive* archive_ = nullptr;
    OTF2_ErrorCode first_error_ = OTF2_SUCCESS;
    OTF2_GlobalDefWriter* definitions_ = nullptr;
    std::map<std::string, OTF2_StringRef, std::less<>> texts_;
};

}  // namespace laconic::cli
