// Hand-overs, copies and proofs as text: evidence line by line, the rows of the ledger.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/models/exchange/verdict_text.h"
#include "app/models/text/format.h"
#include "core/base/result.h"
#include "core/inventory/snapshot.h"
#include "core/wire/work.h"

namespace dlscope::app {

// (label, text): the evidence of the verdict.
using EvidenceLine = std::pair<std::string, std::string>;
[[nodiscard]] std::vector<EvidenceLine> evidence_of(const core::wire::HandedOver& done);
// grouped_address() to be read in the window, plain_address() where it is copied or printed.
using AddressText = std::string (*)(core::Address);
[[nodiscard]] std::vector<EvidenceLine> evidence_of(const core::ProofStep& step, AddressText text = grouped_address);
// What the Python line of a hand-over that was refused does; "": it was not refused.
[[nodiscard]] std::string line_raises_text(const core::wire::HandedOver& done);
// Whether the hand-over that was made is the one that this line of a plan, which binds no name, would make.
[[nodiscard]] bool is_line_of(const core::wire::HandedOver& done, std::string_view planned);

// ", 84 % of a plain copy here"; "" where that was not measured, or of few bytes. plain_ns: as in core::wire::Copied.
[[nodiscard]] std::string plain_copy_text(std::uint64_t bytes, std::uint64_t ns, std::uint64_t plain_ns);
// "1.2 GB in 0.31 s, 3.9 GB/s, 84 % of a plain copy here; compared with the source afterwards: equal"
[[nodiscard]] std::string copied_text(const core::wire::Copied& copied);
[[nodiscard]] std::string rate_text(std::uint64_t bytes, std::uint64_t ns);

// "All 3 steps share their memory." or which step decides: "b → half: no byte in common".
[[nodiscard]] std::string proof_meaning(const core::Proof& proof);
// The whole proof as text, for the clipboard.
[[nodiscard]] std::string proof_text(const core::Proof& proof);

// What keeps a tensor's memory alive: read from the answer to the question "life".
struct LifeAnswer {
  bool found = false;
  std::vector<std::string> chain;  // from the tensor to the object that owns the memory
  std::optional<std::uint64_t> allocation_bytes;
  std::string source, owner;
  std::vector<std::pair<std::string, std::string>> holders;  // name, how
  std::vector<std::string> unsaid;  // other tensors in the same memory whose libraries do not tell what they keep alive
  bool owner_unknown = false;       // the object at the end of the chain may show another one's memory
  std::uint64_t unnamed = 0;        // references to the owner that no named tensor explains
};
[[nodiscard]] core::Result<LifeAnswer> read_life(std::string_view text);
// The question, for the tensor and all others of its memory group.
[[nodiscard]] std::string life_question(const core::Snapshot& snapshot, std::uint32_t tensor);
// "It keeps 400 MB alive, and uses 4 KB of it."; "" where the difference is small. uses: bytes used by the tensor's memory group.
[[nodiscard]] std::string keeps_alive_text(const LifeAnswer& life, std::uint64_t uses);
// The heading of the holders: whether anything else is known to keep the memory alive.
[[nodiscard]] std::string_view holders_text(const LifeAnswer& life);
// About the references that no name explains; "": there are none.
[[nodiscard]] std::string unnamed_text(const LifeAnswer& life);
// About those that may keep it alive, too; "": none.
[[nodiscard]] std::string unsaid_text(const LifeAnswer& life);

// Every copy, then every write into the script's memory since its run began (bytes changed by hand in the window).
struct LedgerRow {
  std::string from, to, size, rate, path, why;
};
[[nodiscard]] std::vector<LedgerRow> ledger_rows(const core::Snapshot& snapshot);
// All that the window keeps of the values and bytes it showed (KeptValues, KeptBytes), in one row; `most`: the bound.
[[nodiscard]] LedgerRow last_known_row(std::uint64_t bytes, std::uint64_t most);

}  // namespace dlscope::app
