#include "app/models/tensors/badges.h"

#include <fmt/core.h>

#include <algorithm>

#include "app/models/tensors/sharing_text.h"
#include "app/models/tensors/unpaired.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"

namespace dlscope::app {
namespace {

using core::RemarkCode;
using core::TensorRecord;

constexpr std::size_t kPartnerNameLength = 18;

std::uint64_t problem_count(const core::Snapshot& snapshot, const TensorRecord& tensor) {
  const auto remarks = core::Snapshot::slice(snapshot.remarks, tensor.remarks);
  return static_cast<std::uint64_t>(std::ranges::count_if(
      remarks, [](const core::RemarkRecord& r) { return core::remark_kind(r.code) == core::RemarkKind::problem; }));
}

// Comes first, because it disappears with the next run.
void append_mark(const SnapshotIndex& index, std::uint32_t id, std::vector<Badge>& out, BadgeDetail detail) {
  const Mark mark = index.marks.mark_of(id);
  if (mark == Mark::none) return;
  std::string meaning = detail == BadgeDetail::full ? change_sentence(index.marks, *index.snapshot, id) : std::string();
  if (mark == Mark::fresh) out.push_back({"new", std::move(meaning), Tone::good});
  if (mark == Mark::changed) out.push_back({"changed", std::move(meaning), Tone::warn});
  if (mark == Mark::moved) out.push_back({"moved", std::move(meaning), Tone::dim});
}

// No listed pair shares bytes. That needs a badge only when the list may be incomplete.
void append_unlisted(const SnapshotIndex& index, std::uint32_t id, std::vector<Badge>& out, BadgeDetail detail) {
  const Unpaired known = unpaired(index, id);
  if (known != Unpaired::shares && known != Unpaired::open) return;
  std::string meaning = detail == BadgeDetail::full ? unpaired_sentence(index, id, "It") : std::string();
  if (known == Unpaired::shares)
    out.push_back({"shares", std::move(meaning), Tone::accent});
  else if (index.snapshot->sharing_not_yet())
    out.push_back({"sharing not yet known", std::move(meaning), Tone::unknown});
  else
    out.push_back({"sharing unknown", std::move(meaning), Tone::unknown});
}

void append_sharing(const SnapshotIndex& index, std::uint32_t id, std::vector<Badge>& out, BadgeDetail detail) {
  const core::Snapshot& snapshot = *index.snapshot;
  const auto pairs = index.pairs_of(id);
  if (pairs.empty()) return append_unlisted(index, id, out, detail);
  const core::PairRecord& strongest = index.pair(pairs.front());
  const std::string meaning = detail == BadgeDetail::full ? relation_sentence(snapshot, strongest, id) : std::string();
  if (strongest.relation == core::Relation::unknown) return out.push_back({"sharing unknown", meaning, Tone::unknown});
  if (!shares_bytes(strongest)) return append_unlisted(index, id, out, detail);
  // Pairs are ordered by strength: those that share bytes come first.
  const auto end = std::ranges::partition_point(pairs, [&](std::uint32_t p) { return shares_bytes(index.pair(p)); });
  const auto partners = static_cast<std::uint64_t>(end - pairs.begin());
  const auto name = snapshot.name(index.tensor(partner_of(strongest, id)));
  std::string text = "shares " + shortened_name(name, kPartnerNameLength);
  if (partners > 1) text += fmt::format(" +{}", grouped(partners - 1));
  out.push_back({std::move(text), meaning, Tone::accent});
}

void append_state(const core::Snapshot& snapshot, const TensorRecord& tensor, std::vector<Badge>& out) {
  const bool not_described = snapshot.has_remark(tensor, RemarkCode::not_described);
  if (not_described) {
    out.push_back({"not described", core::remark_meaning(RemarkCode::not_described), Tone::unknown});
  } else if (tensor.protocol == core::Protocol::none) {
    out.push_back({"refused", "No protocol would describe it; the inspector has the library's own message.", Tone::bad});
  }
  if (snapshot.has_remark(tensor, RemarkCode::data_null)) {
    out.push_back({"NULL data", core::remark_meaning(RemarkCode::data_null), Tone::bad});
  }
  if (snapshot.has_remark(tensor, RemarkCode::device_mismatch)) {
    out.push_back({"device differs", core::remark_meaning(RemarkCode::device_mismatch), Tone::bad});
  }
  if (snapshot.has_remark(tensor, RemarkCode::extent_unreadable)) {
    out.push_back({"not readable", core::remark_meaning(RemarkCode::extent_unreadable), Tone::bad});
  }
  if (snapshot.has_remark(tensor, RemarkCode::not_probed)) {
    out.push_back({"not checked", core::remark_meaning(RemarkCode::not_probed), Tone::unknown});
  }
  const bool named = snapshot.has_remark(tensor, RemarkCode::data_null) ||
                     snapshot.has_remark(tensor, RemarkCode::device_mismatch) ||
                     snapshot.has_remark(tensor, RemarkCode::extent_unreadable);
  const std::uint64_t problems = problem_count(snapshot, tensor);
  if (problems > 0 && !named && !not_described) {
    out.push_back({counted(problems, "problem", "problems"), "The inspector names what is wrong.", Tone::bad});
  }
  // What was unpacked out of a file is no copy of a program's memory.
  if (tensor.is_copied == core::Tri::yes && tensor.protocol != core::Protocol::file) {
    out.push_back({"copy", "The data was copied for this export: it is not the original memory.", Tone::warn});
  }
}

void append_kept_alive(const core::Snapshot& snapshot, const TensorRecord& tensor, std::vector<Badge>& out) {
  const auto remarks = core::Snapshot::slice(snapshot.remarks, tensor.remarks);
  const auto kept = std::ranges::find(remarks, RemarkCode::keeps_alive_unused, &core::RemarkRecord::code);
  const auto allocation = snapshot.allocation_of(tensor);
  if (kept == remarks.end() || !allocation) return;
  const std::string_view numbers = snapshot.str(kept->message);
  std::string meaning = core::remark_meaning(RemarkCode::keeps_alive_unused);
  if (!numbers.empty()) meaning = "It " + std::string(numbers) + ".";
  out.push_back({"keeps " + human_bytes(allocation->range.size()), std::move(meaning), Tone::warn});
}

// Warnings first: a narrow column has room for one or two.
void append_layout(const core::Snapshot& snapshot, const TensorRecord& tensor, std::vector<Badge>& out) {
  append_kept_alive(snapshot, tensor, out);
  if (tensor.contiguity == core::Contiguity::overlapping) {
    out.push_back({"overlaps itself", "Two different indices reach the same byte.", Tone::warn});
  }
  if (snapshot.has_remark(tensor, RemarkCode::conjugate_bit)) {
    out.push_back({"conjugated", core::remark_meaning(RemarkCode::conjugate_bit), Tone::warn});
  }
  if (snapshot.has_remark(tensor, RemarkCode::negative_bit)) {
    out.push_back({"negated", core::remark_meaning(RemarkCode::negative_bit), Tone::warn});
  }
  if (snapshot.has_remark(tensor, RemarkCode::masked)) {
    out.push_back({"masked", core::remark_meaning(RemarkCode::masked), Tone::warn});
  }
  if (snapshot.has_remark(tensor, RemarkCode::nulls)) {
    out.push_back({"nulls", core::remark_meaning(RemarkCode::nulls), Tone::warn});
  }
  if (snapshot.has_remark(tensor, RemarkCode::unaligned)) {
    out.push_back({"not aligned", core::remark_meaning(RemarkCode::unaligned), Tone::warn});
  }
  if (snapshot.has_remark(tensor, RemarkCode::immutable_by_contract)) {
    out.push_back({"immutable", core::remark_meaning(RemarkCode::immutable_by_contract), Tone::plain});
  }
  const bool copy_put_off = snapshot.has_remark(tensor, RemarkCode::copy_on_write);
  if (copy_put_off) out.push_back({"copy-on-write", core::remark_meaning(RemarkCode::copy_on_write), Tone::plain});
  // Its library lets the user write through a copy-on-write tensor: the write makes the copy. Only dlscope must not.
  if (tensor.read_only == core::Tri::yes && !copy_put_off) {
    out.push_back({"read-only", "The exporter forbids writing through this tensor.", Tone::plain});
  }
  if (snapshot.has_remark(tensor, RemarkCode::mapped_again)) {
    out.push_back({"mapped again", core::remark_meaning(RemarkCode::mapped_again), Tone::plain});
  }
  if (tensor.contiguity == core::Contiguity::broadcast) {
    out.push_back({"broadcast", "A stride of 0 repeats the same bytes along an axis.", Tone::plain});
  }
  if (snapshot.has_remark(tensor, RemarkCode::negative_stride)) {
    out.push_back({"reversed", "A negative stride walks an axis backwards through memory.", Tone::plain});
  }
}

}  // namespace

void append_own_badges(const core::Snapshot& snapshot, const TensorRecord& tensor, std::vector<Badge>& out) {
  append_state(snapshot, tensor, out);
  append_layout(snapshot, tensor, out);
}

void append_badges(const SnapshotIndex& index, std::uint32_t id, std::vector<Badge>& out, BadgeDetail detail, BadgeMarks marks) {
  const TensorRecord& tensor = index.tensor(id);
  if (marks == BadgeMarks::included) append_mark(index, id, out, detail);
  append_state(*index.snapshot, tensor, out);
  append_sharing(index, id, out, detail);
  append_layout(*index.snapshot, tensor, out);
}

void order_by_harm(std::vector<Badge>& badges) {
  const auto harm = [](const Badge& badge) { return badge.tone == Tone::bad ? 0 : badge.tone == Tone::warn ? 1 : 2; };
  std::ranges::stable_sort(badges, {}, harm);
}

void append_gone_badge(const SnapshotIndex& index, const GoneTensor& gone, std::vector<Badge>& out) {
  out.push_back({gone_since_text(index.marks), gone_sentence(index.marks, gone), Tone::dim});
}

const char* contiguity_text(core::Contiguity contiguity) {
  switch (contiguity) {
    case core::Contiguity::unknown:
      return "unknown";
    case core::Contiguity::c:
      return "C-contiguous";
    case core::Contiguity::f:
      return "F-contiguous";
    case core::Contiguity::c_and_f:
      return "contiguous";
    case core::Contiguity::strided:
      return "strided";
    case core::Contiguity::broadcast:
      return "broadcast";
    case core::Contiguity::overlapping:
      return "overlapping";
    case core::Contiguity::empty:
      return "empty";
    case core::Contiguity::scalar:
      return "one element";
  }
  return "unknown";
}

}  // namespace dlscope::app
