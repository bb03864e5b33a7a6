#include "app/models/exchange/exchange_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/models/exchange/verdict_text.h"
#include "app/models/tensors/badges.h"
#include "app/models/text/json_members.h"
#include "core/compare/changed_values.h"
#include "core/inventory/proof.h"
#include "core/report/record_json.h"

namespace dlscope::app {
namespace {

std::string address_description(const std::optional<core::Address>& address, AddressText text) {
  return address ? text(*address) : std::string("not known");
}

// A probe is confirmed if the other side shows the change where bytes are shared, and does not show it where none are.
std::string probe_text(const core::ProofStep& step) {
  const bool shared = step.verdict == core::HandOver::shared || step.verdict == core::HandOver::partly_shared;
  switch (step.probe) {
    case core::Probe::confirmed:
      return shared ? "confirmed: a byte was changed through the first, seen in the second, and put back"
                    : "confirmed: a byte was changed through the first, did not change in the second, and was put back";
    case core::Probe::contradicted:
      return shared ? "contradicted: a byte was changed through the first, did not change in the second, and was put back"
                    : "contradicted: a byte was changed through the first, also changed in the second, and was put back";
    case core::Probe::not_writable:
      return "not tried: these bytes must not be written";
    case core::Probe::not_armed:
      break;
  }
  return "off";
}

// "numpy 2.4.6"
std::string library_text(const core::ProofSide& side) {
  if (side.library.empty()) return "not known";
  const bool is_built_in = side.library == "builtins" || side.library == "array" || side.library == "mmap";
  if (side.version.empty()) return side.library + ", which gives no version";
  return fmt::format("{}{} {}", side.library, is_built_in ? " of Python" : "", side.version);
}

// How the tensor's struct was obtained, and of which kind it is.
std::string given_text(const core::ProofSide& side) {
  const std::string version = side.version_major == 0 && side.version_minor == 0
                                  ? std::string()
                                  : fmt::format(" (DLPack {}.{})", side.version_major, side.version_minor);
  switch (side.protocol) {
    case core::Protocol::none:
      return "not described";
    case core::Protocol::buffer:
      return "buffer protocol";
    case core::Protocol::array_interface:
      return "__array_interface__";
    case core::Protocol::cuda_array_interface:
      return "__cuda_array_interface__";
    case core::Protocol::file:
      return "the file's header";
    case core::Protocol::attributes:
      return "the library's own attributes";
    case core::Protocol::dlpack:
      break;
  }
  if (side.given_by == core::GivenBy::exchange_table) return "exchange table" + version;
  const char* const kind = side.capsule == core::CapsuleKind::dltensor             ? "legacy capsule"
                           : side.capsule == core::CapsuleKind::dltensor_versioned ? "versioned capsule"
                                                                                   : "capsule of a kind that is not known";
  return fmt::format("{}{}{}", kind, version, side.given_by == core::GivenBy::held_capsule ? ", the script's own" : "");
}

// The flags that are set; what a legacy capsule cannot say is not said for it.
std::string flags_text(const core::ProofSide& side) {
  if (side.protocol == core::Protocol::none) return "not described";
  std::string text;
  const auto add = [&](std::string_view flag) { text += fmt::format("{}{}", text.empty() ? "" : ", ", flag); };
  if (side.read_only == core::Tri::yes) add("read-only");
  if (side.is_copied == core::Tri::yes) add("copied");
  if (side.subbyte_padded == core::Tri::yes) add("padded");
  if (side.unknown_flags != 0) add(fmt::format("unknown bits {:#x}", side.unknown_flags));
  if (side.read_only == core::Tri::unknown) add("cannot be told");
  if (!text.empty()) return text;
  return side.protocol == core::Protocol::dlpack ? "none set" : "has no flags";
}

std::string extent_text(const std::optional<core::ByteRange>& extent, AddressText text) {
  if (!extent) return "not known";
  return fmt::format("{} to {} ({})", text(extent->begin), text(extent->end), exact_bytes(extent->size()));
}

// "a → b"; "a, both" where they are the same.
std::string both(const std::string& from, const std::string& to) { return from == to ? from + ", both" : from + " → " + to; }

std::string hash_text(const core::ProofSide& side) {
  if (!side.hash_before) return "nothing was written";
  if (!side.hash_after) return fmt::format("{:016x} before, not known after", *side.hash_before);
  if (side.hash_before == side.hash_after) return fmt::format("{:016x} before and after", *side.hash_before);
  return fmt::format("{:016x} before, {:016x} after", *side.hash_before, *side.hash_after);
}

void add(std::vector<EvidenceLine>& lines, const char* label, const std::string& message) {
  if (!message.empty()) lines.emplace_back(label, message);
}

}  // namespace

std::vector<EvidenceLine> evidence_of(const core::ProofStep& step, AddressText text) {
  std::vector<EvidenceLine> lines;
  add(lines, "why", step.why);
  const bool empty = has_nothing_to_share(step);  // no first element, and no byte that could be shared
  if (!empty && (step.from_address || step.to_address)) {
    const bool same = step.from_address == step.to_address;
    add(lines, "first element",
        fmt::format("{} and {}{}", address_description(step.from_address, text), address_description(step.to_address, text),
                    same ? ", the same address" : ""));
  }
  const core::ProofSide &from = step.from_side, &to = step.to_side;
  if (from.extent || to.extent) add(lines, "byte ranges", both(extent_text(from.extent, text), extent_text(to.extent, text)));
  if (!empty && step.shared_bytes != core::kUnknown64)
    add(lines, "shared bytes", fmt::format("{}, {}", exact_bytes(step.shared_bytes), core::relation_name(step.relation)));
  if (!from.library.empty() || !to.library.empty()) {
    add(lines, "libraries", both(library_text(from), library_text(to)));
    if (from.dtype != to.dtype) add(lines, "dtypes", both(from.dtype, to.dtype));
    add(lines, "described by", both(given_text(from), given_text(to)));
    add(lines, "flags", both(flags_text(from), flags_text(to)));
  }
  if (!step.from_writability.empty())
    add(lines, "may be written", both(step.from_writability, step.to_writability));
  if (!empty) add(lines, "write probe", probe_text(step));
  if (from.hash_before || to.hash_before) add(lines, "hash", both(hash_text(from), hash_text(to)));
  return lines;
}

std::vector<EvidenceLine> evidence_of(const core::wire::HandedOver& done) {
  std::vector<EvidenceLine> lines;
  if (done.verdict == "REFUSED") return lines;
  lines = evidence_of(done.step);
  std::erase_if(lines, [](const EvidenceLine& line) { return line.first == "write probe" || line.first == "may be written"; });
  add(lines, "read-only", done.read_only);
  add(lines, "values", done.values);
  add(lines, "who owns it", done.owner);
  return lines;
}

std::string line_raises_text(const core::wire::HandedOver& done) {
  if (done.verdict != "REFUSED") return {};
  return fmt::format("This Python line raises {}, as the hand-over did:", done.error_type.empty() ? "an error" : done.error_type);
}

bool is_line_of(const core::wire::HandedOver& done, std::string_view planned) {
  return !planned.empty() && done.line.ends_with(fmt::format(" = {}", planned));
}

std::string rate_text(std::uint64_t bytes, std::uint64_t ns) {
  const double seconds = static_cast<double>(ns) / 1e9;
  const std::string time = seconds < 1e-3 ? fmt::format("{:.0f} µs", seconds * 1e6)
                           : seconds < 1  ? fmt::format("{:.1f} ms", seconds * 1e3)
                                          : fmt::format("{:.2f} s", seconds);
  // For few bytes the time is overhead, so a rate would mislead.
  if (ns == 0 || bytes < 65536) return fmt::format("{} in {}", human_bytes(bytes), time);
  const double rate = static_cast<double>(bytes) / static_cast<double>(ns);
  if (rate < 0.1) return fmt::format("{} in {}, {:.1f} MB/s", human_bytes(bytes), time, rate * 1000);
  return fmt::format("{} in {}, {:.1f} GB/s", human_bytes(bytes), time, rate);
}

std::string plain_copy_text(std::uint64_t bytes, std::uint64_t ns, std::uint64_t plain_ns) {
  constexpr std::uint64_t kOutOfCaches = std::uint64_t{16} << 20;  // fewer bytes are copied in caches, as the plain copy was not
  if (ns == 0 || plain_ns == 0 || bytes < kOutOfCaches) return {};
  return fmt::format(", {:.0f} % of a plain copy here", 100 * static_cast<double>(plain_ns) / static_cast<double>(ns));
}

std::string copied_text(const core::wire::Copied& copied) {
  std::string text = rate_text(copied.bytes, copied.ns) + plain_copy_text(copied.bytes, copied.ns, copied.plain_ns);
  if (!copied.path.empty()) text += "; " + copied.path;
  if (copied.compared && core::says_conversion(copied.path))
    return text + "; every element was compared afterwards and is what the conversion of the source's gives";
  if (copied.compared) return text + "; every element was compared with the source afterwards and is equal";
  return copied.why_not_compared.empty() ? text : text + "; not compared: " + copied.why_not_compared;
}

std::string proof_meaning(const core::Proof& proof) {
  const auto deciding = std::ranges::find(proof.steps, proof.verdict, &core::ProofStep::verdict);
  if (proof.verdict == core::HandOver::shared || deciding == proof.steps.end())
    return proof.steps.size() == 1 ? "The step shares its memory."
                                   : fmt::format("All {} steps share their memory.", proof.steps.size());
  return fmt::format("{} → {} decides it: {}.", deciding->from, deciding->to, deciding->why);
}

std::string chain_text(const core::Proof& proof) {
  constexpr std::size_t kMostNamed = 16;
  if (proof.steps.empty()) return {};
  std::string text = proof.steps.front().from;
  for (std::size_t i = 0; i < proof.steps.size(); ++i) {
    const bool left_out = i + 1 >= kMostNamed && i + 1 < proof.steps.size();
    if (!left_out) text += " → " + proof.steps[i].to;
    if (left_out && i + 1 == kMostNamed) text += fmt::format(" → {} more", proof.steps.size() - kMostNamed);
  }
  return text;
}

std::string proof_text(const core::Proof& proof) {
  std::string text =
      fmt::format("{} over {}\n", core::hand_over_name(proof.verdict), counted(proof.steps.size(), "step", "steps"));
  for (const core::ProofStep& step : proof.steps) {
    text += fmt::format("{} → {}: {}\n", step.from, step.to, core::hand_over_name(step.verdict));
    for (const auto& [label, message] : evidence_of(step, plain_address)) text += fmt::format("    {}: {}\n", label, message);
  }
  return text;
}

std::vector<LedgerRow> ledger_rows(const core::Snapshot& snapshot) {
  std::vector<LedgerRow> rows;
  for (const core::CopyRecord& copy : snapshot.copies) {
    rows.push_back({std::string(snapshot.str(copy.from)), std::string(snapshot.str(copy.to)), exact_bytes(copy.bytes),
                    rate_text(copy.bytes, copy.ns) + plain_copy_text(copy.bytes, copy.ns, copy.plain_ns),
                    std::string(snapshot.str(copy.path)), std::string(snapshot.str(copy.why))});
  }
  for (const core::EventRecord& event : snapshot.events) {
    if (event.kind == core::EventKind::write)
      rows.push_back({"no copy: a write", "", "", "", "", std::string(snapshot.str(event.text))});
  }
  return rows;
}

LedgerRow last_known_row(std::uint64_t bytes, std::uint64_t most) {
  return {"what Values and Hex showed", "this window", exact_bytes(bytes),
          fmt::format("{}, at most {}", human_bytes(bytes), human_bytes(most)),
          "",
          "to show last known values once code has run; not among the copies made, because no tensor was copied in the script's "
          "process"};
}

}  // namespace dlscope::app
