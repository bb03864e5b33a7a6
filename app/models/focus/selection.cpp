#include "app/models/focus/selection.h"

#include <utility>

#include "app/models/focus/focus_text.h"

namespace dlscope::app {

std::string Selection::name_of(std::uint32_t tensor) const {
  return knows(tensor) ? std::string(index_->snapshot->name(index_->tensor(tensor))) : std::string();
}

void Selection::show(IndexPtr index, From from) {
  const bool same_run = index_ && index_->snapshot->info.run == index->snapshot->info.run;
  const bool other_script =
      from == From::elsewhere || (from == From::next_look && !index->marks.before && !same_run);
  index_ = std::move(index);
  hover_ = {};
  const Focus pinned = std::exchange(pinned_, {});
  const auto again = selected_name_.empty() ? std::nullopt : index_->find(selected_name_);
  selected_ = again.value_or(core::kNone32);
  const auto other = compared_name_.empty() ? std::nullopt : index_->find(compared_name_);
  compared_ = again && other && *other != *again ? *other : core::kNone32;
  if (again && pinned.element) pinned_ = focus_on(*index_, *again, *pinned.element);
  // The first tensors ever, or the first of another script: select one, so that the other views are not empty.
  if (!again && (other_script || (selected_name_.empty() && !shown_any_))) select(index_->suggested);
  shown_any_ = shown_any_ || index_->size() > 0;
}

void Selection::select(std::uint32_t tensor) {
  const std::uint32_t before = selected_;
  selected_ = knows(tensor) ? tensor : core::kNone32;
  if (selected_ == core::kNone32 || tensor != pinned_.tensor) pinned_ = {};
  selected_name_ = name_of(selected_);
  if (selected_ == core::kNone32) return compare(core::kNone32);
  ++revision_;
  if (tensor == compared_) compare(before);  // the two change roles
}

void Selection::select(const std::string& name_path) {
  selected_name_ = name_path;
  if (!index_) return;
  if (const auto found = index_->find(name_path)) select(*found);
}

void Selection::compare(std::uint32_t tensor) {
  if (knows(tensor) && selected_ == core::kNone32) return select(tensor);
  compared_ = knows(tensor) && tensor != selected_ && tensor != compared_ ? tensor : core::kNone32;
  compared_name_ = name_of(compared_);
}

void Selection::pin(const Focus& focus) {
  if (!knows(focus.tensor)) return;
  if (focus.tensor != selected_) select(focus.tensor);
  pinned_ = focus;
}

void Selection::deselect() {
  if (pinned_.on_tensor())
    pinned_ = {};
  else
    compare(core::kNone32);  // the selection itself stays, or three views would be empty
}

}  // namespace dlscope::app
