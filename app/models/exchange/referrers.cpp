#include "app/models/exchange/referrers.h"

#include <fmt/format.h>

#include <utility>

#include "app/models/text/format.h"
#include "app/models/text/json_members.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxListed = 64;

std::vector<std::string> listed(const JsonMembers& given, const char* member) {
  std::vector<std::string> out;
  given.each(member, kMaxListed, [&](const JsonMembers& one) {
    const std::uint64_t count = one.number("count");
    std::string what = one.text("what");
    out.push_back(count > 1 ? fmt::format("{} times: {}", grouped(count), what) : std::move(what));
  });
  return out;
}

std::string referred_to_text(const std::string& what, bool by_any) {
  if (by_any) return (what.starts_with("the ") ? "The " + what.substr(4) : what) + " is referred to by:";
  return "No object that Python's garbage collector knows refers to " + what + ".";
}

}  // namespace

core::Result<Referrers> read_referrers(std::string_view text) {
  const nlohmann::json value = json_of(text);
  if (value.is_discarded() || !value.is_object())
    return core::fail(core::ErrorKind::invalid, "Python's answer is not the expected JSON object");
  const JsonMembers given(value);
  Referrers out;
  out.found = given.truth("found");
  out.owner = given.text("owner");
  out.more = given.number("more");
  out.complete = given.truth("complete");
  out.what = listed(given, "referrers");
  out.view = given.text("view");
  out.of_view = listed(given, "of_view");
  out.more_of_view = given.number("more_of_view");
  return out;
}

std::string referrers_question(std::string_view name) { return json_text({{"name", std::string(name)}}); }

std::string view_referrers_text(const Referrers& referrers, std::string_view name) {
  if (referrers.view.empty()) return {};
  return referred_to_text(fmt::format("{} itself ({})", name, referrers.view), !referrers.of_view.empty());
}

std::string owner_referrers_text(const Referrers& referrers) {
  if (!referrers.found) return {};
  if (!referrers.view.empty())
    return referred_to_text(fmt::format("the owner of its memory ({})", referrers.owner), !referrers.what.empty());
  return referrers.what.empty() ? std::string() : referred_to_text("The " + referrers.owner, true);
}

std::string referrers_remark(const Referrers& referrers) {
  if (!referrers.found) return "It no longer exists.";
  std::string text;
  if (referrers.what.empty() && referrers.view.empty()) text = "No object that Python's garbage collector knows refers to it. ";
  if (const std::uint64_t more = referrers.more + referrers.more_of_view; more > 0)
    text += fmt::format("{} of other kinds are not listed. ", grouped(more));
  if (!referrers.complete) text += "There are too many objects to look through all of them. ";
  return text + "What C code holds by itself, an array's view for example, is not in this list.";
}

}  // namespace dlscope::app
