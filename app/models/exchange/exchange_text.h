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
// "a → t → j"; the first and last ones of a long chain.
[[nodiscard]] std::string chain_text(const core::Proof& proof);
// The whole proof as text, for the clipboard.
[[nodiscard]] std::string proof_text(const core::Proof& proof);

// Every copy, then every write into the script's memory since its run began (bytes changed by hand in the window).
struct LedgerRow {
  std::string from, to, size, rate, path, why;
};
[[nodiscard]] std::vector<LedgerRow> ledger_rows(const core::Snapshot& snapshot);
// All that the window keeps of the values and bytes it showed (KeptValues, KeptBytes), in one row; `most`: the bound.
[[nodiscard]] LedgerRow last_known_row(std::uint64_t bytes, std::uint64_t most);

}  // namespace dlscope::app
