#include "app/models/history/remembered_copies.h"

#include <algorithm>
#include <utility>

#include "app/models/text/json_members.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxCopies = 100'000;

RanMeanwhile ran_of(const std::string& word) {
  return word == "no" ? RanMeanwhile::no : word == "yes" ? RanMeanwhile::yes : RanMeanwhile::unknown;
}

}  // namespace

std::string remember_question(const std::map<std::string, Remember>& wanted, std::uint64_t fetched) {
  nlohmann::json tensors = nlohmann::json::array();
  for (const auto& [name, how] : wanted) tensors.push_back({{"name", name}, {"hashed", how == Remember::hashes}});
  return json_text({{"tensors", std::move(tensors)}, {"fetched", fetched}});
}

std::vector<AnnouncedCopy> announced_copies(std::string_view answer) {
  std::vector<AnnouncedCopy> out;
  const nlohmann::json value = json_of(answer);
  JsonMembers(value).each("copies", kMaxCopies, [&](const JsonMembers& given) {
    out.push_back({.id = given.number("id"),
                   .revision = given.number("revision"),
                   .tensor = static_cast<std::uint32_t>(given.number("tensor")),
                   .name = given.text("name"),
                   .hashed = given.truth("hashed"),
                   .begin = given.number("begin"),
                   .at = given.number("at"),
                   .size = given.number("size"),
                   .check = given.number("check"),
                   .ran = ran_of(given.text("ran")),
                   .why_not = given.text("why")});
  });
  return out;
}

CopiesToFetch copies_to_fetch(std::vector<AnnouncedCopy> announced, const std::map<std::string, Remember>& wanted,
                              std::uint64_t fetched) {
  std::erase_if(announced, [fetched](const AnnouncedCopy& copy) { return copy.id <= fetched; });
  std::ranges::sort(announced, {}, &AnnouncedCopy::id);
  announced.erase(std::ranges::unique(announced, {}, &AnnouncedCopy::id).begin(), announced.end());
  std::map<std::pair<std::uint64_t, std::string>, std::uint64_t> last;  // by snapshot and tensor: the number of its last copy
  for (const AnnouncedCopy& copy : announced) {
    if (wanted.contains(copy.name)) last[{copy.revision, copy.name}] = copy.id;
  }
  CopiesToFetch out{{}, fetched};
  std::uint64_t bytes = 0;
  for (AnnouncedCopy& copy : announced) {
    const auto found = last.find({copy.revision, copy.name});
    if (found != last.end() && found->second == copy.id) {
      const std::uint64_t more = std::min(copy.size, kMaxFetchedBytes);
      if (bytes > 0 && bytes + more > kMaxFetchedBytes) break;
      bytes += more;
      out.copies.push_back(copy);
    }
    out.through = copy.id;
  }
  return out;
}

}  // namespace dlscope::app
