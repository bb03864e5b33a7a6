#include "core/inventory/hand_over.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/inventory/relation.h"
#include "core/memory/file_mapping.h"

namespace dlscope::core {
namespace {

// The file mapping that contains the whole extent, whose pages another mapping may show, too; nullopt: there is none.
std::optional<FileMapping> file_under(const TensorRecord& tensor) {
  auto file = tensor.space == kHostSpace ? file_mapping_at(tensor.extent.begin) : std::nullopt;
  if (file && !file->range.holds(tensor.extent.begin, tensor.extent.size())) file.reset();
  return file;
}

struct PagesOverlap {
  Overlap overlap;
  Address shift = 0;  // to be added to the second's addresses to get the first's
  std::string path;
  bool certain = true;  // false: private pages may have been copied since they were mapped
};

// How the tensors' pages relate, if they lie in two different mappings of one file; otherwise nullopt.
std::optional<PagesOverlap> overlap_of_pages(const Snapshot& snapshot, const TensorRecord& a, const TensorRecord& b) {
  const auto first = file_under(a), second = first ? file_under(b) : std::nullopt;
  if (!second || first->range == second->range) return std::nullopt;
  if (first->device != second->device || first->inode != second->inode) return std::nullopt;
  // The address at which the second tensor's first page would lie in the first one's mapping.
  const Address shift = first->range.begin - first->offset + second->offset - second->range.begin;
  MemoryView moved = snapshot.memory_view(b);
  moved.address += shift;
  moved.extent = {moved.extent.begin + shift, moved.extent.end + shift};
  return PagesOverlap{overlap(snapshot.memory_view(a), moved), shift, first->path, first->shared && second->shared};
}

// The byte at `address`, found through the tensor's own layout: as a byte of the element that contains it.
Address byte_by_index(const Snapshot& snapshot, const TensorRecord& tensor, Address address) {
  const auto flat = element_at(snapshot.memory_view(tensor), address);
  if (!flat) return address;
  const Address element = tensor.address + static_cast<Address>(bit_offset_of(snapshot.layout(tensor), *flat) >> 3);
  return element + (address - element) % std::max<std::uint64_t>((tensor.item_bits + 7) / 8, 1);
}

bool has_no_bytes(const TensorRecord& tensor) { return tensor.has_layout && tensor.elements == 0; }

// What contradicts the producer's claim about the device; "" if __dlpack_device__, the struct
// and the address map agree. Two names for host memory (a pinned tensor that PyTorch's
// capsule calls plain CPU memory) are no contradiction: the addresses are the same.
std::string_view what_is_wrong_about_device(const Snapshot& snapshot, const TensorRecord& tensor) {
  const bool both_host = tensor.has_claimed_device && device_memory(tensor.device) == DeviceMemory::host &&
                         device_memory(tensor.claimed_device) == DeviceMemory::host;
  if (both_host) return {};
  for (const RemarkRecord& remark : Snapshot::slice(snapshot.remarks, tensor.remarks)) {
    if (remark.code == RemarkCode::device_mismatch) return snapshot.str(remark.message);
  }
  return {};
}

// Why there can be no verdict on the pair; "" if the byte sets decide it. Unreadable bytes get no verdict, even where the
// addresses alone would say disjoint, because there may be no memory at all.
std::string why_undecided(const Snapshot& snapshot, const PairRecord& pair, std::uint32_t from, std::uint32_t to) {
  for (const std::uint32_t id : {from, to}) {
    const std::string_view which = id == from ? "the first" : "the second";
    if (const std::string_view lie = what_is_wrong_about_device(snapshot, snapshot.tensors[id]); !lie.empty())
      return fmt::format("{} is not where it says: {}; nothing was read through it", which, lie);
    if (const UnknownWhy why = why_bytes_unknown(snapshot, snapshot.tensors[id]); why != UnknownWhy::none)
      return text_for_unknown(snapshot, {.a = id, .b = id, .relation = Relation::unknown, .why = why}, which, which);
  }
  if (pair.relation != Relation::unknown) return {};
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
  step.from_byte = pair.shared_bytes > 0 ? pair.witness : first.address;
  step.to_byte = pair.shared_bytes > 0 ? byte_by_index(snapshot, second, pair.witness)
                                       : second.address;
  std::string where;
  if (step.shared_bytes == 0) {
    const auto pages = overlap_of_pages(snapshot, first, second);
    if (pages && pages->overlap.shared_bytes.value_or(0) > 0 && !pages->certain) {
      step.relation = Relation::unknown;
      step.shared_bytes = kUnknown64;
      step.why = fmt::format(
          "both are mapped from {}, not both shared: a private page is the file's own until it is written, and who "
          "wrote is not known",
          pages->path);
      return step;
    }
    if (pages && pages->overlap.shared_bytes.value_or(0) > 0) {
      step.relation = pages->overlap.relation;
      step.shared_bytes = *pages->overlap.shared_bytes;
      step.from_byte = pages->overlap.witness->address;
      step.to_byte = step.from_byte - pages->shift;
      where = fmt::format(", two mappings of the same pages of {}", pages->path);
    }
  }
  step.verdict = verdict_of(step.relation);
  step.why = words_of(step) + where;
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
