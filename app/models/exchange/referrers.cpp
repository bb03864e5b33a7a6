#include "app/models/exchange/referrers.h"

#include <fmt/format.h>

#include <utility>

#include "app/models/text/format.h"
#include "app/models/text/json_members.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxListed = 64;

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
  given.each("referrers", kMaxListed, [&](const JsonMembers& one) {
    const std::uint64_t count = one.number("count");
    std::string what = one.text("what");
    out.what.push_back(count > 1 ? fmt::format("{} times: {}", grouped(count), what) : std::move(what));
  });
  return out;
}

std::string referrers_question(std::string_view name) { return json_text({{"name", std::string(name)}}); }

std::string referrers_remark(const Referrers& referrers) {
  if (!referrers.found) return "It no longer exists.";
  std::string text;
  if (referrers.what.empty()) text = "No object that Python's garbage collector knows refers to it. ";
  if (referrers.more > 0) text += fmt::format("{} of other kinds are not listed. ", grouped(referrers.more));
  if (!referrers.complete) text += "There are too many objects to look through all of them. ";
  return text + "What C code holds by itself, an array's view for example, is not in this list.";
}

}  // namespace dlscope::app
