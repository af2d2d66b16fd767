// SPDX-License-Identifier: BSD-3-Clause
// The order in which OTF2 wants its calls, and its errors as failures of the command.
#include "cli/otf2_archive.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdarg>
#include <memory>
#include <new>

#include "cli/command.hpp"

namespace laconic::cli {
namespace {

namespace fs = std::filesystem;

/// A definition (a communicator's group) must fit into a chunk.
constexpr std::uint64_t event_chunk_bytes = std::uint64_t{1} << 20, definition_chunk_bytes = std::uint64_t{16} << 20;

/// The library would print; the command says what failed, once. What the library does not hand on, as when a file
/// cannot be written to its end, is kept in `first`.
OTF2_ErrorCode note(void* first, const char*, std::uint64_t, const char*, OTF2_ErrorCode code, const char*,
                    std::va_list) {
    auto& kept = *static_cast<OTF2_ErrorCode*>(first);
    if (kept == OTF2_SUCCESS) kept = code;
    return code;
}

/// The library's own memory is 128 MiB per writer before it writes any of it to the file. Two chunks do.
using chunks = std::vector<std::unique_ptr<std::byte[]>>;

void* allocate_chunk(void*, OTF2_FileType, OTF2_LocationRef, void** kept, std::uint64_t size) {
    constexpr std::size_t most_chunks = 2;
    try {
        if (*kept == nullptr) *kept = new chunks;
        auto& all = *static_cast<chunks*>(*kept);
        if (all.size() == most_chunks) return nullptr;
        all.push_back(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(size)));
        return all.back().get();
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void free_chunks(void*, OTF2_FileType, OTF2_LocationRef, void** kept, bool last) {
    auto* const all = static_cast<chunks*>(*kept);
    if (all == nullptr) return;
    all->clear();
    if (!last) return;
    delete all;
    *kept = nullptr;
}

/// Full chunks go to the file; without a time after it, no event tells of it.
OTF2_FlushType flush_always(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }

}  // namespace

void otf2_check(OTF2_ErrorCode code, const char* what) {
    if (code == OTF2_SUCCESS) return;
    fail_data(fmt::format("OTF2 cannot write {}: {}", what, OTF2_Error_GetDescription(code)));
}

otf2_archive::otf2_archive(const std::string& folder) : otf2_archive() {
    folder_ = folder;
    while (!folder_.has_filename() && folder_.has_parent_path()) folder_ = folder_.parent_path();
    std::error_code error;
    if (fs::exists(fs::symlink_status(folder_, error)))
        fail_data(fmt::format("cannot write '{}': it exists already; remove it, or give -o the name of a new folder",
                              folder));
    const fs::path temporary = folder_.parent_path() / fmt::format(".laconic-{}.otf2.tmp", ::getpid());
    if (!fs::create_directory(temporary, error))
        fail_data(fmt::format("cannot write '{}': {}; give -o a new folder in a writable directory", folder,
                              error ? error.message() : "another export is under way"));
    temporary_ = temporary;
    OTF2_Error_RegisterCallback(note, &first_error_);
    OTF2_Archive* const opened = OTF2_Archive_Open(temporary_.c_str(), "traces", OTF2_FILEMODE_WRITE, event_chunk_bytes,
                                                   definition_chunk_bytes, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (opened == nullptr) fail_data(fmt::format("cannot write '{}': OTF2 refuses to open an archive there", folder));
    // Without these the library cannot even close it: it aborts.
    otf2_check(OTF2_Archive_SetSerialCollectiveCallbacks(opened), "the archive");
    archive_ = opened;
    static const OTF2_FlushCallbacks flushes{flush_always, nullptr};
    otf2_check(OTF2_Archive_SetFlushCallbacks(archive_, &flushes, nullptr), "the archive");
    static const OTF2_MemoryCallbacks memory{allocate_chunk, free_chunks};
    otf2_check(OTF2_Archive_SetMemoryCallbacks(archive_, &memory, nullptr), "the archive");
    otf2_check(OTF2_Archive_SetCreator(archive_, "laconic " LACONIC_VERSION), "the archive");
    otf2_check(OTF2_Archive_OpenEvtFiles(archive_), "the archive");
}

otf2_archive::~otf2_archive() {
    if (archive_ != nullptr) OTF2_Archive_Close(archive_);
    OTF2_Error_RegisterCallback(nullptr, nullptr);
    std::error_code error;
    if (!temporary_.empty()) fs::remove_all(temporary_, error);
}

OTF2_EvtWriter* otf2_archive::open_events(OTF2_LocationRef location) {
    OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive_, location);
    if (writer == nullptr) fail_data(fmt::format("OTF2 cannot write the events of location {}", location));
    return writer;
}

std::uint64_t otf2_archive::close_events(OTF2_EvtWriter* writer) {
    std::uint64_t events = 0;
    otf2_check(OTF2_EvtWriter_GetNumberOfEvents(writer, &events), "events");
    otf2_check(OTF2_Archive_CloseEvtWriter(archive_, writer), "events");
    return events;
}

OTF2_GlobalDefWriter* otf2_archive::begin_definitions(const std::vector<OTF2_LocationRef>& locations) {
    otf2_check(OTF2_Archive_CloseEvtFiles(archive_), "events");
    // A reader looks for definitions of each location, although all stand in one file.
    otf2_check(OTF2_Archive_OpenDefFiles(archive_), "definitions");
    for (const OTF2_LocationRef each : locations) {
        OTF2_DefWriter* const writer = OTF2_Archive_GetDefWriter(archive_, each);
        if (writer == nullptr) fail_data(fmt::format("OTF2 cannot write the definitions of location {}", each));
        otf2_check(OTF2_Archive_CloseDefWriter(archive_, writer), "definitions");
    }
    otf2_check(OTF2_Archive_CloseDefFiles(archive_), "definitions");
    definitions_ = OTF2_Archive_GetGlobalDefWriter(archive_);
    if (definitions_ == nullptr) fail_data("OTF2 cannot write the definitions");
    return definitions_;
}

OTF2_StringRef otf2_archive::text(std::string_view of) {
    if (const auto at = texts_.find(of); at != texts_.end()) return at->second;
    const auto made = static_cast<OTF2_StringRef>(texts_.size());
    const auto at = texts_.emplace(of, made).first;
    otf2_check(OTF2_GlobalDefWriter_WriteString(definitions_, made, at->first.c_str()), "definitions");
    return made;
}

void otf2_archive::commit() {
    otf2_check(OTF2_Archive_CloseGlobalDefWriter(archive_, definitions_), "definitions");
    OTF2_Archive* const closing = archive_;
    archive_ = nullptr;
    otf2_check(OTF2_Archive_Close(closing), "the archive");
    otf2_check(first_error_, "the archive");
    std::error_code error;
    // Renaming over an empty folder would succeed.
    if (fs::exists(fs::symlink_status(folder_, error)))
        fail_data(fmt::format("cannot write '{}': it has come to be meanwhile", folder_.string()));
    fs::rename(temporary_, folder_, error);
    if (error) fail_data(fmt::format("cannot write '{}': {}", folder_.string(), error.message()));
    temporary_.clear();
}

}  // namespace laconic::cli
