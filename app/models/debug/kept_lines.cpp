#include "app/models/debug/kept_lines.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <unordered_map>

#include "app/models/text/address_text.h"
#include "core/base/utf8.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMostCandidates = 64;  // for one line; a text such as ")" stands in many

using Numbers = std::vector<std::uint32_t>;  // of lines, rising

// Of those, the ones nearest to `number`, the nearest first.
Numbers nearest(const Numbers& all, std::uint32_t number) {
  auto above = std::ranges::lower_bound(all, number);
  auto below = above;
  Numbers out;
  while (out.size() < kMostCandidates && (below != all.begin() || above != all.end())) {
    const bool takes_above = below == all.begin() || (above != all.end() && *above - number < number - *(below - 1));
    out.push_back(takes_above ? *above++ : *--below);
  }
  return out;
}

std::int64_t shift_of_most(const std::vector<Numbers>& candidates, std::span<const KeptLine> kept) {
  std::map<std::int64_t, std::size_t> votes;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    for (const std::uint32_t line : candidates[i]) ++votes[std::int64_t{line} - kept[i].number];
  }
  const auto best = std::ranges::max_element(votes, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second < b.second : std::abs(a.first) > std::abs(b.first);
  });
  return best == votes.end() ? 0 : best->first;
}

}  // namespace

std::vector<std::string_view> kept_lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.push_back(core::utf8_prefix(trimmed(text.substr(0, end)), kMaxKeptLine));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::vector<std::uint32_t> find_kept_lines(std::span<const KeptLine> kept, std::span<const std::string_view> lines) {
  std::unordered_map<std::string_view, Numbers> places;
  for (const KeptLine& line : kept) {
    if (!line.text.empty()) places.try_emplace(line.text);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const auto found = places.find(lines[i]); found != places.end()) found->second.push_back(static_cast<std::uint32_t>(i + 1));
  }
  std::vector<Numbers> candidates(kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i].text.empty()) candidates[i] = nearest(places.at(kept[i].text), kept[i].number);
  }
  const std::int64_t shift = shift_of_most(candidates, kept);
  std::vector<std::uint32_t> out(kept.size());
  std::set<std::uint32_t> taken;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::int64_t line = std::int64_t{kept[i].number} + shift;
    if (std::ranges::find(candidates[i], line) != candidates[i].end() && taken.insert(static_cast<std::uint32_t>(line)).second)
      out[i] = static_cast<std::uint32_t>(line);
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (out[i] != 0) continue;
    const auto free = std::ranges::find_if(candidates[i], [&](std::uint32_t line) { return !taken.contains(line); });
    if (free == candidates[i].end()) continue;
    taken.insert(*free);
    out[i] = *free;
  }
  return out;
}

}  // namespace dlscope::app
