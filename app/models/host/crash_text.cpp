#include "app/models/host/crash_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace dlscope::app {
namespace {

using core::CrashFacts;

constexpr std::size_t kMaxFrames = 8;  // of one library, on one line

constexpr std::size_t kMaxNameBytes = 80;

// "spin (+0x1139)"; only the offset when the function has no name.
std::string frame_text(const CrashFacts::NativeFrame& frame) {
  const std::string place = fmt::format("{}{:#x}", frame.library.empty() ? "" : "+", frame.offset);
  if (frame.symbol.empty()) return place;
  const bool is_long = frame.symbol.size() > kMaxNameBytes;
  return fmt::format("{}{} ({})", frame.symbol.substr(0, kMaxNameBytes), is_long ? "..." : "", place);
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::string crash_address_text(const CrashFacts& facts) {
  if (!facts.address) return {};
  const char* how = facts.access == CrashFacts::Access::write  ? "Written to"
                    : facts.access == CrashFacts::Access::read ? "Read from"
                                                               : "At";
  return fmt::format("{} {:#x}{}.", how, *facts.address, facts.memory.empty() ? std::string() : ": " + facts.memory);
}

std::vector<NativeFrames> native_frames(const CrashFacts& facts) {
  std::vector<NativeFrames> out;
  for (std::size_t i = 0; i < facts.native.size();) {
    const std::string& library = facts.native[i].library;
    NativeFrames& of_one =
        out.emplace_back(library.empty() ? std::string("code of no file") : file_name(library), std::vector<std::string>());
    for (; i < facts.native.size() && facts.native[i].library == library; ++i)
      of_one.frames.push_back(frame_text(facts.native[i]));
  }
  return out;
}

std::vector<std::string> native_lines(const CrashFacts& facts) {
  std::vector<std::string> out;
  for (const NativeFrames& of_one : native_frames(facts)) {
    const std::size_t count = of_one.frames.size(), named = std::min(count, kMaxFrames);
    std::string line =
        fmt::format("{}: {}", of_one.library,
                    fmt::join(of_one.frames.begin(), of_one.frames.begin() + static_cast<std::ptrdiff_t>(named), ", "));
    if (count > named) line += fmt::format(" and {} more", count - named);
    out.push_back(std::move(line));
  }
  return out;
}

}  // namespace dlscope::app
