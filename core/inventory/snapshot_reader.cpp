#include "core/inventory/snapshot_reader.h"

#include <algorithm>
#include <utility>

#include "core/devices/cuda_reader.h"

namespace dlscope::core {
namespace {

constexpr std::int32_t kCuda = 2;  // kDLCUDA

}  // namespace

bool may_be_read(const Snapshot& snapshot, const TensorRecord& tensor) {
  if (!tensor.has_layout) return false;
  return tensor.elements == 0 || tensor.readable || is_read_on_device(snapshot, tensor);
}

bool is_read_on_device(const Snapshot& snapshot, const TensorRecord& tensor) {
  if (!tensor.has_layout || tensor.elements == 0 || tensor.space == kHostSpace || tensor.device.type != kCuda) return false;
  if (is_copy_for_export(tensor)) return false;
  const DriverDeviceRecord* const told = snapshot.driver_device_of(tensor);
  const bool contradicted = tensor.has_claimed_device && tensor.claimed_device != tensor.device;
  return told != nullptr && told->device == tensor.device && !contradicted;
}

SnapshotReader::SnapshotReader(const Snapshot& snapshot, std::shared_ptr<const MemoryReader> host, OpenDevice open)
    : host_(std::move(host)), open_(std::move(open)), last_(host_.get()) {
  for (const DriverDeviceRecord& told : snapshot.driver_devices) {
    const TensorRecord& tensor = snapshot.tensors[told.tensor];
    if (is_read_on_device(snapshot, tensor)) ranges_.push_back({tensor.extent, tensor.device.id});
  }
  std::ranges::sort(ranges_, {}, [](const DeviceRange& range) { return range.bytes.begin; });
  std::size_t kept = 0;
  for (const DeviceRange& range : ranges_) {
    if (kept > 0 && range.bytes.begin <= ranges_[kept - 1].bytes.end && range.ordinal == ranges_[kept - 1].ordinal) {
      ranges_[kept - 1].bytes.end = std::max(ranges_[kept - 1].bytes.end, range.bytes.end);
    } else {
      ranges_[kept++] = range;
    }
  }
  ranges_.resize(kept);
}

const SnapshotReader::Opened& SnapshotReader::device(std::int32_t ordinal) const {
  const std::lock_guard lock(mutex_);
  auto found = devices_.find(ordinal);
  if (found == devices_.end()) found = devices_.emplace(ordinal, open_(ordinal)).first;
  return found->second;  // references to std::map elements stay valid
}

Result<void> SnapshotReader::prepare(const TensorRecord& tensor) const {
  if (tensor.extent.empty()) return {};
  const auto after =
      std::ranges::upper_bound(ranges_, tensor.extent.begin, {}, [](const DeviceRange& range) { return range.bytes.begin; });
  if (after == ranges_.begin() || !std::prev(after)->bytes.contains(tensor.extent.begin)) return {};
  const Opened& opened = device(std::prev(after)->ordinal);
  if (!opened) return std::unexpected(opened.error());
  return {};
}

const MemoryReader* SnapshotReader::reader_at(Address address) const {
  const auto after = std::ranges::upper_bound(ranges_, address, {}, [](const DeviceRange& range) { return range.bytes.begin; });
  if (after == ranges_.begin() || !std::prev(after)->bytes.contains(address)) return host_.get();
  const Opened& opened = device(std::prev(after)->ordinal);
  return opened ? opened->get() : nullptr;
}

std::size_t SnapshotReader::same_reader(std::span<const Address> addresses, std::size_t first,
                                        const MemoryReader*& reader) const {
  if (ranges_.empty()) {
    reader = host_.get();
    return addresses.size() - first;
  }
  reader = reader_at(addresses[first]);
  std::size_t count = 1;
  while (first + count < addresses.size() && reader_at(addresses[first + count]) == reader) ++count;
  return count;
}

std::size_t SnapshotReader::read(Address from, std::span<std::byte> out) const {
  const MemoryReader* const reader = ranges_.empty() ? host_.get() : reader_at(from);
  last_ = reader;
  return reader != nullptr ? reader->read(from, out) : 0;
}

void SnapshotReader::probe(std::span<const Address> addresses, std::span<std::uint8_t> readable) const {
  for (std::size_t first = 0; first < addresses.size();) {
    const MemoryReader* reader = nullptr;
    const std::size_t count = same_reader(addresses, first, reader);
    last_ = reader;
    if (reader != nullptr)
      reader->probe(addresses.subspan(first, count), readable.subspan(first, count));
    else
      std::ranges::fill(readable.subspan(first, count), std::uint8_t{0});
    first += count;
  }
}

void SnapshotReader::gather(std::span<const Address> addresses, std::size_t each, std::span<std::byte> out,
                            std::span<std::uint8_t> complete) const {
  for (std::size_t first = 0; first < addresses.size();) {
    const MemoryReader* reader = nullptr;
    const std::size_t count = same_reader(addresses, first, reader);
    last_ = reader;
    if (reader != nullptr)
      reader->gather(addresses.subspan(first, count), each, out.subspan(first * each, count * each),
                     complete.subspan(first, count));
    else
      std::ranges::fill(complete.subspan(first, count), std::uint8_t{0});
    first += count;
  }
}

MemoryReader::ReadStatus SnapshotReader::last_status() const {
  const MemoryReader* const reader = last_;
  return reader != nullptr ? reader->last_status() : ReadStatus::fresh;
}

bool SnapshotReader::can_scan(Address address) const {
  const auto* const scanner = dynamic_cast<const BlockScanner*>(reader_at(address));
  return scanner != nullptr && scanner->can_scan(address);
}

Result<void> SnapshotReader::scan(const kernels::BlockScan& scan, ByteRange extent, const BlockScanResults& results) const {
  const MemoryReader* const reader = reader_at(extent.begin);
  last_ = reader;
  if (const auto* const scanner = dynamic_cast<const BlockScanner*>(reader)) return scanner->scan(scan, extent, results);
  return fail(ErrorKind::unsupported, "its values cannot be summarised where they lie");
}

std::string SnapshotReader::problem() const {
  if (const MemoryReader* const reader = last_) return reader->problem();
  const std::lock_guard lock(mutex_);
  for (const auto& [ordinal, opened] : devices_) {
    if (!opened) return opened.error().message;
  }
  return {};
}

SnapshotReader::OpenDevice devices_of_this_process(std::stop_token stop) {
  return [stop = std::move(stop)](std::int32_t ordinal) -> Result<std::shared_ptr<const MemoryReader>> {
    auto opened = CudaReader::open(ordinal, stop);
    if (!opened) return std::unexpected(opened.error());
    return std::shared_ptr<const MemoryReader>(std::move(*opened));
  };
}

}  // namespace dlscope::core
