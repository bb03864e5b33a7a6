#include "core/inventory/fault_place.h"

#include <fmt/format.h>

#include <algorithm>

namespace dlscope::core {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kFarthest = std::uint64_t{1} << 20;

bool can_be_walked(const AddressMap* map, ByteRange between) { return map != nullptr && map->readable(between); }

bool is_near(const AddressMap* map, ByteRange between) {
  return between.size() < kPage || (between.size() <= kFarthest && can_be_walked(map, between));
}

FaultPlace of_inside(const Snapshot& snapshot, std::uint32_t id, Address address) {
  return {FaultSide::inside, id, address - snapshot.tensors[id].extent.begin};
}

std::string bytes_description(std::uint64_t bytes) { return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s"); }

}  // namespace

FaultPlace place_of_fault(const Snapshot& snapshot, Address address, const AddressMap* map) {
  FaultPlace inside, near;
  for (std::uint32_t id = 0; id < snapshot.tensors.size(); ++id) {
    const TensorRecord& tensor = snapshot.tensors[id];
    const ByteRange extent = tensor.extent;
    if (tensor.space != kHostSpace || extent.empty() || !has_known_extent(tensor) || is_copy_for_export(tensor)) continue;
    if (extent.contains(address)) {
      const bool larger = inside.side == FaultSide::none || extent.size() > snapshot.tensors[inside.tensor].extent.size();
      if (larger) inside = of_inside(snapshot, id, address);
      continue;
    }
    const bool is_after = address >= extent.end;
    const ByteRange between = is_after ? ByteRange{extent.end, address} : ByteRange{address, extent.begin};
    if (!is_near(map, between)) continue;
    if (near.side == FaultSide::none || between.size() < near.distance)
      near = {is_after ? FaultSide::after : FaultSide::before, id, between.size()};
  }
  return inside.side != FaultSide::none ? inside : near;
}

std::string fault_place_text(const Snapshot& snapshot, const FaultPlace& place) {
  if (place.side == FaultSide::none) return "near no known tensor";
  const std::string name(snapshot.name(snapshot.tensors[place.tensor]));
  switch (place.side) {
    case FaultSide::inside:
      return place.distance == 0 ? "at the first byte of " + name
                                 : fmt::format("inside {}, {} after its first byte", name, bytes_description(place.distance));
    case FaultSide::after:
      return place.distance == 0 ? "right after the last byte of " + name
                                 : fmt::format("{} past the end of {}", bytes_description(place.distance), name);
    case FaultSide::before:
      return fmt::format("{} before the beginning of {}", bytes_description(place.distance), name);
    case FaultSide::none:
      break;
  }
  return {};
}

}  // namespace dlscope::core
