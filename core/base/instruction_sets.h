// Which of the instruction sets that our loops are compiled for this processor supports. thread: any.
#pragma once

namespace dlscope::core {

// Including the further extensions that Highway's targets HWY_AVX2 and HWY_AVX3 require. False on processors other than x86-64.
[[nodiscard]] bool has_avx2();
[[nodiscard]] bool has_avx512();

}  // namespace dlscope::core
