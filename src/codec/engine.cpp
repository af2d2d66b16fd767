// SPDX-License-Identifier: BSD-3-Clause
// Which engine runs: the fastest that the processor can run, unless LACONIC_FORCE_ISA or use_engine() says otherwise.
#include "codec/engine.hpp"

#include <array>
#include <atomic>
#include <cstdlib>
#include <string>

namespace laconic {
namespace codec {
namespace {

struct candidate {
    const engine* what;
    bool (*runs_here)() noexcept;
};

// Every processor with AVX2 has F16C, which clang 14 cannot ask for. __builtin_cpu_supports also asks the operating
// system whether it saves the wide registers.
constexpr std::array candidates {
    candidate{&scalar_engine, []() noexcept { return true; }},
#if defined(LACONIC_X86_ENGINES)
        candidate{&avx2_engine,
                  []() noexcept { return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0; }},
        candidate{&avx512_engine, []() noexcept {
                      return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                             __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                             __builtin_cpu_supports("avx512vbmi") != 0 && __builtin_cpu_supports("gfni") != 0 &&
                             __builtin_cpu_supports("bmi2") != 0;
                  }},
#elif defined(LACONIC_ARM_ENGINES)
        candidate{&neon_engine, []() noexcept { return true; }},
#endif
};

struct roster {
    std::array<std::string_view, candidates.size()> names{};
    std::array<const engine*, candidates.size()> engines{};
    std::size_t count = 0;
    const engine* forced = nullptr;
    std::string forced_name;

    roster() {
        for (const candidate& c : candidates) {
            if (!c.runs_here()) continue;
            names[count] = c.what->name;
            engines[count++] = c.what;
        }
        if (const char* name = std::getenv("LACONIC_FORCE_ISA"); name != nullptr && *name != '\0') {
            forced_name = name;
            forced = find(forced_name);
        }
    }
    [[nodiscard]] const engine* find(std::string_view name) const noexcept {
        for (std::size_t i = 0; i < count; ++i)
            if (names[i] == name) return engines[i];
        return nullptr;
    }
    [[nodiscard]] const engine* initial() const noexcept { return forced != nullptr ? forced : engines[count - 1]; }
};

const roster& known() {
    static const roster engines;
    return engines;
}

std::atomic<const engine*>& chosen() noexcept {
    static std::atomic<const engine*> now{known().initial()};
    return now;
}

status refuse(std::string_view name) {
    std::string text = "engine '" + std::string(name) + "' does not exist or cannot run on this processor; use ";
    for (std::size_t i = 0; i < known().count; ++i) text.append(i == 0 ? "" : ", ").append(known().names[i]);
    return {errc::unsupported, text};
}

}  // namespace

const engine& current_engine() noexcept { return *chosen().load(std::memory_order_relaxed); }

template <>
const kernels<float>& current_kernels<float>() noexcept {
    return current_engine().f32;
}
template <>
const kernels<double>& current_kernels<double>() noexcept {
    return current_engine().f64;
}
template <>
const kernels<half>& current_kernels<half>() noexcept {
    return current_engine().f16;
}
template <>
const kernels<bfloat16>& current_kernels<bfloat16>() noexcept {
    return current_engine().bf16;
}

}  // namespace codec

std::string_view engine_name() noexcept { return codec::current_engine().name; }

status check_engine() {
    const auto& engines = codec::known();
    if (engines.forced_name.empty() || engines.forced != nullptr) return {};
    return codec::refuse(engines.forced_name);
}

std::span<const std::string_view> available_engines() noexcept {
    return {codec::known().names.data(), codec::known().count};
}

status use_engine(std::string_view name) {
    const codec::engine* const found = codec::known().find(name);
    if (found == nullptr) return codec::refuse(name);
    codec::chosen().store(found, std::memory_order_relaxed);
    return {};
}

}  // namespace laconic
