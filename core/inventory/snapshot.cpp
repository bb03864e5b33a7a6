#include "core/inventory/snapshot.h"

#include <algorithm>

namespace dlscope::core {

bool Snapshot::has_remark(const TensorRecord& t, RemarkCode code) const {
  return std::ranges::any_of(slice(remarks, t.remarks), [code](const RemarkRecord& r) { return r.code == code; });
}

const ValueSummary* Snapshot::statistics_of(const TensorRecord& t) const {
  const auto id = static_cast<std::uint32_t>(&t - tensors.data());
  const auto found = std::ranges::lower_bound(statistics, id, {}, &StatisticsRecord::tensor);
  return found != statistics.end() && found->tensor == id ? &found->summary : nullptr;
}

std::string Snapshot::dtype_name(const TensorRecord& t) const {
  return t.item_type == kNone16 ? core::dtype_name(t.dtype) : std::string(str(item_types[t.item_type].name));
}

std::string Snapshot::item_text(const TensorRecord& t, std::span<const std::byte> item) const {
  const ItemTypeRecord& type = item_types[t.item_type];
  const std::span<const ItemFieldRecord> fields = slice(item_fields, type.fields);
  if (fields.size() == 1 && fields[0].name.length == 0) return format_field(fields[0].layout, item);
  std::string out = "(";
  for (const ItemFieldRecord& field : fields) {
    if (out.size() > 1) out += ", ";
    out += format_field(field.layout, item);
  }
  return out + ")";
}

const TensorRecord* Snapshot::find(std::string_view name_path) const {
  for (const TensorRecord& tensor : tensors) {
    for (const TextRef ref : slice(names, tensor.names)) {
      if (str(ref) == name_path) return &tensor;
    }
  }
  return nullptr;
}

}  // namespace dlscope::core
