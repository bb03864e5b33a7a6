#include "app/models/tensors/sharing_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "app/models/tensors/device_doubt.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "core/inventory/relation.h"

namespace dlscope::app {
namespace {

using core::Relation;
using core::Snapshot;
using core::TensorRecord;

constexpr std::size_t kNameLength = 40;

// In quotes, because a tensor may be named "transposed", "part" or "a".
std::string name_of(const Snapshot& snapshot, std::uint32_t id) {
  const auto name = snapshot.name(snapshot.tensors[id]);
  return name.empty() ? fmt::format("tensor {}", id) : "“" + shortened_name(name, kNameLength) + "”";
}

std::string bytes_description(std::uint64_t bytes) {
  if (bytes == core::kUnknown64) return "bytes";
  if (bytes < 1024) return counted(bytes, "byte", "bytes");
  return human_bytes(bytes);
}

bool same_axes(const Snapshot& snapshot, const TensorRecord& a, const TensorRecord& b) {
  return std::ranges::equal(snapshot.shape(a), snapshot.shape(b)) &&
         std::ranges::equal(snapshot.stride_bits(a), snapshot.stride_bits(b));
}

bool reversed_axes(const Snapshot& snapshot, const TensorRecord& a, const TensorRecord& b) {
  if (a.rank != b.rank) return false;
  const auto shape = snapshot.shape(b), strides = snapshot.stride_bits(b);
  return std::equal(shape.rbegin(), shape.rend(), snapshot.shape(a).begin()) &&
         std::equal(strides.rbegin(), strides.rend(), snapshot.stride_bits(a).begin());
}

bool permuted_axes(const Snapshot& snapshot, const TensorRecord& a, const TensorRecord& b) {
  if (a.rank != b.rank) return false;
  const auto axes = [&](const TensorRecord& t) {
    std::vector<std::pair<std::int64_t, std::int64_t>> out;
    for (std::size_t d = 0; d < t.rank; ++d) out.emplace_back(snapshot.shape(t)[d], snapshot.stride_bits(t)[d]);
    std::ranges::sort(out);
    return out;
  };
  return axes(a) == axes(b);
}

bool mirrored_axes(const Snapshot& snapshot, const TensorRecord& a, const TensorRecord& b) {
  if (!a.has_layout || !b.has_layout || !std::ranges::equal(snapshot.shape(a), snapshot.shape(b))) return false;
  bool mirrored = false;
  for (std::size_t d = 0; d < a.rank; ++d) {
    if (snapshot.shape(a)[d] <= 1) continue;  // an axis of size 0 or 1 is never stepped along: its stride does not matter
    const std::int64_t p = snapshot.stride_bits(a)[d], q = snapshot.stride_bits(b)[d];
    if (p != q && p != -q) return false;
    mirrored = mirrored || p != q;
  }
  return mirrored;
}

std::string identical_sentence(const Snapshot& snapshot, const core::PairRecord& pair, std::uint32_t self) {
  const TensorRecord& a = snapshot.tensors[self];
  const TensorRecord& b = snapshot.tensors[partner_of(pair, self)];
  const std::string from = name_of(snapshot, self), to = name_of(snapshot, partner_of(pair, self));
  const std::string bytes = bytes_description(pair.shared_bytes);
  const bool comparable = a.has_layout && b.has_layout && a.address == b.address && snapshot.same_dtype(a, b);
  if (comparable && same_axes(snapshot, a, b)) {
    return fmt::format("{} shows the same {} as {}, in the same order.", from, bytes, to);
  }
  if (comparable && a.rank > 1 && reversed_axes(snapshot, a, b)) {
    return a.rank == 2 ? fmt::format("{} is the transpose of {}: the same {}, rows and columns swapped.", from, to, bytes)
                       : fmt::format("{} is {} with its axes in reverse order: the same {}.", from, to, bytes);
  }
  if (comparable && permuted_axes(snapshot, a, b)) {
    return fmt::format("{} is {} with its axes in another order: the same {}.", from, to, bytes);
  }
  if (snapshot.same_dtype(a, b) && mirrored_axes(snapshot, a, b)) {
    return fmt::format("{} is {} walked backwards along an axis: the same {}.", from, to, bytes);
  }
  if (!snapshot.same_dtype(a, b)) {
    return fmt::format("{} reads the same {} as {}, but as {} instead of {}.", from, bytes, to, snapshot.dtype_name(a),
                       snapshot.dtype_name(b));
  }
  return fmt::format("{} shows the same {} as {}, in another shape or order.", from, bytes, to);
}

std::string unknown_sentence(const Snapshot& snapshot, const core::PairRecord& pair, const std::string& from,
                             const std::string& to) {
  const std::uint32_t subject = core::subject_of(snapshot, pair);
  const std::string who = subject == core::kNone32 ? std::string() : name_of(snapshot, subject);
  return fmt::format("Whether {} and {} share bytes is unknown: {}.", from, to, core::unknown_text(pair.why, who));
}

// Of two that share, where only the library of `lazy` makes the copy that was put off before it writes.
std::string put_off_sentence(const std::string& lazy, const std::string& other, bool other_is_locked, const char* changes) {
  const std::string kept = fmt::format("writing to {} through its library copies first and leaves {} as it is.", lazy, other);
  if (other_is_locked) return fmt::format("{} is not meant to be written to, and {}", other, kept);
  return fmt::format("Writing to {} {} {}, but {}", other, changes, lazy, kept);
}

std::string relation_as_claimed(const Snapshot& snapshot, const core::PairRecord& pair, std::uint32_t self) {
  const std::string from = name_of(snapshot, self), to = name_of(snapshot, partner_of(pair, self));
  const std::string shared = bytes_description(pair.shared_bytes);
  switch (pair.a == self ? pair.relation : core::mirrored(pair.relation)) {
    case Relation::identical:
      return identical_sentence(snapshot, pair, self);
    case Relation::contains:
      return fmt::format("{} holds all of {}: its {} are part of {}.", from, to, shared, from);
    case Relation::contained:
      return fmt::format("{} is a part of {}: all its {} lie in {}.", from, to, shared, to);
    case Relation::overlaps:
      return fmt::format("{} and {} have {} in common, and each has bytes of its own.", from, to, shared);
    case Relation::interleaved:
      return fmt::format("{} and {} alternate in the same stretch of memory, but share no byte.", from, to);
    case Relation::disjoint:
      return fmt::format("{} and {} lie apart in memory.", from, to);
    case Relation::unknown:
      return unknown_sentence(snapshot, pair, from, to);
  }
  return {};
}

std::string consequence_as_claimed(const Snapshot& snapshot, const core::PairRecord& pair, std::uint32_t self) {
  const TensorRecord& a = snapshot.tensors[self];
  const TensorRecord& b = snapshot.tensors[partner_of(pair, self)];
  const std::string from = name_of(snapshot, self), to = name_of(snapshot, partner_of(pair, self));
  const auto locked = [&](const TensorRecord& t) {
    return t.read_only == core::Tri::yes || snapshot.has_remark(t, core::RemarkCode::immutable_by_contract);
  };
  const Relation relation = pair.a == self ? pair.relation : core::mirrored(pair.relation);
  const bool all_of_a = relation == Relation::identical || relation == Relation::contained;
  const bool all_of_b = relation == Relation::identical || relation == Relation::contains;
  if (locked(a) && locked(b)) return "They are not meant to be written to.";
  const auto changes = [](bool all) { return all ? "changes" : "can change"; };
  const auto put_off = [&](const TensorRecord& t) { return snapshot.has_remark(t, core::RemarkCode::copy_on_write); };
  if (put_off(a) && put_off(b))
    return "They share until the first write: writing to one through its library leaves the other as it is.";
  if (put_off(a)) return put_off_sentence(from, to, locked(b), changes(all_of_b));
  if (put_off(b)) return put_off_sentence(to, from, locked(a), changes(all_of_a));
  if (locked(a)) return fmt::format("{} is not meant to be written to, but writing to {} {} it.", from, to, changes(all_of_b));
  if (locked(b)) return fmt::format("Writing to {} {} {}, which is not meant to change.", from, changes(all_of_a), to);
  if (all_of_a && all_of_b) return "Writing to one changes the other.";
  return "Writing to the bytes they share changes both.";
}

std::string how_decided(const core::PairRecord& pair) {
  switch (pair.method) {
    case core::OverlapMethod::extent:
      return "decided by where both begin and end.";
    case core::OverlapMethod::layout:
      return "decided by comparing the two layouts.";
    case core::OverlapMethod::residue:
      return "their strides can never meet (greatest common divisor).";
    case core::OverlapMethod::search:
      return "a search over their indices found the answer.";
    case core::OverlapMethod::bitset:
      return "every byte of the common stretch was marked and counted.";
    case core::OverlapMethod::sweep:
      return "the bytes of the common stretch were counted row by row.";
  }
  return {};
}

}  // namespace

// The addresses were compared within the space that the producers claim; who reads the sentence must know where that is doubted.
std::string relation_sentence(const Snapshot& snapshot, const core::PairRecord& pair, std::uint32_t self) {
  std::string out = relation_as_claimed(snapshot, pair, self);
  const bool is_claim = pair.relation != Relation::unknown && pair.relation != Relation::disjoint;
  if (const std::string claim = is_claim ? if_as_claimed(snapshot, pair) : std::string(); !claim.empty())
    out.insert(out.size() - 1, claim);  // before the full stop
  return out;
}

std::string consequence_sentence(const Snapshot& snapshot, const core::PairRecord& pair, std::uint32_t self) {
  if (!shares_bytes(pair)) return {};
  std::string out = consequence_as_claimed(snapshot, pair, self);
  if (if_as_claimed(snapshot, pair).empty()) return out;
  if (out.front() == 'W' || out.front() == 'T') out.front() = static_cast<char>(out.front() - 'A' + 'a');
  return "If so, " + out;
}

std::string method_sentence(const Snapshot& snapshot, const core::PairRecord& pair) {
  if (pair.relation == Relation::unknown) return {};
  const bool as_claimed = !if_as_claimed(snapshot, pair).empty();
  return (as_claimed ? "By the device that is claimed and contradicted: " : "Exact: ") + how_decided(pair);
}

}  // namespace dlscope::app
