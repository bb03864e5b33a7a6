// The facts of a crash, other than the Python stack, as text.
#pragma once

#include <string>
#include <vector>

#include "core/inventory/run_outcome.h"

namespace dlscope::app {

// "Written to 0x7f10: no memory is mapped there."; "" where the signal has no address.
[[nodiscard]] std::string crash_address_text(const core::CrashFacts& facts);
// Consecutive native frames that lie in one library.
struct NativeFrames {
  std::string library;              // its file's name
  std::vector<std::string> frames;  // innermost first: "abort (+0x9d2e1)"
};
[[nodiscard]] std::vector<NativeFrames> native_frames(const core::CrashFacts& facts);
// Innermost first, one line for each group of native_frames(): "libc.so.6: abort (+0x9d2e1), +0x9d3f0".
[[nodiscard]] std::vector<std::string> native_lines(const core::CrashFacts& facts);
// The same, for a place of a few lines: without the frames of our own signal handler, and after the first line without the libraries
// that every abort and every C++ exception go through.
[[nodiscard]] std::vector<std::string> telling_native_lines(const core::CrashFacts& facts);

}  // namespace dlscope::app
