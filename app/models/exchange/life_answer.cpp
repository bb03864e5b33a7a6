#include "app/models/exchange/life_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "app/models/exchange/life_rows.h"
#include "app/models/text/format.h"
#include "app/models/text/json_members.h"
#include "core/report/record_json.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxHolders = 256;
constexpr std::size_t kMostListed = 4;  // names in a sentence

}  // namespace

core::Result<LifeAnswer> read_life(std::string_view text) {
  const nlohmann::json value = json_of(text);
  if (value.is_discarded() || !value.is_object())
    return core::fail(core::ErrorKind::invalid, "Python's answer is not the expected JSON object");
  const JsonMembers given(value);
  LifeAnswer life;
  life.found = given.truth("found");
  life.owner_unknown = given.truth("owner_unknown");
  life.unnamed = given.number("unnamed");
  life.not_asked = given.number("not_asked");
  given.each_text("chain", kMaxHolders, [&](std::string link) { life.chain.push_back(std::move(link)); });
  if (const auto allocation = value.find("allocation"); allocation != value.end() && allocation->is_object()) {
    const JsonMembers members(*allocation);
    if (members.has_count("bytes")) life.allocation_bytes = members.number("bytes");
    life.source = members.text("source");
    life.owner = members.text("owner");
    life.told_by = members.text("by");
  }
  given.each("holders", kMaxHolders,
             [&](const JsonMembers& holder) { life.holders.emplace_back(holder.text("name"), holder.text("how")); });
  given.each_text("unsaid", kMaxHolders, [&](std::string name) { life.unsaid.push_back(std::move(name)); });
  return life;
}

std::string life_question(const core::Snapshot& snapshot, std::uint32_t tensor) {
  const core::TensorRecord& record = snapshot.tensors[tensor];
  const std::vector<std::uint32_t> all = others_of_memory(snapshot, tensor);
  nlohmann::json others = nlohmann::json::array();
  for (const std::uint32_t other : std::span(all).first(std::min(all.size(), kMaxHolders)))
    others.push_back(std::string(snapshot.name(snapshot.tensors[other])));
  const std::size_t not_asked = all.size() - others.size();
  return json_text({{"name", std::string(snapshot.name(record))}, {"others", std::move(others)}, {"not_asked", not_asked}});
}

std::string memory_text(const LifeAnswer& life) {
  if (!life.allocation_bytes) return "not known";
  const std::string bytes = exact_bytes(*life.allocation_bytes);
  if (!life.told_by.empty()) return fmt::format("{} (told by {})", bytes, life.told_by);
  if (!life.owner_unknown) return fmt::format("a {} with {} (told by its {})", life.owner, bytes, life.source);
  return fmt::format("{} (told by its {}); whose they are the {} does not say", bytes, life.source, life.owner);
}

std::string keeps_alive_text(const LifeAnswer& life, std::uint64_t uses) {
  if (!life.allocation_bytes || *life.allocation_bytes / 2 <= uses) return {};
  const bool several = life.holders.size() + life.unsaid.size() > 1;
  return fmt::format("{} {} alive, and {} {} of it.", several ? "The tensors of this memory together keep" : "It keeps",
                     human_bytes(*life.allocation_bytes), several ? "use" : "uses", human_bytes(uses));
}

std::string_view holders_text(const LifeAnswer& life) {
  const bool more = !life.unsaid.empty() || life.unnamed > 0 || life.owner_unknown || life.not_asked > 0;
  if (!life.unsaid.empty()) return "It stays at least until those of these that hold it have gone:";
  if (life.holders.size() > 1)
    return more ? "It stays at least until all of these have gone:" : "It stays until all of these have gone:";
  return more ? "It stays at least as long as this:" : "It goes with:";
}

std::string unnamed_text(const LifeAnswer& life) {
  if (life.unnamed == 0) return {};
  std::string taken;
  if (const std::size_t count = life.unsaid.size(); count > kMostListed)
    taken = fmt::format("what {} others took over, ", count);
  else if (count > 0)
    taken = fmt::format("what {} took over, ", fmt::join(life.unsaid, " or "));
  return fmt::format("and {} to it that no tensor's name explains ({}a container, a closure, a library)",
                     counted(life.unnamed, "reference", "references"), taken);
}

std::string unsaid_text(const LifeAnswer& life) {
  std::string text;
  const std::size_t count = life.unsaid.size();
  if (count > 0) {
    const bool one = count == 1;
    const std::string names = fmt::format("{}", fmt::join(life.unsaid, ", "));
    const std::string who = count > kMostListed ? fmt::format("{} others", count) : names;
    text = fmt::format("{} {} the same memory. {} not say whether {} it, so {} may have to go, too.", who, one ? "shows" : "show",
                       one ? "Its library does" : "Their libraries do", one ? "it keeps" : "they keep", one ? "it" : "they");
  }
  if (life.not_asked == 0) return text;
  return fmt::format("{}{}{} more of this memory were not asked about.", text, text.empty() ? "" : " ",
                     counted(life.not_asked, "tensor", "tensors"));
}

}  // namespace dlscope::app
