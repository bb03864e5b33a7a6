#include "core/inventory/proof.h"

#include <fmt/format.h>

#include <utility>

namespace dlscope::core {
namespace {

std::string label_of(const Snapshot& snapshot, const TensorRecord& tensor) {
  const std::string_view name = snapshot.name(tensor);
  return std::string(name.empty() ? snapshot.str(tensor.type) : name);
}

std::optional<Address> known_address(const TensorRecord& tensor) {
  return tensor.has_metadata ? std::optional(tensor.address) : std::nullopt;
}

ProofStep prove_step(const Snapshot& snapshot, ProofPair pair, const AddressMap* map, std::span<const NeverWritten> never,
                     HandOverStep& judged) {
  const TensorRecord& from = snapshot.tensors[pair.from];
  const TensorRecord& to = snapshot.tensors[pair.to];
  judged = judge_hand_over(snapshot, pair.from, pair.to);
  ProbeResult probe;
  if (map != nullptr) probe = probe_by_writing(snapshot, pair.from, pair.to, judged, *map, never);
  std::string why = judged.why;
  if (!probe.why.empty()) why += fmt::format("; the write probe: {}", probe.why);
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
          .why = std::move(why)};
}

}  // namespace

Proof prove(const Snapshot& snapshot, std::span<const ProofPair> pairs, const AddressMap* map, const Snapshot* known) {
  Proof proof;
  std::vector<NeverWritten> never;
  for (const Snapshot* const each : {&snapshot, known}) {
    if (map != nullptr && each != nullptr) never.emplace_back(*each);
  }
  std::vector<HandOverStep> judged(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) proof.steps.push_back(prove_step(snapshot, pairs[i], map, never, judged[i]));
  proof.verdict = judge_chain(judged);
  return proof;
}

std::vector<ProofPair> chain_of(std::uint32_t count) {
  std::vector<ProofPair> pairs;
  for (std::uint32_t i = 0; i + 1 < count; ++i) pairs.push_back({i, i + 1});
  return pairs;
}

}  // namespace dlscope::core
