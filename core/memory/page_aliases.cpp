#include "core/memory/page_aliases.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>

#include "core/memory/file_mapping.h"

namespace dlscope::core {
namespace {

// Above every address that a process can have (2^57 on x86-64, 2^52 on AArch64), and far enough below 2^63 for signed arithmetic.
constexpr Address kNoAddress = Address{1} << 58;

std::vector<FileMapping> all_file_mappings(const AddressMap& map) {
  return file_mappings_in(map, {0, std::numeric_limits<Address>::max()});
}

Address begin_of(const AliasedPart& part) { return part.range.begin; }

// The mappings that show a page which another one of them shows, too.
std::vector<AliasedPart> mapped_again(std::vector<FileMapping> mappings) {
  std::vector<AliasedPart> parts;
  const auto place_in_file = [](const FileMapping& part) { return std::tuple(part.device, part.inode, part.offset); };
  std::ranges::sort(mappings, {}, place_in_file);
  Address next = kNoAddress;
  for (std::size_t first = 0, end = 0; first < mappings.size(); first = end) {
    std::uint64_t seen = end_in_file(mappings[first]);  // of the file, in those from `first` to `end`, each of which meets another
    const auto goes_on = [&](const FileMapping& part) { return is_same_file(part, mappings[first]) && part.offset < seen; };
    for (end = first + 1; end < mappings.size() && goes_on(mappings[end]); ++end) seen = std::max(seen, end_in_file(mappings[end]));
    if (end - first < 2) continue;
    for (std::size_t i = first; i < end; ++i) {
      const FileMapping& part = mappings[i];
      parts.push_back({part.range, next + (part.offset - mappings[first].offset) - part.range.begin, part.shared});
    }
    next += seen - mappings[first].offset;
  }
  std::ranges::sort(parts, {}, begin_of);
  return parts;
}

}  // namespace

PageAliases::PageAliases(const AddressMap& map) {
  std::vector<FileMapping> shared = all_file_mappings(map);
  std::erase_if(shared, [](const FileMapping& part) { return !part.shared; });
  parts_ = mapped_again(std::move(shared));
}

Address PageAliases::shift_of(ByteRange range) const {
  const auto after = std::ranges::upper_bound(parts_, range.begin, {}, begin_of);
  if (range.empty() || after == parts_.begin()) return 0;
  const AliasedPart& part = *std::prev(after);
  return range.end <= part.range.end ? part.shift : 0;
}

Address PageAliases::other_address(ByteRange range) const {
  const Address number = range.begin + shift_of(range);
  const auto shows = [&](const AliasedPart& part) {
    const Address there = number - part.shift;
    return there != range.begin && part.range.contains(there);
  };
  const auto part = std::ranges::find_if(parts_, shows);
  return part == parts_.end() ? 0 : number - part->shift;
}

bool PageAliases::splits(ByteRange range) const {
  if (range.empty() || shift_of(range) != 0) return false;
  return std::ranges::any_of(parts_, [&](const AliasedPart& part) { return part.range.meets(range); });
}

void PageAliases::forget(ByteRange range) {
  std::erase_if(parts_, [&](const AliasedPart& part) { return part.range.meets(range); });
}

PrivateAliases::PrivateAliases(const AddressMap& map) : parts_(mapped_again(all_file_mappings(map))) {}

}  // namespace dlscope::core
