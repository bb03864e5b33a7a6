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
  return Place{record.space, record.extent, counted ? record.distinct_bytes : record.extent.size()};
}

void LeaseList::take(const LeaseChanged& change, const core::Snapshot* newest) {
  const auto known = std::ranges::find(leases_, change.lease, [](const Lease& lease) { return lease.last.lease; });
  std::optional<Place> place = place_in(newest, change.tensor);
  if (known != leases_.end()) {
    if (!place) place = known->place;
    leases_.erase(known);
  }
  if (change.state != LeaseState::gone && leases_.size() < kMax) {
    leases_.push_back({change, place});
    leases_.back().last.message = {};  // told as it comes
  }
  count();
}

void LeaseList::clear() {
  leases_.clear();
  total_ = {};
}

HeldTensors LeaseList::held_in(std::uint64_t revision) const {
  std::vector<std::uint32_t> held;
  for (const auto& [lease, place] : leases_) {
    if (lease.state == LeaseState::held && lease.tensor.revision == revision) held.push_back(lease.tensor.tensor);
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
  for (const auto& [lease, place] : leases_) {
    if (lease.state != LeaseState::held) continue;
    ++total.tensors;
    if (place)
      places.push_back(*place);
    else
      ++total.unknown;
  }
  std::ranges::sort(places, {}, [](const Place& place) { return std::tuple(place.space, place.extent.begin, place.extent.end); });
  for (std::size_t i = 0; i < places.size();) {
    core::ByteRange together = places[i].extent;
    bool gaps = places[i].distinct_bytes != together.size();
    const std::size_t first = i++;
    for (; i < places.size() && places[i].space == places[first].space && places[i].extent.begin < together.end; ++i) {
      together.end = std::max(together.end, places[i].extent.end);
      gaps = gaps || places[i].distinct_bytes != places[i].extent.size();
    }
    const bool alone = i == first + 1;
    total.bytes += alone ? places[first].distinct_bytes : together.size();
    total.exact = total.exact && (alone || !gaps);
  }
  total_ = total;
}

}  // namespace dlscope::app
