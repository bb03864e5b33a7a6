#include "app/models/tensors/run_marks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "app/models/tensors/same_tensor.h"
#include "app/models/text/format.h"

namespace dlscope::app {
namespace {

using core::Snapshot;
using core::TensorRecord;

constexpr std::uint32_t kStopEvery = 4096;

Mark mark_between(const Snapshot& before, const TensorRecord& was, const Snapshot& now, const TensorRecord& is,
                  bool same_process) {
  if (!same_layout(before, was, now, is)) return Mark::changed;
  if (!same_process) return Mark::none;
  const bool stayed =
      was.address == is.address && was.extent == is.extent && before.device_of(was.space) == now.device_of(is.space);
  // An empty tensor occupies no memory: another address is no change.
  return stayed || is.elements == 0 ? Mark::none : Mark::moved;
}

void find_gone(RunMarks& marks, const Snapshot& now) {
  const Snapshot& before = *marks.before;
  const NameIndex names = names_of(now);
  for (std::uint32_t id = 0; id < before.tensors.size(); ++id) {
    if (same_name(before, before.tensors[id], names) == core::kNone32) marks.gone.push_back({id});
  }
}

std::string kind_text(const Snapshot& snapshot, const TensorRecord& tensor) {
  return snapshot.dtype_name(tensor) + ", " + shape_text(snapshot.shape(tensor));
}

}  // namespace

RunMarks compare_runs(core::SnapshotPtr before, const Snapshot& now, const std::stop_token& stop, MarkedAgainst against) {
  RunMarks marks;
  marks.run = now.info.run;
  marks.against = std::move(against);
  if (!before) return marks;
  marks.before = std::move(before);
  const NameIndex names = names_of(*marks.before);
  const auto count = static_cast<std::uint32_t>(now.tensors.size());
  marks.marks.resize(count, Mark::none);
  marks.was.resize(count, core::kNone32);
  for (std::uint32_t id = 0; id < count; ++id) {
    if (id % kStopEvery == 0 && stop.stop_requested()) return marks;
    const std::uint32_t old = same_name(now, now.tensors[id], names);
    marks.was[id] = old;
    marks.marks[id] = old == core::kNone32 ? Mark::fresh
                                           : mark_between(*marks.before, marks.before->tensors[old], now, now.tensors[id],
                                                          marks.against.same_process);
    if (marks.marks[id] == Mark::fresh) ++marks.fresh;
    if (marks.marks[id] == Mark::changed || marks.marks[id] == Mark::moved) ++marks.changed;
  }
  find_gone(marks, now);
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

std::string change_sentence(const RunMarks& marks, const Snapshot& now, std::uint32_t tensor) {
  const Mark mark = marks.mark_of(tensor);
  const std::string& moment = marks.against.message;
  if (mark == Mark::none) return {};
  if (mark == Mark::fresh && !moment.empty()) return fmt::format("None of its names was there then ({}).", moment);
  if (mark == Mark::fresh) return fmt::format("None of its names was there before run {}.", marks.run);
  std::vector<std::string> changes = change_phrases(*marks.before, marks.before->tensors[marks.was[tensor]], now,
                                                    now.tensors[tensor], marks.against.same_process);
  if (changes.empty()) changes.emplace_back("its bytes are elsewhere");
  const std::string since = moment.empty() ? fmt::format("Run {}", marks.run) : "Against " + moment;
  return fmt::format("{}: {}.", since, fmt::join(changes, "; "));
}

std::string gone_sentence(const RunMarks& marks, const GoneTensor& gone) {
  const Snapshot& before = *marks.before;
  const TensorRecord& was = before.tensors[gone.id];
  std::string text = marks.against.message.empty()
                         ? fmt::format("No name reaches it since run {}.", marks.run)
                         : fmt::format("It was there then ({}); no name reaches it here.", marks.against.message);
  if (!was.has_metadata) return text;
  text += " It was " + kind_text(before, was);
  if (!was.extent.empty()) text += ", at " + grouped_address(was.address);
  return text + ". Whether its memory still exists is not known.";
}

}  // namespace dlscope::app
