#include "core/inventory/device_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/base/clock.h"
#include "core/inventory/relation.h"

namespace dlscope::core {
namespace {

constexpr std::size_t kMaxTextBytes = 0xf000'0000;  // TextRef counts in 32 bits

void add_event(Snapshot& snapshot, std::int64_t t_ns, std::uint32_t tensor, std::string_view text) {
  if (snapshot.text.size() + text.size() > kMaxTextBytes) return;
  const TextRef ref{static_cast<std::uint32_t>(snapshot.text.size()), static_cast<std::uint32_t>(text.size())};
  snapshot.text.insert(snapshot.text.end(), text.begin(), text.end());
  snapshot.events.push_back({.t_ns = t_ns, .tensor = tensor, .kind = EventKind::device, .text = ref});
}

}  // namespace

void add_device_events(Snapshot& snapshot) {
  // Almost always there are none, and tensors may be many more than remarks.
  if (std::ranges::find(snapshot.remarks, RemarkCode::device_mismatch, &RemarkRecord::code) == snapshot.remarks.end()) return;
  const std::int64_t now = monotonic_ns();
  std::size_t found = 0;
  for (std::uint32_t id = 0; id < snapshot.tensors.size(); ++id) {
    const TensorRecord& tensor = snapshot.tensors[id];
    const auto why = contradiction_about_device(snapshot, tensor);
    if (!why || ++found > kMaxDeviceEvents) continue;
    const std::string_view name = snapshot.name(tensor);
    add_event(snapshot, now, id,
              fmt::format("{} is not where its producer says: {}", name.empty() ? snapshot.str(tensor.type) : name, *why));
  }
  if (found > kMaxDeviceEvents)
    add_event(snapshot, now, kNone32, fmt::format("{} more tensors are not where their producers say", found - kMaxDeviceEvents));
}

}  // namespace dlscope::core
