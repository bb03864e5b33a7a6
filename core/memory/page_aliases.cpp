#include "core/memory/page_aliases.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <tuple>

#include "core/memory/file_mapping.h"

namespace dlscope::core {
namespace {

// Above every address that a process can have (2^57 on x86-64, 2^52 on AArch64), and far enough below 2^63 for signed arithmetic.
constexpr Address kNoAddress = Address{1} << 58;

}  // namespace

PageAliases::PageAliases(const AddressMap& map) {
  std::vector<FileMapping> shared = file_mappings_in(map, {0, std::numeric_limits<Address>::max()});
  std::erase_if(shared, [](const FileMapping& part) { return !part.shared; });
  const auto place_in_file = [](const FileMapping& part) { return std::tuple(part.device, part.inode, part.offset); };
  std::ranges::sort(shared, {}, place_in_file);
  Address next = kNoAddress;
  for (std::size_t first = 0, end = 0; first < shared.size(); first = end) {
    std::uint64_t seen = end_in_file(shared[first]);  // of the file, in the parts from `first` to `end`, each of which meets another
    for (end = first + 1; end < shared.size() && is_same_file(shared[end], shared[first]) && shared[end].offset < seen; ++end)
      seen = std::max(seen, end_in_file(shared[end]));
    if (end - first < 2) continue;
    for (std::size_t i = first; i < end; ++i)
      parts_.push_back({shared[i].range, next + (shared[i].offset - shared[first].offset) - shared[i].range.begin});
    next += seen - shared[first].offset;
  }
  std::ranges::sort(parts_, {}, [](const Part& part) { return part.range.begin; });
}

Address PageAliases::shift_of(ByteRange range) const {
  const auto after = std::ranges::upper_bound(parts_, range.begin, {}, [](const Part& part) { return part.range.begin; });
  if (range.empty() || after == parts_.begin()) return 0;
  const Part& part = *std::prev(after);
  return range.end <= part.range.end ? part.shift : 0;
}

Address PageAliases::other_address(ByteRange range) const {
  const Address number = range.begin + shift_of(range);
  const auto shows = [&](const Part& part) {
    const Address there = number - part.shift;
    return there != range.begin && part.range.contains(there);
  };
  const auto part = std::ranges::find_if(parts_, shows);
  return part == parts_.end() ? 0 : number - part->shift;
}

bool PageAliases::splits(ByteRange range) const {
  if (range.empty() || shift_of(range) != 0) return false;
  return std::ranges::any_of(parts_, [&](const Part& part) { return part.range.meets(range); });
}

void PageAliases::forget(ByteRange range) {
  std::erase_if(parts_, [&](const Part& part) { return part.range.meets(range); });
}

}  // namespace dlscope::core
