#include "app/models/history/moment_reader.h"

#include <algorithm>
#include <cstddef>

namespace dlscope::app {

using core::PairRecord;
using core::TensorRecord;

core::TensorRecord MomentReader::tensor(std::uint32_t id) const {
  std::vector<TensorRecord> scratch;
  return read(&core::Snapshot::tensors, id, 1, scratch).front();
}

std::vector<std::uint32_t> MomentReader::field(std::size_t offset, std::size_t first, std::size_t count) const {
  return stored_.packed->field(number_of(&core::Snapshot::tensors), offset, first, count);
}

std::vector<core::Slice> MomentReader::names_of_tensors(std::uint32_t first, std::uint32_t count) const {
  std::vector<core::Slice> out(count);
  if (stored_.whole) {
    for (std::uint32_t i = 0; i < count; ++i) out[i] = stored_.whole->tensors[first + i].names;
    return out;
  }
  constexpr std::size_t kNames = offsetof(TensorRecord, names);
  const auto firsts = field(kNames + offsetof(core::Slice, first), first, count);
  const auto counts = field(kNames + offsetof(core::Slice, count), first, count);
  for (std::uint32_t i = 0; i < count; ++i) out[i] = {firsts[i], counts[i]};
  return out;
}

std::vector<std::uint32_t> MomentReader::tensors_at(core::Address address) const {
  std::vector<std::uint32_t> out;
  if (stored_.whole) {
    for (std::uint32_t id = 0; id < tensors(); ++id) {
      if (stored_.whole->tensors[id].address == address) out.push_back(id);
    }
    return out;
  }
  constexpr std::size_t kAddress = offsetof(TensorRecord, address);
  static_assert(sizeof(TensorRecord::address) == 2 * sizeof(std::uint32_t));
  const auto low = field(kAddress, 0, tensors()), high = field(kAddress + sizeof(std::uint32_t), 0, tensors());
  for (std::uint32_t id = 0; id < tensors(); ++id) {
    if ((std::uint64_t{high[id]} << 32 | low[id]) == address) out.push_back(id);
  }
  return out;
}

std::optional<core::PairRecord> MomentReader::listed_pair(std::uint32_t a, std::uint32_t b) const {
  const auto before = [](const PairRecord& pair, const std::pair<std::uint32_t, std::uint32_t>& wanted) {
    return std::pair(pair.a, pair.b) < wanted;
  };
  std::vector<PairRecord> scratch;
  std::span<const PairRecord> pairs;
  if (stored_.whole) {
    pairs = stored_.whole->pairs;
  } else {
    const std::size_t pool = number_of(&core::Snapshot::pairs);
    const std::size_t first = stored_.packed->lower_bound(pool, offsetof(PairRecord, a), a);
    const std::size_t end = stored_.packed->lower_bound(pool, offsetof(PairRecord, a), a + 1);
    pairs = read(&core::Snapshot::pairs, first, end - first, scratch);
  }
  const auto found = std::lower_bound(pairs.begin(), pairs.end(), std::pair(a, b), before);
  if (found == pairs.end() || found->a != a || found->b != b) return std::nullopt;
  return *found;
}

std::optional<core::DriverDeviceRecord> MomentReader::driver_device_of(std::uint32_t tensor) const {
  using core::DriverDeviceRecord;
  if (stored_.whole) {
    const DriverDeviceRecord* const told = stored_.whole->driver_device_of(stored_.whole->tensors[tensor]);
    return told != nullptr ? std::optional(*told) : std::nullopt;
  }
  const std::size_t pool = number_of(&core::Snapshot::driver_devices);
  const std::size_t at = stored_.packed->lower_bound(pool, offsetof(DriverDeviceRecord, tensor), tensor);
  if (at == stored_.packed->size(pool)) return std::nullopt;
  std::vector<DriverDeviceRecord> scratch;
  const DriverDeviceRecord found = read(&core::Snapshot::driver_devices, at, 1, scratch).front();
  return found.tensor == tensor ? std::optional(found) : std::nullopt;
}

}  // namespace dlscope::app
