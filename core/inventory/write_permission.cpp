#include "core/inventory/write_permission.h"

#include <fmt/format.h>

#include <vector>

#include "core/inventory/never_written.h"

namespace dlscope::core {
namespace {

constexpr std::size_t kNamed = 3;

// The tensors of its group whose bytes lie among these.
std::vector<std::uint32_t> others_in_extent(const Snapshot& snapshot, std::uint32_t id, ByteRange bytes) {
  std::vector<std::uint32_t> others;
  const TensorRecord& tensor = snapshot.tensors[id];
  if (tensor.group == kNone32) return others;
  for (const std::uint32_t other : Snapshot::slice(snapshot.group_members, snapshot.groups[tensor.group].members)) {
    const ByteRange compared{bytes.begin + tensor.page_shift, bytes.end + tensor.page_shift};
    if (other != id && Snapshot::compared_extent(snapshot.tensors[other]).meets(compared)) others.push_back(other);
  }
  return others;
}

}  // namespace

std::string why_not_writable(const Snapshot& snapshot, std::uint32_t id) {
  const TensorRecord& tensor = snapshot.tensors[id];
  const std::string_view name = snapshot.name(tensor), type = snapshot.str(tensor.type);
  if (!tensor.has_layout || tensor.extent.empty()) return fmt::format("Where the bytes of {} lie is not known.", name);
  if (tensor.space != kHostSpace)
    return fmt::format("{} lies on {}: only memory of the process itself is written.", name, device_name(tensor.device));
  if (is_copy_for_export(tensor))
    return fmt::format("{} hands over a copy of its bytes: what is written there would not reach it.", name);
  if (!tensor.readable) return fmt::format("The memory of {} is not known to be where its producer says.", name);
  if (snapshot.has_remark(tensor, RemarkCode::immutable_by_contract))
    return fmt::format("{} is immutable: {} promises that its tensors never change.", name, snapshot.str(tensor.library));
  if (is_immutable(snapshot, tensor)) return fmt::format("{} is immutable: a {} object never changes.", name, type);
  if (tensor.read_only == Tri::yes) return fmt::format("{} is read-only: its producer forbids writing through it.", name);
  if (is_copy_put_off(tensor))
    return fmt::format("{} is copy-on-write: these bytes are its lazy clones', too, and a write through PyTorch goes to a copy.",
                       name);
  return {};
}

std::string why_not_writable(const Snapshot& snapshot, std::uint32_t id, ByteRange bytes) {
  if (std::string why = why_not_writable(snapshot, id); !why.empty()) return why;
  const TensorRecord& tensor = snapshot.tensors[id];
  if (bytes.begin < tensor.extent.begin || bytes.end > tensor.extent.end || bytes.empty())
    return fmt::format("These bytes are not those of {}.", snapshot.name(tensor));
  for (const std::uint32_t other : others_in_extent(snapshot, id, bytes)) {
    const TensorRecord& one = snapshot.tensors[other];
    if (is_immutable(snapshot, one))
      return fmt::format("{} shares this memory with {}, which is immutable ({}).", snapshot.name(tensor), snapshot.name(one),
                         snapshot.str(one.type));
  }
  return {};
}

std::string write_warning(const Snapshot& snapshot, std::uint32_t id) {
  const TensorRecord& tensor = snapshot.tensors[id];
  std::string text;
  if (tensor.read_only == Tri::unknown) text = fmt::format("{} does not say whether it may be written. ", snapshot.name(tensor));
  const std::vector<std::uint32_t> others = others_in_extent(snapshot, id, tensor.extent);
  if (others.empty()) return text;
  std::string names, read_only;
  for (std::size_t i = 0; i < others.size(); ++i) {
    const TensorRecord& other = snapshot.tensors[others[i]];
    if (i < kNamed) names += fmt::format("{}{}", i == 0 ? "" : ", ", snapshot.name(other));
    if (read_only.empty() && other.read_only == Tri::yes)
      read_only = fmt::format(" ({} is read-only itself)", snapshot.name(other));
  }
  if (others.size() > kNamed) names += fmt::format(" and {} more", others.size() - kNamed);
  return text + fmt::format("In the same memory: {}{}. They may change with it.", names, read_only);
}

}  // namespace dlscope::core
