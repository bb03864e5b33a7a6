#include "app/models/values/special_walk.h"

#include <fmt/format.h>

#include <utility>

#include "app/models/text/format.h"
#include "app/models/values/not_a_time.h"
#include "core/inventory/tensor_numbers.h"
#include "core/search/value_test.h"

namespace dlscope::app {
namespace {

constexpr std::uint64_t kAtOnce = 1u << 22;  // elements per piece

const char* word_of(core::SearchedValue sought) { return sought == core::SearchedValue::subnormal ? "subnormal" : "special"; }

}  // namespace

std::optional<ValueTask> SpecialWalk::start(const core::SnapshotPtr& snapshot, std::uint32_t tensor,
                                            std::optional<std::uint64_t> pinned, bool forward, core::SearchedValue sought) {
  walking_ = false;
  const core::TensorRecord& record = snapshot->tensors[tensor];
  const bool may_be_missing = time_field(*snapshot, record) != nullptr && sought != core::SearchedValue::subnormal;
  if (!core::can_be_special(core::numbers_of(*snapshot, record).dtype) && !may_be_missing) {
    said_ = snapshot->dtype_name(record) + " has no special values: no NaN, no infinity.";
    return std::nullopt;
  }
  const std::uint64_t last = record.elements - 1;
  std::uint64_t from = forward ? 0 : last;
  if (pinned) {
    if (*pinned == (forward ? last : 0)) {
      said_ = forward ? "The pin is on the last element." : "The pin is on the first element.";
      return std::nullopt;
    }
    from = forward ? *pinned + 1 : *pinned - 1;
  }
  walking_ = true;
  completed_ = false;
  searched_ = 0;
  most_ = forward ? record.elements - from : from + 1;
  title_ = fmt::format("{} {} value of {}", forward ? "Next" : "Previous", word_of(sought), snapshot->name(record));
  ValueTask task;
  task.kind = ValueTaskKind::search;
  task.snapshot = snapshot;
  task.tensor = tensor;
  task.search = {.from = from, .forward = forward, .most = kAtOnce, .sought = sought};
  task.walk = ++number_;
  return task;
}

SpecialWalk::Step SpecialWalk::take(const ValueAnswer& answer) {
  Step step;
  if (!walking_ || (!answer.nobody && answer.task.walk != number_)) return step;
  walking_ = false;
  if (answer.nobody) {
    said_ = "There is no process to read from.";
    return step;
  }
  searched_ += answer.found.searched;
  const std::string counts = fmt::format("Searched {}", counted(searched_, "element", "elements"));
  completed_ = !answer.found.next;
  if (answer.found.element) {
    const core::LayoutView layout = answer.task.snapshot->layout(answer.task.snapshot->tensors[answer.task.tensor]);
    step.found = answer.found.element;
    said_ = fmt::format("Found {}. {}.", index_text(layout, *step.found), counts);
  } else if (answer.found.next) {
    step.next = answer.task;
    step.next->search.from = *answer.found.next;
    walking_ = true;
    said_ = counts + " so far … Escape stops it.";
  } else {
    said_ = fmt::format("{} to the {}: nothing {}.", counts, answer.task.search.forward ? "end" : "beginning",
                        word_of(answer.task.search.sought));
  }
  if (answer.found.unreadable > 0)
    said_ += fmt::format(" {} could not be read{}.", counted(answer.found.unreadable, "element", "elements"),
                         answer.silent ? ": the memory does not answer" : "");
  return step;
}

void SpecialWalk::stop() {
  if (std::exchange(walking_, false)) said_ = fmt::format("Stopped after {}.", counted(searched_, "element", "elements"));
}

}  // namespace dlscope::app
