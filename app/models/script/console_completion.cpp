#include "app/models/script/console_completion.h"

#include <algorithm>
#include <utility>

#include "app/models/text/characters.h"
#include "app/models/text/json_members.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxMatches = 2'000;
constexpr std::size_t kLongestMatch = 512;  // bytes

bool is_printable(std::string_view text) {
  return !text.empty() && text.size() <= kLongestMatch &&
         std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

ConsoleEdit replaced(const std::string& text, std::size_t from, std::size_t cursor, std::string_view by) {
  ConsoleEdit out{text.substr(0, from), 0};
  out.text += by;
  out.cursor = out.text.size();
  out.text += std::string_view(text).substr(cursor);
  return out;
}

}  // namespace

std::optional<Completion> completion_from_json(std::string_view json) {
  const auto value = json_of(json);
  const JsonMembers given(value);
  if (!given.has_count("from") || !given.has_list("matches")) return std::nullopt;
  Completion out{given.number("from"), {}, given.truth("cut") || given.size("matches") > kMaxMatches};
  given.each("matches", kMaxMatches, [&](const JsonMembers& match) {
    if (std::string text = match.text("text"); is_printable(text)) out.matches.push_back({std::move(text), match.text("kind")});
  });
  return out;
}

std::string completion_question(std::string_view text, std::size_t cursor, std::optional<std::uint32_t> frame) {
  if (frame) return json_text({{"text", text}, {"cursor", cursor}, {"explicit", true}, {"frame", *frame}});
  return json_text({{"text", text}, {"cursor", cursor}, {"explicit", true}});
}

std::optional<Completeness> completeness_from_json(std::string_view json) {
  const auto value = json_of(json);
  const std::string state = JsonMembers(value).text("state");
  if (state.empty()) return std::nullopt;
  return state == "incomplete" ? Completeness::incomplete : Completeness::complete;
}

std::string completeness_question(std::string_view text) { return json_text({{"text", text}}); }

std::optional<ConsoleEdit> CompletionList::show(Completion completion, const std::string& text, std::size_t cursor) {
  open_ = false;
  if (completion.from > cursor || cursor > text.size() || completion.matches.empty()) return std::nullopt;
  completion_ = std::move(completion);
  asked_at_ = cursor;
  selected_ = 0;
  if (!narrow(text, cursor)) return std::nullopt;
  const std::size_t typed = cursor - completion_.from;
  std::string_view common = shown(0).text;
  for (std::size_t i = 1; i < size(); ++i) {
    const auto [end, other] = std::ranges::mismatch(common, shown(i).text);
    common = common.substr(0, static_cast<std::size_t>(end - common.begin()));
  }
  while (!common.empty() && common.size() < shown(0).text.size() && !starts_character(shown(0).text[common.size()]))
    common.remove_suffix(1);  // not in the middle of a character
  open_ = size() > 1;
  if (common.size() <= typed && open_) return std::nullopt;
  return replaced(text, completion_.from, cursor, common);
}

bool CompletionList::narrow(const std::string& text, std::size_t cursor) {
  if (cursor < completion_.from || cursor > text.size()) return false;
  const std::string_view word = std::string_view(text).substr(completion_.from, cursor - completion_.from);
  shown_.clear();
  for (std::size_t i = 0; i < completion_.matches.size(); ++i) {
    if (std::string_view(completion_.matches[i].text).starts_with(word)) shown_.push_back(i);
  }
  selected_ = std::min(selected_, shown_.empty() ? 0 : shown_.size() - 1);
  return !shown_.empty();
}

void CompletionList::follow(const std::string& text, std::size_t cursor) {
  if (!open_) return;
  // Deleting beyond the place where Python was asked would need other matches.
  if (cursor < asked_at_ || !narrow(text, cursor) || (size() == 1 && shown(0).text.size() == cursor - completion_.from))
    open_ = false;
}

void CompletionList::move(int step) {
  if (shown_.empty()) return;
  const auto count = static_cast<int>(shown_.size());
  selected_ = static_cast<std::size_t>(((static_cast<int>(selected_) + step) % count + count) % count);
}

ConsoleEdit CompletionList::take(const std::string& text, std::size_t cursor) {
  open_ = false;
  if (shown_.empty()) return {text, cursor};
  return replaced(text, completion_.from, cursor, shown(selected_).text);
}

}  // namespace dlscope::app
