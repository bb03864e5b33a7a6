#include "core/base/instruction_sets.h"

namespace dlscope::core {

#ifdef __x86_64__

bool has_avx2() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c") && __builtin_cpu_supports("pclmul") &&
         __builtin_cpu_supports("aes");
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}

#else

bool has_avx2() { return false; }
bool has_avx512() { return false; }

#endif

}  // namespace dlscope::core
