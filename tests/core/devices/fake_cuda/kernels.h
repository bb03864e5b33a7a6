// dlscope's own kernels as the fake driver runs them.
#pragma once

#include <string_view>

#include "state.h"

namespace fake_cuda {

// What starting one puts on the stream; the parameters are the caller's and copied.
struct Kernel {
  std::string_view name;
  void (*put)(Driver& driver, Stream& stream, const void* parameters);
};

[[nodiscard]] const Kernel* find_kernel(std::string_view name);  // null: there is none

}  // namespace fake_cuda
