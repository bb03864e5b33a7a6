#include "app/window/commands/dropped_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "app/models/exchange/stream_picture.h"
#include "core/files/tensor_file.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxNamed = 5;

enum class Kind : std::uint8_t { script, tensor_file, stream_trace, count };

Kind kind_of(const std::string& path) {
  if (core::is_tensor_file(path)) return Kind::tensor_file;
  return is_stream_trace_file(path) ? Kind::stream_trace : Kind::script;
}

}  // namespace

DroppedFiles choose_dropped(std::vector<std::string> paths) {
  DroppedFiles out;
  std::array<bool, static_cast<std::size_t>(Kind::count)> taken{};
  for (std::string& path : paths) {
    bool& is_taken = taken[static_cast<std::size_t>(kind_of(path))];
    (std::exchange(is_taken, true) ? out.left : out.opened).push_back(std::move(path));
  }
  return out;
}

std::string not_opened_text(const std::vector<std::string>& left) {
  const std::size_t named = left.size() <= kMaxNamed ? left.size() : kMaxNamed - 1;
  std::string text = "Not opened: ";
  for (std::size_t i = 0; i < named; ++i) {
    if (i > 0) text += i + 1 == left.size() ? " and " : ", ";
    text += std::filesystem::path(left[i]).filename().string();
  }
  if (named < left.size()) text += " and " + std::to_string(left.size() - named) + " more";
  return text + ". The window shows one script, one tensor file and one recording of streams at a time.";
}

}  // namespace dlscope::app
