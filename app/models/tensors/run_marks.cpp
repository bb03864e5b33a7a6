#include "app/models/tensors/run_marks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "app/models/tensors/same_tensor.h"
#include "app/models/tensors/same_variable.h"
#include "app/models/tensors/size_text.h"
#include "app/models/text/format.h"

namespace dlscope::app {
namespace {

using core::Snapshot;
using core::TensorRecord;

Mark mark_between(const Snapshot& before, const TensorRecord& was, const Snapshot& now, const TensorRecord& is,
                  bool same_process) {
  if (!same_layout(before, was, now, is)) return Mark::changed;
  if (!same_process) return Mark::none;
  const bool stayed =
      was.address == is.address && was.extent == is.extent && before.device_of(was.space) == now.device_of(is.space);
  // An empty tensor occupies no memory: another address is no change.
  return stayed || is.elements == 0 ? Mark::none : Mark::moved;
}

Mark mark_of(const Snapshot& now, std::uint32_t id, const RunMarks& marks, const VariableMatches& matches) {
  const std::uint32_t old = marks.was[id];
  if (old == core::kNone32) return matches.now_unknown[id] ? Mark::none : Mark::fresh;
  return mark_between(*marks.before, marks.before->tensors[old], now, now.tensors[id], marks.against.same_process);
}

std::string kind_text(const Snapshot& snapshot, const TensorRecord& tensor) {
  return snapshot.dtype_name(tensor) + ", " + shape_in_words(snapshot.shape(tensor));
}

}  // namespace

RunMarks compare_runs(core::SnapshotPtr before, const Snapshot& now, const std::stop_token& stop, MarkedAgainst against) {
  RunMarks marks;
  marks.run = now.info.run;
  marks.against = std::move(against);
  marks.before = marks.against.base ? marks.against.base : std::move(before);
  if (!marks.before) return marks;
  marks.since_stop = marks.against.message.empty() && marks.before->info.run == now.info.run;
  VariableMatches matches = match_variables(*marks.before, now, stop);
  if (stop.stop_requested()) return marks;
  marks.was = std::move(matches.was);
  const auto count = static_cast<std::uint32_t>(now.tensors.size());
  marks.marks.reserve(count);
  for (std::uint32_t id = 0; id < count; ++id) {
    marks.marks.push_back(mark_of(now, id, marks, matches));
    if (marks.marks[id] == Mark::fresh) ++marks.fresh;
    if (marks.marks[id] == Mark::changed || marks.marks[id] == Mark::moved) ++marks.changed;
  }
  for (std::uint32_t id = 0; id < matches.became.size(); ++id) {
    if (matches.became[id] == core::kNone32 && !matches.before_unknown[id]) marks.gone.push_back({id});
  }
  return marks;
}

std::vector<std::string> change_phrases(const Snapshot& before, const TensorRecord& was, const Snapshot& now,
                                        const TensorRecord& is, bool same_process) {
  if (!was.has_metadata || !is.has_metadata) {
    if (was.has_metadata == is.has_metadata) return {};
    return {was.has_metadata ? "was described" : "was not described"};
  }
  std::vector<std::string> out;
  if (same_process && was.address != is.address)
    out.push_back(fmt::format("moved from {} to {}", grouped_address(was.address), grouped_address(is.address)));
  if (was.device != is.device) out.push_back("was on " + core::device_name(was.device));
  if (before.dtype_name(was) != now.dtype_name(is)) out.push_back("was " + before.dtype_name(was));
  if (!std::ranges::equal(before.shape(was), now.shape(is)))
    out.push_back("was " + shape_text(before.shape(was)));
  else if (was.has_layout && is.has_layout && !std::ranges::equal(before.stride_bits(was), now.stride_bits(is)))
    out.push_back("had strides " + strides_text(before.layout(was)));
  if (was.readable != is.readable) out.emplace_back(was.readable ? "could be read before" : "could not be read before");
  if (was.protocol != is.protocol) out.push_back(fmt::format("was described through {}", core::protocol_name(was.protocol)));
  return out;
}

std::string marks_title(const RunMarks& marks) {
  if (marks.since_stop) return "Since the last stop";
  return marks.against.message.empty() ? fmt::format("Run {}", marks.run) : "Against " + marks.against.message;
}

std::string gone_since_text(const RunMarks& marks) {
  if (marks.since_stop) return "gone since the last stop";
  return "gone since " + (marks.against.message.empty() ? fmt::format("run {}", marks.run) : marks.against.message);
}

std::string change_sentence(const RunMarks& marks, const Snapshot& now, std::uint32_t tensor) {
  const Mark mark = marks.mark_of(tensor);
  const std::string& moment = marks.against.message;
  if (mark == Mark::none) return {};
  if (mark == Mark::fresh && marks.since_stop) return "None of its names was there at the last stop.";
  if (mark == Mark::fresh && !moment.empty()) return fmt::format("None of its names was there then ({}).", moment);
  if (mark == Mark::fresh) return fmt::format("None of its names was there before run {}.", marks.run);
  std::vector<std::string> changes = change_phrases(*marks.before, marks.before->tensors[marks.was[tensor]], now,
                                                    now.tensors[tensor], marks.against.same_process);
  if (changes.empty()) changes.emplace_back("its bytes are elsewhere");
  return fmt::format("{}: {}.", marks_title(marks), fmt::join(changes, "; "));
}

std::string gone_sentence(const RunMarks& marks, const GoneTensor& gone) {
  const Snapshot& before = *marks.before;
  const TensorRecord& was = before.tensors[gone.id];
  std::string text = marks.since_stop ? "It was there at the last stop; none of its names reaches it here."
                     : marks.against.message.empty()
                         ? fmt::format("No name reaches it since run {}.", marks.run)
                         : fmt::format("It was there then ({}); no name reaches it here.", marks.against.message);
  if (!was.has_metadata) return text;
  text += " It was " + kind_text(before, was);
  if (!was.extent.empty()) text += ", at " + grouped_address(was.address);
  return text + ". Whether its memory still exists is not known.";
}

}  // namespace dlscope::app
