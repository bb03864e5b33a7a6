#include "app/models/host/lease_list.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "app/models/text/format.h"

namespace dlscope::app {

using core::wire::LeaseChanged;
using core::wire::LeaseState;

std::string held_total_text(const HeldTotal& total) {
  if (total.tensors == 0) return {};
  if (total.unknown == total.tensors) return "dlscope holds " + counted(total.tensors, "tensor", "tensors");
  const char* const bound = total.unknown > 0 ? "at least " : total.exact ? "" : "up to ";
  return "dlscope holds " + (bound + human_bytes(total.bytes));
}

std::optional<LeaseList::Place> LeaseList::place_in(const core::Snapshot* snapshot, core::wire::TensorRef tensor) {
  if (snapshot == nullptr || snapshot->info.revision != tensor.revision || tensor.tensor >= snapshot->tensors.size())
    return std::nullopt;
  const core::TensorRecord& record = snapshot->tensors[tensor.tensor];
  if (!record.has_layout) return std::nullopt;
  const bool counted = record.distinct_bytes != core::kUnknown64;
  // By the device: the numbers of spaces differ between snapshots.
  const core::DeviceId device = record.space < snapshot->spaces.size() ? snapshot->device_of(record.space) : record.device;
  return Place{device, record.extent, counted ? record.distinct_bytes : record.extent.size(), counted};
}

void LeaseList::take(const LeaseChanged& change, const core::Snapshot* newest) {
  const auto known = std::ranges::find(leases_, change.lease, [](const Lease& lease) { return lease.last.lease; });
  Lease lease{change, place_in(newest, change.tensor), {}, false};
  lease.last.message = {};  // told as it comes
  if (lease.place) lease.name = newest->name(newest->tensors[change.tensor.tensor]);
  if (known != leases_.end()) {
    if (!lease.place) {
      lease.place = known->place;
      lease.name = std::move(known->name);
    }
    lease.looked = known->looked;
    leases_.erase(known);
  }
  if (change.state != LeaseState::gone && leases_.size() < kMax) leases_.push_back(std::move(lease));
  count();
  find_nameless();
}

void LeaseList::follow(const core::Snapshot& newest) {
  revision_ = newest.info.revision;
  found_ = static_cast<std::size_t>(std::ranges::count_if(newest.tensors, &core::TensorRecord::held));
  for (Lease& lease : leases_) lease.looked = true;
  find_nameless();
}

// Until the host has said of each held tensor of the newest snapshot which lease holds it, the list stays as it was.
void LeaseList::find_nameless() {
  std::erase_if(nameless_, [&](const NamelessLease& each) { return !has(each.lease); });
  const auto told = std::ranges::count_if(leases_, [&](const Lease& lease) { return lease.last.tensor.revision == revision_; });
  if (static_cast<std::size_t>(told) < found_) return;
  nameless_.clear();
  for (const Lease& lease : leases_) {
    if (!lease.looked || lease.last.state != LeaseState::held || lease.last.tensor.revision == revision_) continue;
    nameless_.push_back({lease.last.lease, lease.name, lease.place ? lease.place->distinct_bytes : 0});
  }
}

void LeaseList::clear() {
  leases_.clear();
  nameless_.clear();
  total_ = {};
}

HeldTensors LeaseList::held_in(std::uint64_t revision) const {
  std::vector<std::uint32_t> held;
  for (const Lease& lease : leases_) {
    if (lease.last.state == LeaseState::held && lease.last.tensor.revision == revision) held.push_back(lease.last.tensor.tensor);
  }
  return HeldTensors(std::move(held));
}

std::optional<std::uint64_t> LeaseList::lease_of(core::wire::TensorRef tensor) const {
  const auto found = std::ranges::find(leases_, tensor, [](const Lease& lease) { return lease.last.tensor; });
  return found != leases_.end() ? std::optional(found->last.lease) : std::nullopt;
}

bool LeaseList::has(std::uint64_t lease) const {
  return std::ranges::find(leases_, lease, [](const Lease& each) { return each.last.lease; }) != leases_.end();
}

// Of tensors whose extents meet, the bytes from the lowest to the highest one: exact where none of them has gaps.
void LeaseList::count() {
  HeldTotal total;
  std::vector<Place> places;
  for (const Lease& lease : leases_) {
    if (lease.last.state != LeaseState::held) continue;
    ++total.tensors;
    if (lease.place)
      places.push_back(*lease.place);
    else
      ++total.unknown;
  }
  std::ranges::sort(places, {}, [](const Place& place) {
    return std::tuple(place.device.type, place.device.id, place.extent.begin, place.extent.end);
  });
  for (std::size_t i = 0; i < places.size();) {
    core::ByteRange together = places[i].extent;
    bool gaps = !places[i].exact || places[i].distinct_bytes != together.size();
    const std::size_t first = i++;
    for (; i < places.size() && places[i].device == places[first].device && places[i].extent.begin < together.end; ++i) {
      together.end = std::max(together.end, places[i].extent.end);
      gaps = gaps || !places[i].exact || places[i].distinct_bytes != places[i].extent.size();
    }
    const bool alone = i == first + 1;
    total.bytes += alone ? places[first].distinct_bytes : together.size();
    total.exact = total.exact && (alone ? places[first].exact : !gaps);
  }
  total_ = total;
}

}  // namespace dlscope::app
