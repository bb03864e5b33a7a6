#include "core/inventory/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/tensor/unknown_flags.h"

namespace dlscope::core {
namespace {

std::string label_of(const Snapshot& snapshot, const TensorRecord& tensor) {
  const std::string_view name = snapshot.name(tensor);
  return std::string(name.empty() ? snapshot.str(tensor.type) : name);
}

std::optional<Address> known_address(const TensorRecord& tensor) {
  return tensor.has_metadata ? std::optional(tensor.address) : std::nullopt;
}

std::string version_of(const Snapshot& snapshot, std::string_view library) {
  const auto name_of = [&](const LibraryRecord& each) { return snapshot.str(each.name); };
  const auto found = std::ranges::find(snapshot.libraries, library, name_of);
  return found != snapshot.libraries.end() ? std::string(snapshot.str(found->version)) : std::string();
}

std::uint64_t unknown_flags_of(const Snapshot& snapshot, const TensorRecord& tensor) {
  for (const RemarkRecord& remark : Snapshot::slice(snapshot.remarks, tensor.remarks)) {
    if (remark.code == RemarkCode::unknown_flags) return flags_in_text(snapshot.str(remark.message));
  }
  return 0;
}

ProofSide side_of(const Snapshot& snapshot, const TensorRecord& tensor) {
  const std::string library(snapshot.str(tensor.library));
  return {.library = library,
          .version = version_of(snapshot, library),
          .dtype = tensor.has_metadata ? snapshot.dtype_name(tensor) : std::string(),
          .protocol = tensor.protocol,
          .capsule = tensor.capsule,
          .given_by = tensor.given_by,
          .version_major = tensor.version_major,
          .version_minor = tensor.version_minor,
          .extent = has_known_extent(tensor) ? std::optional(tensor.extent) : std::nullopt,
          .read_only = tensor.read_only,
          .is_copied = tensor.is_copied,
          .subbyte_padded = tensor.subbyte_padded,
          .unknown_flags = unknown_flags_of(snapshot, tensor)};
}

ProofStep prove_step(const Snapshot& snapshot, ProofPair pair, const AddressMap* map, const ProbeLimits& limits,
                     HandOverStep& judged) {
  const TensorRecord& from = snapshot.tensors[pair.from];
  const TensorRecord& to = snapshot.tensors[pair.to];
  judged = judge_hand_over(snapshot, pair.from, pair.to);
  ProbeResult probe;
  if (map != nullptr) probe = probe_by_writing(snapshot, pair.from, pair.to, judged, *map, limits);
  std::string why = judged.why;
  // Where it gives a copy to everyone who asks, that is worth knowing.
  if (pair.same_object && judged.verdict == HandOver::shared)
    why = fmt::format("both are the same object, so nothing was handed over and this proves nothing about sharing: {}", judged.why);
  if (!probe.why.empty()) why += fmt::format("; the write probe: {}", probe.why);
  ProofSide from_side = side_of(snapshot, from), to_side = side_of(snapshot, to);
  if (probe.hashes) {
    from_side.hash_before = probe.hashes->from_before;
    from_side.hash_after = probe.hashes->from_after;
    to_side.hash_before = probe.hashes->to_before;
    to_side.hash_after = probe.hashes->to_after;
  }
  return {.from = label_of(snapshot, from),
          .to = label_of(snapshot, to),
          .verdict = judged.verdict,
          .relation = judged.relation,
          .shared_bytes = judged.shared_bytes,
          .from_address = known_address(from),
          .to_address = known_address(to),
          .probe = probe.probe,
          .from_writability = writability_text(snapshot, from),
          .to_writability = writability_text(snapshot, to),
          .why = std::move(why),
          .from_side = std::move(from_side),
          .to_side = std::move(to_side)};
}

}  // namespace

Proof prove(const Snapshot& snapshot, std::span<const ProofPair> pairs, const AddressMap* map, const Snapshot* known,
            std::span<const NeverWritten::Owner> shown) {
  Proof proof;
  std::vector<NeverWritten> never;
  for (const Snapshot* const each : {&snapshot, known}) {
    if (map != nullptr && each != nullptr) never.emplace_back(*each);
  }
  std::vector<HandOverStep> judged(pairs.size());
  const ProbeLimits limits{never, shown, known};
  for (std::size_t i = 0; i < pairs.size(); ++i) proof.steps.push_back(prove_step(snapshot, pairs[i], map, limits, judged[i]));
  proof.verdict = judge_chain(judged);
  return proof;
}

std::vector<ProofPair> chain_of(std::uint32_t count) {
  std::vector<ProofPair> pairs;
  for (std::uint32_t i = 0; i + 1 < count; ++i) pairs.push_back({i, i + 1});
  return pairs;
}

}  // namespace dlscope::core
