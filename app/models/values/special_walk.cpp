#include "app/models/values/special_walk.h"

#include <fmt/format.h>

#include "app/models/text/format.h"
#include "core/search/value_test.h"

namespace dlscope::app {
namespace {

constexpr std::uint64_t kAtOnce = 1u << 20, kMax = std::uint64_t{1} << 26;  // elements per piece, and per key press

ValueTask task_of(const core::SnapshotPtr& snapshot, std::uint32_t tensor, SpecialSearch search, std::uint64_t searched) {
  ValueTask task;
  task.kind = ValueTaskKind::search;
  task.snapshot = snapshot;
  task.tensor = tensor;
  task.search = search;
  task.searched = searched;
  return task;
}

}  // namespace

std::optional<ValueTask> SpecialWalk::start(const core::SnapshotPtr& snapshot, std::uint32_t tensor,
                                            std::optional<std::uint64_t> pinned, bool forward) {
  const core::TensorRecord& record = snapshot->tensors[tensor];
  if (!core::can_be_special(record.dtype)) {
    said_ = snapshot->dtype_name(record) + " has no special values: no NaN, no infinity.";
    return std::nullopt;
  }
  const std::uint64_t last = record.elements - 1;
  std::uint64_t from = forward ? 0 : last;
  if (from_ && forward_ == forward) {
    from = *from_;
  } else if (pinned) {
    if (*pinned == (forward ? last : 0)) {
      said_ = forward ? "The pin is on the last element." : "The pin is on the first element.";
      return std::nullopt;
    }
    from = forward ? *pinned + 1 : *pinned - 1;
  }
  from_.reset();
  forward_ = forward;
  walking_ = true;
  return task_of(snapshot, tensor, {.from = from, .forward = forward, .most = kAtOnce}, 0);
}

SpecialWalk::Step SpecialWalk::take(const ValueAnswer& answer) {
  Step step;
  if (!walking_) return step;
  walking_ = false;
  if (answer.nobody) {
    said_ = "There is no process to read from.";
    return step;
  }
  const std::uint64_t searched = answer.task.searched + answer.found.searched;
  const std::string counts = fmt::format("Searched {}", counted(searched, "element", "elements"));
  if (answer.found.element) {
    step.found = answer.found.element;
    said_ = counts + ".";
  } else if (answer.found.next && searched < kMax) {
    SpecialSearch search = answer.task.search;
    search.from = *answer.found.next;
    step.next = task_of(answer.task.snapshot, answer.task.tensor, search, searched);
    walking_ = true;
    said_ = counts + " so far …";
  } else if (answer.found.next) {
    const core::LayoutView layout = answer.task.snapshot->layout(answer.task.snapshot->tensors[answer.task.tensor]);
    from_ = answer.found.next;
    said_ = fmt::format("{}, up to {}, and found nothing special. The same key goes on from there.", counts,
                        index_text(layout, *answer.found.next));
  } else {
    said_ = fmt::format("{} to the {}: nothing special.", counts, answer.task.search.forward ? "end" : "beginning");
  }
  if (answer.found.unreadable > 0)
    said_ += fmt::format(" {} could not be read{}.", counted(answer.found.unreadable, "element", "elements"),
                         answer.silent ? ": the memory does not answer" : "");
  return step;
}

}  // namespace dlscope::app
