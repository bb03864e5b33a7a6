#include "core/compare/snapshot_comparison.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "core/inventory/readable.h"
#include "core/inventory/tensor_numbers.h"
#include "core/inventory/tensor_sign_bits.h"

namespace dlscope::core {

Result<ComparedTensor> compared_tensor(const SnapshotTensor& one) {
  const Snapshot& snapshot = *one.snapshot;
  const TensorRecord& tensor = snapshot.tensors[one.tensor];
  const std::string name(snapshot.name(tensor));
  if (!tensor.has_layout || tensor.elements == kUnknown64)
    return fail(ErrorKind::unsupported, fmt::format("where the elements of {} lie is not known", name));
  if (tensor.elements > 0 && is_copy_for_export(tensor) && !tensor.readable)
    return fail(ErrorKind::unsupported, fmt::format("{} hands over a copy of its bytes, and the described one is freed", name));
  if (tensor.elements > 0 && tensor.space != kHostSpace && !is_read_on_device(snapshot, tensor))
    return fail(ErrorKind::unsupported, fmt::format("{} is not in memory that can be read here", name));
  return compared_tensor(snapshot, tensor, *one.memory);
}

ComparedTensor compared_tensor(const Snapshot& snapshot, const TensorRecord& tensor, const MemoryReader& memory) {
  const TensorValues values = tensor_values(snapshot, tensor);
  return {values.dtype, values.layout, values.address, values.source.read_by(memory), sign_bits_of(snapshot, tensor)};
}

Result<std::unique_ptr<SnapshotComparison>> SnapshotComparison::make(SnapshotTensor a, SnapshotTensor b, Tolerance tolerance,
                                                                     bool broadcast) {
  std::unique_ptr<SnapshotComparison> out(new SnapshotComparison);
  out->a_ = std::move(a);
  out->b_ = std::move(b);
  const auto first = compared_tensor(out->a_);
  if (!first) return std::unexpected(first.error());
  auto second = compared_tensor(out->b_);
  if (!second) return std::unexpected(second.error());
  if (broadcast) {
    auto layout = broadcast_to(second->layout, first->layout.shape);
    if (!layout) return std::unexpected(layout.error());
    out->broadcast_ = std::move(*layout);
    second->layout = out->broadcast_;
  }
  if (const std::string why = why_not_comparable(*first, *second); !why.empty()) return fail(ErrorKind::unsupported, why);
  out->task_.emplace(*first, *second, tolerance);
  return out;
}

}  // namespace dlscope::core
