// How a hand-over, a copy and a proof are told: verdicts with their colour, evidence line by line, the ledger's rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/models/tensors/badges.h"
#include "app/models/text/format.h"
#include "core/base/result.h"
#include "core/inventory/snapshot.h"
#include "core/wire/work.h"

namespace dlscope::app {

[[nodiscard]] Tone verdict_tone(std::string_view verdict);
// One plain sentence: "Both names reach the same memory: nothing was copied."
[[nodiscard]] std::string_view verdict_meaning(std::string_view verdict);

// (label, words) of what there is to show for the verdict.
using EvidenceLine = std::pair<std::string, std::string>;
[[nodiscard]] std::vector<EvidenceLine> evidence_of(const core::wire::HandedOver& done);
[[nodiscard]] std::vector<EvidenceLine> evidence_of(const core::ProofStep& step);

// "1.2 GB in 0.31 s, 3.9 GB/s; every element was compared afterwards and is equal"
[[nodiscard]] std::string copied_text(const core::wire::Copied& copied);
[[nodiscard]] std::string rate_text(std::uint64_t bytes, std::uint64_t ns);

// "All 3 steps share their memory." or which step decides: "b → half: no byte in common".
[[nodiscard]] std::string proof_meaning(const core::Proof& proof);
// The whole proof as text, for the clipboard; as JSON, the object that dlscope.prove() returns.
[[nodiscard]] std::string proof_text(const core::Proof& proof);

// What keeps a tensor's memory alive: the answer to the question "life".
struct LifeAnswer {
  bool found = false;
  std::vector<std::string> chain;  // from the tensor to the object whose memory it is
  std::optional<std::uint64_t> allocation_bytes;
  std::string source, owner;
  std::vector<std::pair<std::string, std::string>> holders;  // name, how
  std::vector<std::string> unsaid;  // others in the same memory: their libraries do not say what they keep
  std::uint64_t unnamed = 0;        // references to that object which no tensor's name explains
};
[[nodiscard]] core::Result<LifeAnswer> read_life(std::string_view text);
// For the tensor and every other one of its memory group.
[[nodiscard]] std::string life_question(const core::Snapshot& snapshot, std::uint32_t tensor);
// "keeps 400 MB alive, uses 4 KB"; "" where that is no matter. uses: bytes of the tensor's memory group.
[[nodiscard]] std::string keeps_alive_text(const LifeAnswer& life, std::uint64_t uses);
// What stands above the holders: whether nothing else is known to keep the memory.
[[nodiscard]] std::string_view holders_text(const LifeAnswer& life);
// Of those that may keep it, too; "" for none.
[[nodiscard]] std::string unsaid_text(const LifeAnswer& life);

// Every copy, and below them every write into the script's memory since its run began: bytes that were changed by hand.
struct LedgerRow {
  std::string from, to, size, rate, why;
};
[[nodiscard]] std::vector<LedgerRow> ledger_rows(const core::Snapshot& snapshot);

}  // namespace dlscope::app
