#include "app/models/tensors/same_tensor.h"

#include <algorithm>
#include <tuple>

namespace dlscope::app {
namespace {

using core::Snapshot;
using core::TensorRecord;

constexpr std::uint32_t kStopEvery = 4096;

// Item type numbers are per snapshot, so compare the names.
bool same_item_type(const Snapshot& x, const TensorRecord& a, const Snapshot& y, const TensorRecord& b) {
  const bool is_item = a.item_type != core::kNone16;
  if (is_item != (b.item_type != core::kNone16)) return false;
  return !is_item || x.dtype_name(a) == y.dtype_name(b);
}

bool same_names(const Snapshot& x, const TensorRecord& a, const Snapshot& y, const TensorRecord& b) {
  const auto same = [&](core::TextRef one, core::TextRef other) { return x.str(one) == y.str(other); };
  return a.names.count != 0 && std::ranges::equal(Snapshot::slice(x.names, a.names), Snapshot::slice(y.names, b.names), same);
}

// Two scans walk the same names in the same order: after a tensor that was added, removed or renamed, the following ones match
// again. Where all names agree, no table of names is needed.
void match_in_order(const Snapshot& before, const Snapshot& now, TensorMatches& out, const std::stop_token& stop) {
  constexpr std::size_t kAhead = 8;
  const std::size_t count = before.tensors.size();
  std::size_t next = 0, missed = 0;  // missed: tensors of now since the last match
  const auto match_from = [&](std::uint32_t id, std::size_t first) {
    for (std::size_t old = first; old < std::min(first + kAhead, count); ++old) {
      if (!same_names(before, before.tensors[old], now, now.tensors[id])) continue;
      out.was[id] = static_cast<std::uint32_t>(old);
      out.became[old] = id;
      return true;
    }
    return false;
  };
  for (std::uint32_t id = 0; id < now.tensors.size(); ++id) {
    if (id % kStopEvery == 0 && stop.stop_requested()) return;
    if (match_from(id, next) || (missed >= kAhead && match_from(id, next + missed))) {
      next = out.was[id] + std::size_t{1};
      missed = 0;
    } else {
      ++missed;
    }
  }
}

std::vector<std::uint32_t> ids_without(const std::vector<std::uint32_t>& partners) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t id = 0; id < partners.size(); ++id) {
    if (partners[id] == core::kNone32) out.push_back(id);
  }
  return out;
}

void add_names(const Snapshot& snapshot, std::uint32_t id, NameIndex& out) {
  for (const core::TextRef name : Snapshot::slice(snapshot.names, snapshot.tensors[id].names))
    out.emplace(snapshot.str(name), id);
}

NameIndex names_of_these(const Snapshot& snapshot, const std::vector<std::uint32_t>& ids) {
  NameIndex out;
  for (const std::uint32_t id : ids) add_names(snapshot, id, out);
  return out;
}

// Matches tensors of `before` that no name reaches with tensors of `now` that have only new names: one to one, in scan order.
void match_by_memory(const Snapshot& before, const Snapshot& now, TensorMatches& out, const std::stop_token& stop) {
  std::vector<std::uint32_t> gone = ids_without(out.became);
  const auto address = [&](std::uint32_t id) { return std::tuple(before.tensors[id].address, id); };
  std::ranges::sort(gone, {}, address);
  for (const std::uint32_t id : ids_without(out.was)) {
    if (id % kStopEvery == 0 && stop.stop_requested()) return;
    const TensorRecord& is = now.tensors[id];
    auto candidate = std::ranges::lower_bound(gone, std::tuple(is.address, std::uint32_t{0}), {}, address);
    for (; candidate != gone.end() && before.tensors[*candidate].address == is.address; ++candidate) {
      if (out.became[*candidate] != core::kNone32 || !same_place(before, before.tensors[*candidate], now, is)) continue;
      out.became[*candidate] = id;
      out.was[id] = *candidate;
      out.only_by_memory[id] = true;
      break;
    }
  }
}

}  // namespace

NameIndex names_of(const Snapshot& snapshot) {
  NameIndex out;
  out.reserve(snapshot.names.size());
  for (std::uint32_t id = 0; id < snapshot.tensors.size(); ++id) add_names(snapshot, id, out);
  return out;
}

std::uint32_t same_name(const Snapshot& snapshot, const TensorRecord& tensor, const NameIndex& others) {
  for (const core::TextRef name : Snapshot::slice(snapshot.names, tensor.names)) {
    const auto found = others.find(snapshot.str(name));
    if (found != others.end()) return found->second;
  }
  return core::kNone32;
}

bool same_dtype(const Snapshot& x, const TensorRecord& a, const Snapshot& y, const TensorRecord& b) {
  return a.dtype == b.dtype && same_item_type(x, a, y, b);
}

bool same_layout(const Snapshot& x, const TensorRecord& a, const Snapshot& y, const TensorRecord& b) {
  return a.has_metadata == b.has_metadata && a.has_layout == b.has_layout && same_dtype(x, a, y, b) && a.device == b.device &&
         a.readable == b.readable && a.protocol == b.protocol && a.item_bits == b.item_bits &&
         std::ranges::equal(x.shape(a), y.shape(b)) && (!a.has_layout || std::ranges::equal(x.stride_bits(a), y.stride_bits(b)));
}

bool same_place(const Snapshot& x, const TensorRecord& a, const Snapshot& y, const TensorRecord& b) {
  if (!a.has_metadata || !b.has_metadata || a.elements == 0 || !core::has_known_address(a) || a.address == 0) return false;
  if (core::is_copy_for_export(a) || core::is_copy_for_export(b)) return false;  // freed: any other memory may be there
  // Space numbers are per snapshot; device and address identify the place.
  return a.address == b.address && a.extent == b.extent && same_layout(x, a, y, b);
}

TensorMatches match_tensors(const Snapshot& before, const Snapshot& now, bool by_memory, const std::stop_token& stop) {
  TensorMatches out;
  out.was.assign(now.tensors.size(), core::kNone32);
  out.became.assign(before.tensors.size(), core::kNone32);
  out.only_by_memory.assign(now.tensors.size(), false);
  match_in_order(before, now, out, stop);
  const std::vector<std::uint32_t> rest_then = ids_without(out.became), rest_now = ids_without(out.was);
  const NameIndex then = names_of_these(before, rest_then), names = names_of_these(now, rest_now);
  for (const std::uint32_t id : rest_now) {
    if (stop.stop_requested()) return out;
    out.was[id] = same_name(now, now.tensors[id], then);
  }
  for (const std::uint32_t id : rest_then) {
    if (stop.stop_requested()) return out;
    out.became[id] = same_name(before, before.tensors[id], names);
  }
  if (by_memory) match_by_memory(before, now, out, stop);
  return out;
}

}  // namespace dlscope::app
