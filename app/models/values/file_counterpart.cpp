#include "app/models/values/file_counterpart.h"

#include <fmt/format.h>

#include <vector>

#include "app/models/text/name_path.h"

namespace dlscope::app {
namespace {

// "[0]" -> "0", "['weight']" -> "weight", ".weight" -> "weight".
std::string_view plain_segment(std::string_view segment) {
  const std::string_view key = without_quotes(segment);
  if (key.size() == segment.size() && segment.size() > 2 && segment.front() == '[' && segment.back() == ']')
    return segment.substr(1, segment.size() - 2);
  return without_dot(key);
}

// The name as files write it, "net.layers.0.weight", and each of its ends, the longest first.
std::vector<std::string> names_in_files(std::string_view name) {
  std::vector<std::string> names;
  const SegmentStarts starts = segment_starts(name);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t end = i + 1 < starts.size() ? starts[i + 1] : name.size();
    const std::string_view segment = plain_segment(name.substr(starts[i], end - starts[i]));
    for (std::string& before : names) before.append(1, '.').append(segment);
    names.emplace_back(segment);
  }
  names.emplace(names.begin(), name);
  return names;
}

}  // namespace

std::uint32_t counterpart_in_file(std::string_view live_name, const core::Snapshot& file) {
  const auto count = static_cast<std::uint32_t>(file.tensors.size());
  for (const std::string& name : names_in_files(live_name)) {
    for (std::uint32_t id = 0; id < count; ++id) {
      if (file.name(file.tensors[id]) == name) return id;
    }
  }
  return count == 1 ? 0 : core::kNone32;
}

std::string since_opened_text(const std::string& path, core::SinceOpened since, bool unpacked) {
  const std::string name = path.substr(path.rfind('/') + 1);
  switch (since) {
    case core::SinceOpened::unchanged: return {};
    case core::SinceOpened::replaced:
      return fmt::format("Another file is called {} by now: compared is the one that was opened.", name);
    case core::SinceOpened::removed:
      return fmt::format("{} was removed or renamed after it was opened: compared is what it held.", name);
    case core::SinceOpened::changed:
    case core::SinceOpened::shortened: break;
  }
  const bool shorter = since == core::SinceOpened::shortened;
  const std::string what = fmt::format("{} {} after it was opened", name, shorter ? "became shorter" : "was changed");
  if (unpacked) return what + ": compared are the values that were unpacked then.";
  if (shorter) return what + ": what lay behind its new end cannot be read, or reads as zeros.";
  return what + ": what was compared may be from before and after the change.";
}

}  // namespace dlscope::app
