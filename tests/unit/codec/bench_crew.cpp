// SPDX-License-Identifier: BSD-3-Clause
// What threads gain on one message: sizes and a number of threads flow in, microseconds of one thread and of all flow
// out, as medians of calls, forty of each in turns. "hot": call after call, as where messages queue; "cold": with a
// pause in between in which the other threads fall asleep, as where the network is slow.
//     cmake --build build --target bench_crew && build/bin/bench_crew 2
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "codec/crew.hpp"
#include "fields.hpp"

namespace {

using namespace laconic;
using clock_type = std::chrono::steady_clock;

double median(std::vector<double> of) {
    std::nth_element(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2), of.end());
    return of[of.size() / 2];
}

void measure(unsigned threads, std::size_t chunks, std::chrono::milliseconds pause) {
    const std::size_t count = chunks * codec::chunk_values;
    const auto x = testing::make_field<float>("smooth", count);
    const auto choice = codec::choose_step<float>(1e-3, 10);
    const auto& how = choice.contribution;
    std::vector<std::byte> stream(codec::bare_sum_bound(element_type::f32, count)), out(stream.size());
    std::vector<std::byte> memory(codec::crew::memory_for(threads, element_type::f32, count));
    stream.resize(codec::encode<float>(std::span<const float>(x), how, stream).bytes);
    std::vector<float> y(count);
    codec::crew all(threads);
    all.use_memory(memory);
    const codec::crew one;
    const auto run = [&](int what, const codec::crew& with) {
        if (what == 0) codec::encode<float>(std::span<const float>(x), how, out, with);
        if (what == 1)
            static_cast<void>(codec::add_values<float>(std::span<const float>(x), how, stream, 1 << 20, out, with));
        if (what == 2)
            static_cast<void>(codec::decode<float>(stream, choice.result_step, 1 << 20, std::span(y), 1, with));
    };
    std::printf("%6zu KiB %s", count * sizeof(float) / 1024, pause.count() > 0 ? "cold" : "hot ");
    for (int what = 0; what < 3; ++what) {
        std::vector<double> alone, together;
        constexpr int in_a_row = 40;
        for (int round = 0; round < (pause.count() > 0 ? 2 : 10); ++round)
            for (int call = 0; call < 2 * in_a_row; ++call) {
                const bool several = call >= in_a_row;
                if (pause.count() > 0) std::this_thread::sleep_for(pause);
                const auto start = clock_type::now();
                run(what, several ? all : one);
                const double us = std::chrono::duration<double, std::micro>(clock_type::now() - start).count();
                (several ? together : alone).push_back(us);
            }
        const double a = median(alone), b = median(together);
        constexpr const char* names[]{"encode", "fused", "decode"};
        std::printf("   %s %7.1f -> %7.1f us (%.2fx)", names[what], a, b, a / b);
    }
    std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
    const unsigned threads = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 2;
    for (const int pause : {0, 20})
        for (const std::size_t chunks : {16U, 32U, 64U, 128U, 256U, 1024U})
            measure(threads, chunks, std::chrono::milliseconds(pause));
    return 0;
}
