#include "core/inventory/never_written.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/sharing/overlap.h"

namespace dlscope::core {
namespace {

bool has_host_bytes(const TensorRecord& tensor) {
  return tensor.has_layout && tensor.space == kHostSpace && !tensor.extent.empty();
}

// True also where that was not worked out.
bool touches(const Snapshot& snapshot, const TensorRecord& tensor, Address address) {
  const ElementAnswer element = find_element_at(snapshot.memory_view(tensor), address);
  return element.number.has_value() || !element.decided;
}

}  // namespace

bool is_immutable(const Snapshot& snapshot, const TensorRecord& tensor) {
  return snapshot.has_remark(tensor, RemarkCode::immutable_by_contract) || snapshot.str(tensor.type) == "bytes";
}

bool is_copy_put_off(const TensorRecord& tensor) { return tensor.protocol == Protocol::attributes; }

bool holds_objects(const Snapshot& snapshot, const TensorRecord& tensor) {
  if (tensor.item_type == kNone16) return false;
  const auto fields = Snapshot::slice(snapshot.item_fields, snapshot.item_types[tensor.item_type].fields);
  return std::ranges::any_of(fields, [](const ItemFieldRecord& field) { return field.layout.kind == ItemKind::object; });
}

NeverWritten::NeverWritten(const Snapshot& snapshot) : snapshot_(snapshot) {
  for (std::uint32_t id = 0; id < snapshot.tensors.size(); ++id) {
    const TensorRecord& tensor = snapshot.tensors[id];
    if (!has_host_bytes(tensor)) continue;
    if (tensor.page_shift != 0) mapped_again_.push_back(id);
    if (is_immutable(snapshot, tensor) || holds_objects(snapshot, tensor))
      parts_.push_back({.range = Snapshot::compared_extent(tensor), .tensor = id});
  }
  std::ranges::sort(parts_, {}, [](const Part& part) { return part.range.begin; });
  Address furthest = 0;
  for (Part& part : parts_) part.furthest = furthest = std::max(furthest, part.range.end);
}

const TensorRecord* NeverWritten::tensor_at(Address compared) const {
  auto after = std::ranges::upper_bound(parts_, compared, {}, [](const Part& part) { return part.range.begin; });
  for (; after != parts_.begin() && std::prev(after)->furthest > compared; --after) {
    const Part& part = *std::prev(after);
    const TensorRecord& tensor = snapshot_.tensors[part.tensor];
    if (part.range.contains(compared) && touches(snapshot_, tensor, compared - tensor.page_shift)) return &tensor;
  }
  return nullptr;
}

NeverWritten::Owner NeverWritten::owner_of(Address address) const {
  const TensorRecord* found = tensor_at(address);
  for (const std::uint32_t id : mapped_again_) {
    const TensorRecord& tensor = snapshot_.tensors[id];
    if (found == nullptr && tensor.extent.contains(address)) found = tensor_at(address + tensor.page_shift);
  }
  if (found == nullptr) return {};
  const std::string_view name = snapshot_.name(*found), type = snapshot_.str(found->type);
  const std::string whose = name.empty() ? fmt::format("one of a {} object", type) : fmt::format("one of {} ({})", name, type);
  if (is_immutable(snapshot_, *found)) return {true, fmt::format("the byte is {}, which is immutable", whose)};
  constexpr const char* kHolds = "holds addresses of Python objects, which another thread may follow";
  return {false, fmt::format("the byte is {}, which {}", whose, kHolds)};
}

}  // namespace dlscope::core
