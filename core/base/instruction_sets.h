// What the processor can run of what loops are compiled for. thread: any.
#pragma once

namespace dlscope::core {

// With what Highway's targets HWY_AVX2 and HWY_AVX3 want beside it. False on any processor that is not x86.
[[nodiscard]] bool has_avx2();
[[nodiscard]] bool has_avx512();

}  // namespace dlscope::core
