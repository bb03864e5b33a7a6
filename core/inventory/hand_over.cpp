#include "core/inventory/hand_over.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/inventory/hand_over_words.h"
#include "core/inventory/relation.h"
#include "core/memory/file_mapping.h"

namespace dlscope::core {
namespace {

// Parts of two tensors that show the same pages of one file at different addresses.
struct SamePages {
  FileMapping a, b;
  Address shift = 0;  // to be added to the second's addresses to get the first's
};

std::optional<SamePages> find_same_pages(const AddressMap& map, const TensorRecord& a, const TensorRecord& b) {
  const std::vector<FileMapping> in_b = file_mappings_in(map, b.extent);
  for (const FileMapping& first : file_mappings_in(map, a.extent)) {
    for (const FileMapping& second : in_b) {
      const Address shift = first.range.begin - first.offset + second.offset - second.range.begin;
      if (shift != 0 && show_same_pages(first, second)) return SamePages{first, second, shift};
    }
  }
  return std::nullopt;
}

// The address of a byte that both tensors contain, each in a mapping of its own.
std::string mapped_twice(Address address) {
  const auto map = AddressMap::load(0);
  const auto parts = map ? file_mappings_in(*map, {address, address + 1}) : std::vector<FileMapping>();
  return fmt::format("two mappings of the same pages of {}", parts.empty() ? "a file" : parts.front().path);
}

// What two mappings of one file make of a pair that has no address in common.
struct PagesOverlap {
  Overlap overlap;  // of the pages; its addresses are the first tensor's
  Address shift = 0;
  std::string path;
  std::string why_unknown;  // else ""
};

// nullopt: the tensors have no page of a file in common.
std::optional<PagesOverlap> overlap_of_pages(const Snapshot& snapshot, const TensorRecord& a, const TensorRecord& b) {
  if (a.space != kHostSpace || b.space != kHostSpace) return std::nullopt;
  const auto map = AddressMap::load(0);
  if (!map)
    return PagesOverlap{.overlap = {}, .path = {},
                        .why_unknown = fmt::format("whether both show the same pages was not worked out: {}", map.error().message)};
  const auto same = find_same_pages(*map, a, b);
  if (!same) return std::nullopt;
  PagesOverlap pages{.overlap = {}, .shift = same->shift, .path = same->a.path, .why_unknown = {}};
  if (same->a.range != a.extent || same->b.range != b.extent) {
    pages.why_unknown = fmt::format(
        "parts of both are mapped from the same pages of {}, and parts from elsewhere: which bytes are the same was not worked "
        "out",
        pages.path);
    return pages;
  }
  MemoryView moved = snapshot.memory_view(b);
  moved.address += pages.shift;
  moved.extent = {moved.extent.begin + pages.shift, moved.extent.end + pages.shift};
  pages.overlap = overlap(snapshot.memory_view(a), moved);
  if (pages.overlap.shared_bytes == 0) return std::nullopt;
  if (!pages.overlap.shared_bytes) {
    pages.why_unknown = fmt::format("both are mapped from {}, and whether they have bytes of it in common was not worked out: {}",
                                    pages.path, unknown_text(pages.overlap.why, {}));
  } else if (!same->a.shared || !same->b.shared) {
    pages.why_unknown = fmt::format(
        "both are mapped from {}, not both shared: a private page is the file's own until it is written, and who wrote is not "
        "known",
        pages.path);
  }
  return pages;
}

// The byte at `address`, found through the tensor's own layout: as a byte of the element that contains it.
Address byte_by_index(const Snapshot& snapshot, const TensorRecord& tensor, Address address) {
  const auto flat = element_at(snapshot.memory_view(tensor), address);
  if (!flat) return address;
  const Address element = tensor.address + static_cast<Address>(bit_offset_of(snapshot.layout(tensor), *flat) >> 3);
  return element + (address - element) % std::max<std::uint64_t>((tensor.item_bits + 7) / 8, 1);
}

bool has_no_bytes(const TensorRecord& tensor) { return tensor.has_layout && tensor.elements == 0; }

// Why there can be no verdict on the pair; "" if the byte sets decide it. Unreadable bytes get no verdict, even where the
// addresses alone would say disjoint, because there may be no memory at all.
std::string why_undecided(const Snapshot& snapshot, const PairRecord& pair, std::uint32_t from, std::uint32_t to) {
  for (const std::uint32_t id : {from, to}) {
    const std::string_view which = id == from ? "the first" : "the second";
    if (const auto lie = contradiction_about_device(snapshot, snapshot.tensors[id]))
      return fmt::format("{} is not where it says: {}; nothing was read through it", which, *lie);
    if (const UnknownWhy why = why_bytes_unknown(snapshot, snapshot.tensors[id]); why != UnknownWhy::none)
      return text_for_unknown(snapshot, {.a = id, .b = id, .relation = Relation::unknown, .why = why}, which, which);
  }
  if (pair.relation != Relation::unknown) return {};
  if (pair.why == UnknownWhy::same_file_pages) {
    const auto pages = overlap_of_pages(snapshot, snapshot.tensors[from], snapshot.tensors[to]);
    if (pages && !pages->why_unknown.empty()) return pages->why_unknown;  // names the file, and which of the reasons it is
  }
  return text_for_unknown(snapshot, pair, from < to ? "the first" : "the second", from < to ? "the second" : "the first");
}

HandOver verdict_of(Relation relation) {
  switch (relation) {
    case Relation::identical:
    case Relation::contains:
    case Relation::contained:
      return HandOver::shared;
    case Relation::overlaps:
      return HandOver::partly_shared;
    case Relation::disjoint:
    case Relation::interleaved:
      return HandOver::copied;
    case Relation::unknown:
      break;
  }
  return HandOver::unknown;
}

// Whether `other` lies in the piece of memory that the tensor is a part of, by an owner that gives out parts of it only as views. Not
// that of a mapping or of the driver: allocators put what has nothing to do with each other there.
bool is_in_allocation_of(const Snapshot& snapshot, const TensorRecord& tensor, const TensorRecord& other) {
  const auto whole = snapshot.allocation_of(tensor);
  if (!whole || whole->source == AllocationSource::mapping || whole->source == AllocationSource::driver) return false;
  return tensor.space == kHostSpace && other.space == kHostSpace && has_known_extent(other) &&
         whole->range.begin <= other.extent.begin && other.extent.end <= whole->range.end;
}

std::string words_of(const HandOverStep& step) {
  switch (step.relation) {
    case Relation::identical:
      return fmt::format("both are the same {} bytes", step.shared_bytes);
    case Relation::contains:
      return fmt::format("all {} bytes of the second are bytes of the first", step.shared_bytes);
    case Relation::contained:
      return fmt::format("all {} bytes of the first are bytes of the second", step.shared_bytes);
    case Relation::overlaps:
      return fmt::format("{} bytes in common, and each has bytes the other has not", step.shared_bytes);
    case Relation::interleaved:
      return "no byte in common, though they alternate in memory";
    default:
      return "no byte in common";
  }
}

// What a write does to two tensors with bytes in common, where it makes a copy. Views of one storage move together; lazy clones,
// which are storages of their own, part.
std::string_view words_of_copy_on_write(const Snapshot& snapshot, const TensorRecord& a, const TensorRecord& b) {
  const auto puts_off = [&](const TensorRecord& tensor) { return snapshot.has_remark(tensor, RemarkCode::copy_on_write); };
  if (!puts_off(a) && !puts_off(b)) return {};
  if (puts_off(a) && puts_off(b) && a.manager != 0 && a.manager == b.manager)
    return ", also after a write makes the copy that copy-on-write has put off: both are views of one storage, which moves whole";
  return ", until a write makes the copy that copy-on-write has put off";
}

}  // namespace

const char* hand_over_name(HandOver verdict) {
  static constexpr const char* kNames[] = {"SHARED", "COPIED", "PARTLY SHARED", "UNKNOWN"};
  return kNames[static_cast<std::size_t>(verdict)];
}

HandOverStep judge_hand_over(const Snapshot& snapshot, std::uint32_t from, std::uint32_t to) {
  HandOverStep step;
  const TensorRecord& first = snapshot.tensors[from];
  const TensorRecord& second = snapshot.tensors[to];
  const PairRecord pair = relation_between(snapshot, from, to);
  step.relation = from < to ? pair.relation : mirrored(pair.relation);
  step.shared_bytes = pair.shared_bytes;
  if (has_no_bytes(first) || has_no_bytes(second)) {
    step.why = fmt::format("the {} has no bytes: there is nothing to share or to copy", has_no_bytes(first) ? "first" : "second");
    return step;
  }
  if (std::string why = why_undecided(snapshot, pair, from, to); !why.empty()) {
    step.relation = Relation::unknown;
    step.shared_bytes = kUnknown64;
    step.why = std::move(why);
    return step;
  }
  step.from_byte = first.address;
  step.to_byte = second.address;
  std::string where;
  if (pair.shared_bytes > 0) {
    step.from_byte = witness_in(snapshot, pair, from);
    step.to_byte = byte_by_index(snapshot, second, witness_in(snapshot, pair, to));
    if (first.page_shift != second.page_shift) where = fmt::format(", {}", mapped_twice(step.from_byte));
  }
  if (step.shared_bytes == 0) {
    const auto pages = overlap_of_pages(snapshot, first, second);
    if (pages && !pages->why_unknown.empty()) {
      step.relation = Relation::unknown;
      step.shared_bytes = kUnknown64;
      step.why = pages->why_unknown;
      return step;
    }
    if (pages) {
      step.relation = pages->overlap.relation;
      step.shared_bytes = *pages->overlap.shared_bytes;
      step.from_byte = pages->overlap.witness->address;
      step.to_byte = step.from_byte - pages->shift;
      where = fmt::format(", {}", mapped_twice(step.from_byte));
    }
  }
  step.verdict = verdict_of(step.relation);
  const bool in_one = is_in_allocation_of(snapshot, first, second) || is_in_allocation_of(snapshot, second, first);
  if (step.verdict == HandOver::copied && in_one)
    where = ": they are two parts of one allocation, so neither need be a copy of the other";
  step.why = words_of(step) + where + words_of_difference(snapshot, step, first, second);
  if (step.shared_bytes > 0) step.why += words_of_copy_on_write(snapshot, first, second);
  if (first.space != second.space) step.why += ": they lie in different memories";
  return step;
}

HandOver judge_chain(std::span<const HandOverStep> steps) {
  const auto any = [&](HandOver verdict) { return std::ranges::find(steps, verdict, &HandOverStep::verdict) != steps.end(); };
  for (const HandOver verdict : {HandOver::copied, HandOver::unknown, HandOver::partly_shared}) {
    if (any(verdict)) return verdict;
  }
  return HandOver::shared;
}

}  // namespace dlscope::core
