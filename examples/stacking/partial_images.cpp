// SPDX-License-Identifier: BSD-3-Clause
// A rank's share of the partial images: file names or a survey plan flow in, their local sum flows out.
#include "partial_images.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <new>
#include <string>
#include <type_traits>

#include "agreement.hpp"

namespace stacking {
namespace {

using laconic::errc;
using laconic::status;

struct place {
    std::size_t rank, ranks;
};

status bad_size(const std::string& file, std::uintmax_t bytes, const settings& wanted, std::size_t image_bytes) {
    return {errc::mismatch, '\'' + file + "' has " + std::to_string(bytes) + " bytes, which is not a whole number of " +
                                std::to_string(wanted.nx) + 'x' + std::to_string(wanted.nz) + 'x' +
                                std::to_string(wanted.panels) + " images of " + std::to_string(image_bytes) +
                                " bytes; check --dims and --type"};
}

template <class T>
status read_files(const settings& wanted, place here, contribution<T>& into) {
    const std::size_t image_bytes = wanted.image_values() * sizeof(T);
    std::vector<T> image(wanted.image_values());
    for (const std::string& file : wanted.files) {
        std::error_code failure;
        const std::uintmax_t bytes = std::filesystem::file_size(file, failure);
        if (failure) return {errc::io, "cannot read '" + file + "': " + failure.message() + "; check the name"};
        if (bytes == 0 || bytes % image_bytes != 0) return bad_size(file, bytes, wanted, image_bytes);
        std::ifstream stream(file, std::ios::binary);
        for (std::size_t i = 0; i < bytes / image_bytes; ++i) {
            if (into.partial_images++ % here.ranks != here.rank) continue;
            stream.seekg(static_cast<std::streamoff>(i * image_bytes));
            stream.read(reinterpret_cast<char*>(image.data()), static_cast<std::streamsize>(image_bytes));
            if (!stream) return {errc::io, "cannot read '" + file + "' to its end; is it being written?"};
            std::transform(image.begin(), image.end(), into.values.begin(), into.values.begin(), std::plus<>());
        }
    }
    return {};
}

void compute(const settings& wanted, place here, contribution<float>& into) {
    migration images(wanted.plan);
    for (std::size_t shot = here.rank; shot < wanted.plan.shots; shot += here.ranks) images.add_shot(shot, into.values);
    into.partial_images = wanted.plan.shots;
    into.earth = images.earth();
}

status save(const settings& wanted, place here, const std::vector<float>& values) {
    std::error_code failure;
    const std::string name = (wanted.save / ("partial-" + std::to_string(here.rank) + ".f32")).string();
    std::ofstream stream(name + ".part", std::ios::binary);
    stream.write(reinterpret_cast<const char*>(values.data()),
                 static_cast<std::streamsize>(values.size() * sizeof(float)));
    stream.close();
    if (stream) std::filesystem::rename(name + ".part", name, failure);
    if (stream && !failure) return {};
    std::filesystem::remove(name + ".part", failure);
    return {errc::io, "cannot write '" + name + "'; choose another directory with --save"};
}

}  // namespace

template <class T>
laconic::result<contribution<T>> gather_partial_images(const settings& wanted, MPI_Comm comm) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const place here{static_cast<std::size_t>(rank), static_cast<std::size_t>(ranks)};
    contribution<T> mine;
    status outcome;
    const double start = MPI_Wtime();
    try {
        mine.values.resize(wanted.image_values());
        if (!wanted.files.empty()) outcome = read_files(wanted, here, mine);
        // Computed images are float; parse_command_line() refuses anything else.
        if constexpr (std::is_same_v<T, float>) {
            if (wanted.files.empty()) compute(wanted, here, mine);
            if (!wanted.save.empty()) outcome = save(wanted, here, mine.values);
        }
    } catch (const std::bad_alloc&) {
        outcome = {errc::out_of_memory, "not enough memory for images of " + std::to_string(wanted.image_values()) +
                                            " values; use a smaller --grid or fewer --panels"};
    }
    outcome = agreed(outcome, comm);
    if (!outcome.ok()) return outcome;
    const double seconds = MPI_Wtime() - start;
    MPI_Allreduce(&seconds, &mine.seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
    return mine;
}

template laconic::result<contribution<float>> gather_partial_images(const settings&, MPI_Comm);
template laconic::result<contribution<double>> gather_partial_images(const settings&, MPI_Comm);

}  // namespace stacking
