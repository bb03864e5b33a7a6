#include "app/models/history/remembered_copies.h"

#include <algorithm>
#include <utility>

#include "app/models/text/json_members.h"

namespace dlscope::app {
std::string remember_question(const std::map<std::string, Remember>& wanted, std::uint64_t fetched) {
  nlohmann::json tensors = nlohmann::json::array();
  for (const auto& [name, how] : wanted) tensors.push_back({{"name", name}, {"hashed", how == Remember::hashes}});
  return json_text({{"tensors", std::move(tensors)}, {"fetched", fetched}});
}

std::vector<core::wire::WaitingCopy> announced_copies(std::string_view answer) {
  auto copies = core::wire::decode_waiting_copies(answer);
  return copies ? std::move(*copies) : std::vector<core::wire::WaitingCopy>();
}

CopiesToFetch copies_to_fetch(std::vector<core::wire::WaitingCopy> announced, const std::map<std::string, Remember>& wanted,
                              std::uint64_t fetched) {
  std::erase_if(announced, [fetched](const core::wire::WaitingCopy& copy) { return copy.id <= fetched; });
  std::ranges::sort(announced, {}, &core::wire::WaitingCopy::id);
  announced.erase(std::ranges::unique(announced, {}, &core::wire::WaitingCopy::id).begin(), announced.end());
  std::map<std::pair<std::uint64_t, std::string>, std::uint64_t> last;  // by snapshot and tensor: the number of its last copy
  for (const core::wire::WaitingCopy& copy : announced) {
    if (wanted.contains(copy.name)) last[{copy.revision, copy.name}] = copy.id;
  }
  CopiesToFetch out{{}, fetched};
  std::uint64_t bytes = 0;
  for (core::wire::WaitingCopy& copy : announced) {
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
