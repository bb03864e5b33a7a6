#include "core/base/instruction_sets.h"

#include <cstdlib>
#include <string_view>

namespace dlscope::core {
namespace {

enum class Most { baseline, avx2, all };

// For measuring: DLSCOPE_SIMD=avx2 or baseline in the environment says that the processor supports no more than that. Read once.
[[maybe_unused]] Most most_wanted() {
  static const Most most = [] {
    const char* const wanted = std::getenv("DLSCOPE_SIMD");
    const std::string_view name = wanted == nullptr ? "" : wanted;
    return name == "baseline" ? Most::baseline : name == "avx2" ? Most::avx2 : Most::all;
  }();
  return most;
}

}  // namespace

#ifdef __x86_64__

bool has_avx2() {
  __builtin_cpu_init();
  return most_wanted() >= Most::avx2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c") && __builtin_cpu_supports("pclmul") &&
         __builtin_cpu_supports("aes");
}

bool has_avx512() {
  return most_wanted() == Most::all && has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}

#else

bool has_avx2() { return false; }
bool has_avx512() { return false; }

#endif

}  // namespace dlscope::core
