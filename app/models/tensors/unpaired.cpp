#include "app/models/tensors/unpaired.h"

#include <fmt/core.h>

#include <algorithm>

#include "app/models/tensors/device_doubt.h"
#include "app/models/text/format.h"
#include "core/inventory/relation.h"

namespace dlscope::app {

using core::UnknownWhy;

Unpaired unpaired(const SnapshotIndex& index, std::uint32_t id) {
  const core::Snapshot& snapshot = *index.snapshot;
  const core::TensorRecord& tensor = index.tensor(id);
  if (core::why_bytes_unknown(snapshot, tensor) != UnknownWhy::none) return Unpaired::bytes_unknown;
  if (tensor.elements == 0) return Unpaired::no_bytes;
  if (index.missing_pairs_of(id) == UnknownWhy::none) return Unpaired::alone;
  if (tensor.group != core::kNone32 && snapshot.groups[tensor.group].members.count > 1) return Unpaired::shares;
  // What a private mapping shows of its file decides no group.
  if (snapshot.has_remark(tensor, core::RemarkCode::same_file_pages)) return Unpaired::open;
  return snapshot.info.open_groups == UnknownWhy::none ? Unpaired::alone : Unpaired::open;
}

std::string unpaired_sentence(const SnapshotIndex& index, std::uint32_t id, std::string_view who) {
  const core::Snapshot& snapshot = *index.snapshot;
  const core::TensorRecord& tensor = index.tensor(id);
  switch (unpaired(index, id)) {
    case Unpaired::no_bytes:
      return fmt::format("{} has no elements, so it has no bytes to share.", who);
    case Unpaired::bytes_unknown:
      return fmt::format("{}, so what it shares is unknown.", core::unknown_text(core::why_bytes_unknown(snapshot, tensor), who));
    case Unpaired::alone:
      // What is not certain to lie in other memory is unknown: meets_elsewhere_sentence() says so.
      return fmt::format("{} shares no byte with any other listed tensor{}{}{}.", who,
                         meets_elsewhere_sentence(index, id, who).empty() ? "" : " of its own memory",
                         index.bytes_unknown > 0 ? " whose bytes are known" : "", if_as_claimed(snapshot, tensor));
    case Unpaired::shares:
      return fmt::format("{} shares bytes with others of its group of {}. With which ones is not listed: {}.", who,
                         counted(snapshot.groups[tensor.group].members.count, "tensor", "tensors"),
                         core::unknown_text(index.missing_pairs_of(id), who));
    case Unpaired::open:
      return fmt::format("{} was not compared with all others, so what it shares is unknown: {}.", who,
                         core::unknown_text(std::max(snapshot.info.open_groups, snapshot.info.missing_pairs), who));
  }
  return {};
}

std::string no_pairs_sentence(const core::Snapshot& snapshot, std::uint64_t bytes_unknown) {
  if (snapshot.info.missing_pairs != UnknownWhy::none)
    return fmt::format("Which tensors share bytes is unknown: {}.", core::unknown_text(snapshot.info.missing_pairs, {}));
  const bool elsewhere = some_meet_elsewhere(snapshot);
  std::string text = elsewhere ? "No two tensors of the same memory" : "No two tensors";
  text += bytes_unknown == 0 ? " share bytes."
                             : fmt::format(" whose bytes are known share any; of {} they are not known.",
                                           counted(bytes_unknown, "tensor", "tensors"));
  if (elsewhere) text += " Some have the same addresses on different devices, and whether that is the same memory is unknown.";
  return text;
}

std::string cut_short_sentence(const core::Snapshot& snapshot) {
  const UnknownWhy why = snapshot.info.missing_pairs;
  if (why == UnknownWhy::none) return {};
  if (snapshot.sharing_not_yet()) return "Pairs are not listed yet: " + core::unknown_text(why, {}) + ".";
  return fmt::format("The list of pairs was cut short: {}.", core::unknown_text(why, {}));
}

}  // namespace dlscope::app
