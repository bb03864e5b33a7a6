#include "app/models/values/chosen_slices.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/models/text/format.h"

namespace dlscope::app {

void ChosenSlices::choose(std::string_view name, std::string_view text, std::span<const std::int64_t> shape) {
  Choice choice{std::string(name), std::string(text.substr(0, kMostBytes)), {}};
  const auto before = std::ranges::find(choices_, name, &Choice::name);
  if (before != choices_.end()) {
    choice.last_good = before->last_good;
    choices_.erase(before);
  }
  if (core::read_slice(choice.text, shape)) choice.last_good = choice.text;
  if (choice.text.empty()) return;
  choices_.push_back(std::move(choice));
  if (choices_.size() > kMost) choices_.erase(choices_.begin());
}

ChosenSlice ChosenSlices::of(std::string_view name, std::span<const std::int64_t> shape) const {
  const auto choice = std::ranges::find(choices_, name, &Choice::name);
  if (choice == choices_.end()) return {};
  ChosenSlice out{.text = choice->text, .axes = {}, .problem = {}};
  auto read = core::read_slice(choice->text, shape);
  if (!read) {
    out.problem = fmt::format("“{}” is no slice of {}, whose shape is {}: {}. Correct it, or clear it for all of the tensor.",
                              choice->text, name, tuple_text(shape), read.error().message);
    read = core::read_slice(choice->last_good, shape);
  }
  if (read) out.axes = std::move(*read);
  return out;
}

}  // namespace dlscope::app
