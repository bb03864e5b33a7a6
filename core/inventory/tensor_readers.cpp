#include "core/inventory/tensor_readers.h"

namespace dlscope::core {
namespace {

constexpr std::int32_t kCuda = 2;  // kDLCUDA

bool is_on_device(const TensorRecord& tensor) { return tensor.space != kHostSpace && tensor.device.type == kCuda; }

}  // namespace

bool may_be_read(const Snapshot& snapshot, const TensorRecord& tensor) {
  if (!tensor.has_layout) return false;
  if (tensor.elements == 0 || tensor.readable) return true;
  const DriverDeviceRecord* const told = snapshot.driver_device_of(tensor);
  const bool contradicted = tensor.has_claimed_device && tensor.claimed_device != tensor.device;
  return is_on_device(tensor) && told != nullptr && told->device == tensor.device && !contradicted;
}

Result<const MemoryReader*> TensorReaders::of(const TensorRecord& tensor) {
  if (tensor.elements == 0 || !is_on_device(tensor)) return &host_;
  auto found = devices_.find(tensor.device.id);
  if (found == devices_.end()) found = devices_.emplace(tensor.device.id, CudaReader::open(tensor.device.id, stop_)).first;
  if (!found->second) return std::unexpected(found->second.error());
  return found->second->get();
}

std::string TensorReaders::problem(const TensorRecord& tensor) const {
  const auto found = devices_.find(tensor.device.id);
  if (!is_on_device(tensor) || found == devices_.end() || !found->second) return {};
  const std::string words = (*found->second)->problem();
  return words.empty() ? words : ": " + words;
}

}  // namespace dlscope::core
