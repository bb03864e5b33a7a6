#include "app/models/inspector/touch_sentence.h"

#include <fmt/core.h>

#include <cstddef>
#include <vector>

#include "app/models/jobs/budgets.h"
#include "app/models/text/format.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMostParts = 5;  // of the sentence

std::string times_text(std::uint64_t times) {
  if (times <= 2) return times == 1 ? "once" : "twice";
  return grouped(times) + " times";
}

}  // namespace

std::string touch_sentence(std::span<const core::TouchedBytes> counts) {
  if (counts.empty()) return {};
  if (counts.size() == 1) return fmt::format("Each of its bytes is reached {}.", times_text(counts[0].times));
  std::vector<std::string> parts;
  const std::size_t single = counts.size() <= kMostParts ? counts.size() : kMostParts - 1;
  for (const core::TouchedBytes& each : counts.first(single)) {
    const char* const verb = parts.empty() ? " are reached" : "";
    parts.push_back(fmt::format("{}{} {}", human_bytes(each.bytes), verb, times_text(each.times)));
  }
  if (single < counts.size()) {
    std::uint64_t rest = 0;
    for (const core::TouchedBytes& each : counts.subspan(single)) rest += each.bytes;
    parts.push_back(fmt::format("{} {} to {}", human_bytes(rest), grouped(counts[single].times), times_text(counts.back().times)));
  }
  std::string text = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) text += (i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text + ".";
}

std::string touch_sentence(const core::MemoryView& view) {
  const auto found = core::count_touches(view, {}, 0, budget_per_click());
  return found ? touch_sentence(found->counts) : std::string();
}

std::string touch_sentence(const TouchAnswer& answer) {
  switch (answer.phase) {
    case TouchAnswer::Phase::counting:
      return "How often each byte is reached is being counted …";
    case TouchAnswer::Phase::done:
      return touch_sentence(answer.found->counts);
    case TouchAnswer::Phase::over_budget:
      return "How often each byte is reached was not counted: that takes more work than is allowed.";
    case TouchAnswer::Phase::cancelled:
      return "Counting how often each byte is reached was cancelled; it begins again when the tensor is selected again.";
    case TouchAnswer::Phase::failed:
      return "How often each byte is reached could not be counted: " + answer.why;
  }
  return {};
}

}  // namespace dlscope::app
