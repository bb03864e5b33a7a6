#include "app/models/exchange/verdict_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/wire/copy_not_made.h"

namespace dlscope::app {
namespace {

struct VerdictRow {
  std::string_view verdict;
  Tone tone;
  std::string_view meaning;
};

constexpr std::string_view kImmutable = "immutable by contract";
constexpr std::string_view kCopied = "No byte in common: the result has its own memory, and writing to it changes nothing else.";

constexpr std::array kVerdicts{
    VerdictRow{"SHARED", Tone::good,
               "Both reach the same bytes: nothing was copied, and a write through one shows in the other."},
    VerdictRow{"COPIED", Tone::warn, kCopied},
    VerdictRow{"PARTLY SHARED", Tone::warn, "Some bytes in common, and each side has bytes that the other does not have."},
    VerdictRow{"REFUSED", Tone::bad, "It was refused. Nothing was made and nothing was changed."},
    VerdictRow{"WRONG VALUES", Tone::bad,
               "What came out does not have the source's values: a copy of others, or the same memory read in another way."},
    VerdictRow{"CRASHED", Tone::bad,
               "Python's process came to its end while the library took the tensor. Nothing was handed over."},
    VerdictRow{"HUNG", Tone::bad, "The library had not come back when Python was ended. Nothing was handed over."},
    VerdictRow{"UNKNOWN", Tone::unknown, "Whether the memory is shared or copied could not be decided. The reason is below."},
};

const VerdictRow* row_of(std::string_view verdict) {
  const auto* found = std::ranges::find(kVerdicts, verdict, &VerdictRow::verdict);
  return found == kVerdicts.end() ? nullptr : found;
}

// Of a refused hand-over: by whom, in a sentence's beginning and in a line of the log.
struct RefusedBy {
  const char* meaning;
  const char* in_log;
};
constexpr RefusedBy kByDevice{
    "The tensor's own side refused it: its __dlpack_device__ raised. Nothing was made and nothing was changed.",
    "its own __dlpack_device__ raised"};
constexpr RefusedBy kByProducer{
    "The tensor's own side refused it: its __dlpack__ raised, and the library got nothing to take. Nothing was made and nothing "
    "was "
    "changed.",
    "its own __dlpack__ raised"};
constexpr RefusedBy kByLibrary{"The library that was to take it refused it. Nothing was made and nothing was changed.",
                               "the library refused it"};
constexpr RefusedBy kBefore{"It came to no call that could be refused by either side. Nothing was made and nothing was changed.",
                            "it came to no call"};

constexpr RefusedBy kNoDlpack{
    "The tensor's own side has no DLPack to offer: the method that was asked for does not exist. Nothing was made and nothing was "
    "changed.",
    "it has no DLPack"};

// Of what speaks no DLPack: the method that Python did not find in it.
bool lacks_method(const core::wire::ExchangeCall& call) {
  return call.answer.starts_with("AttributeError: ") && (call.answer.find("has no attribute '__dlpack__'") != std::string::npos ||
                                                         call.answer.find("has no attribute '__dlpack_device__'") != std::string::npos);
}

// By the calls that were written down: who raised the exception first that the hand-over ended with.
const RefusedBy& refused_by(const core::wire::HandedOver& done) {
  const std::string error = fmt::format("{}: {}", done.error_type, done.error);
  bool failed = false;
  for (const core::wire::ExchangeCall& call : done.calls) {
    if (!call.failed) continue;
    failed = true;
    // The consumer's own line can have the producer's call in it: torch.from_dlpack(x.__dlpack__(...)).
    if (call.answer == error && lacks_method(call)) return kNoDlpack;
    if (call.answer != error || call.what.find("from_dlpack(") != std::string::npos) continue;
    if (call.what.find(".__dlpack_device__(") != std::string::npos) return kByDevice;
    if (call.what.find(".__dlpack__(") != std::string::npos) return kByProducer;
  }
  return failed ? kByLibrary : kBefore;
}

// As writability_text() says it.
bool must_not_be_written(std::string_view writability) { return writability == "no" || writability == kImmutable; }

}  // namespace

Tone verdict_tone(std::string_view verdict) {
  const VerdictRow* const row = row_of(verdict);
  return row != nullptr ? row->tone : Tone::plain;
}

std::string_view verdict_meaning(std::string_view verdict) {
  const VerdictRow* const row = row_of(verdict);
  return row != nullptr ? row->meaning : std::string_view();
}

std::string_view verdict_meaning(const core::wire::HandedOver& done) {
  const core::ProofStep& step = done.step;
  if (done.verdict == "REFUSED") return refused_by(done).meaning;
  if (done.verdict == "COPIED" && step.to_writability == kImmutable)
    return "No byte in common: the result has its own memory, which nobody writes: it is immutable by contract.";
  if (done.verdict == "UNKNOWN" && has_nothing_to_share(step))
    return "One of them has no elements: there is nothing to share or to copy.";
  if (done.verdict == "SHARED" && step.why.starts_with(core::wire::kCopyNotMade))
    return "Both reach the same bytes: a copy was asked for (copy=True), and none was made.";
  if (done.verdict == "SHARED" && must_not_be_written(step.from_writability))
    return must_not_be_written(step.to_writability) ? "Both reach the same bytes: nothing was copied. Neither may be written."
                                                    : "Both reach the same bytes: nothing was copied.";
  if (done.verdict == "SHARED" && must_not_be_written(step.to_writability))
    return "Both reach the same bytes: nothing was copied, and a write through the first shows in the second, which may only be "
           "read.";
  return verdict_meaning(done.verdict);
}

std::string hand_over_log_text(const core::wire::HandedOver& done, std::string_view subject, std::string_view library) {
  std::string text = fmt::format("{} handed to {}: {}", subject, library, done.verdict);
  if (done.verdict == "REFUSED") return fmt::format("{}, {}: {}: {}", text, refused_by(done).in_log, done.error_type, done.error);
  if (!done.name.empty()) text += fmt::format(", bound to {}", done.name);
  const bool lacks_copy = done.step.why.starts_with(core::wire::kCopyNotMade);
  if (done.verdict == "COPIED" || done.verdict == "UNKNOWN" || lacks_copy) text += fmt::format("; {}", done.step.why);
  const std::string warning = write_warning(done.step);
  return warning.empty() ? text : fmt::format("{}. {}", text, warning);
}

// Only with a tensor of no elements is it known that no byte is shared, and yet there is no verdict.
bool has_nothing_to_share(const core::ProofStep& step) {
  return step.verdict == core::HandOver::unknown && step.shared_bytes == 0;
}

std::string unlike_writability(const core::ProofStep& step) {
  if (step.verdict != core::HandOver::shared && step.verdict != core::HandOver::partly_shared) return {};
  if (!must_not_be_written(step.from_writability) || step.to_writability != "yes") return {};
  return fmt::format("{} {}; {} can be written, and both show the same bytes.", step.from,
                     step.from_writability == kImmutable ? "is immutable by contract" : "is read-only", step.to);
}

std::string write_warning(const core::ProofStep& step) {
  if (step.verdict != core::HandOver::shared && step.verdict != core::HandOver::partly_shared) return {};
  if (step.to_writability == kImmutable && !must_not_be_written(step.from_writability)) {
    return fmt::format(
        "{1} is immutable by contract, and its memory is that of {0}. Writing to {0} changes {1}, which its library takes to "
        "be constant.",
        step.from, step.to);
  }
  if (!must_not_be_written(step.from_writability) || must_not_be_written(step.to_writability)) return {};
  const char* const is = step.from_writability == kImmutable ? "is immutable by contract" : "is read-only";
  if (step.to_writability == "yes")
    return fmt::format("{3}{0} {1}, but {2} lets itself be written. Writing to {2} changes memory that must not be written, and {0} "
                       "with it.",
                       step.from, is, step.to, step.from_writability == kImmutable ? "" : "The read-only flag is lost: ");
  return fmt::format("{0} {1}, and whether {2} may be written its library does not say. Do not write to {2}: that would change memory "
                     "that must not be written.",
                     step.from, is, step.to);
}

}  // namespace dlscope::app
