#pragma once

#include <cstdint>

namespace dlscope::tests {

// Allocations through operator new on the calling thread since it began: those of our code and of the editor. Dear ImGui and
// the graphics driver use malloc and are not counted. Linking this library replaces operator new and operator delete.
[[nodiscard]] std::uint64_t allocations_of_this_thread() noexcept;

}  // namespace dlscope::tests
