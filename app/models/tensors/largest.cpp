#include "app/models/tensors/largest.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/models/text/format.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxNamed = 5;
constexpr std::size_t kMaxName = 60;

std::uint64_t bytes_of(const core::GroupRecord& group) {
  return group.distinct_bytes != core::kUnknown64 ? group.distinct_bytes : group.range.size();
}

}  // namespace

std::vector<LargePart> largest_parts(const core::Snapshot& snapshot, std::size_t most) {
  std::vector<const core::GroupRecord*> groups;
  groups.reserve(snapshot.groups.size());
  for (const auto& group : snapshot.groups) groups.push_back(&group);
  const std::size_t count = std::min(most, groups.size());
  std::partial_sort(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(count), groups.end(),
                    [](const auto* a, const auto* b) { return bytes_of(*a) > bytes_of(*b); });
  std::vector<LargePart> out;
  for (std::size_t i = 0; i < count; ++i) {
    const auto members = core::Snapshot::slice(snapshot.group_members, groups[i]->members);
    const auto largest = std::ranges::max_element(
        members, {}, [&](std::uint32_t id) { return snapshot.tensors[id].extent.size(); });
    if (largest == members.end()) continue;
    out.push_back({std::string(snapshot.name(snapshot.tensors[*largest])), bytes_of(*groups[i]), members.size() - 1});
  }
  return out;
}

bool is_out_of_memory(const core::RunOutcome& outcome) {
  return outcome.error && (outcome.error->type.ends_with("MemoryError") || outcome.error->type.ends_with("OutOfMemoryError"));
}

std::string alive_text(const core::Snapshot& snapshot) {
  std::string out;
  for (const LargePart& part : largest_parts(snapshot, kMaxNamed)) {
    if (part.bytes == 0) break;
    out += out.empty() ? "Alive when memory ran out, biggest first: " : ", ";
    out += shortened(part.name, kMaxName) + " " + human_bytes(part.bytes);
    if (part.others > 0) out += fmt::format(" (with {})", counted(part.others, "other that shares it", "others that share it"));
  }
  return out.empty() ? out : out + ".";
}

}  // namespace dlscope::app
