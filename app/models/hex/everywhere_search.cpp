#include "app/models/hex/everywhere_search.h"

#include <algorithm>

namespace dlscope::app {
namespace {

bool is_searchable(const core::Mapping& mapping) {
  const std::string& path = mapping.path;
  if (!mapping.read || path == "[vsyscall]" || path.starts_with("[vvar")) return false;
  if (path.starts_with("/memfd:dlscope")) return false;  // core/wire/region.cpp: copies of what the window shows
  const bool is_device = path.starts_with("/dev/") && !path.starts_with("/dev/shm/") && !path.starts_with("/dev/zero");
  return !is_device;
}

class EverywhereSearch {
 public:
  EverywhereSearch(const HexTask& task, const core::AddressMap& map, const core::MemoryReader& reader,
                   const std::function<bool(std::uint64_t, std::uint64_t)>& go_on)
      : asked_(*task.search), map_(map), reader_(reader), go_on_(go_on) {
    answer_.task = task;
  }

  HexAnswer run() {
    std::vector<core::ByteRange> ranges = searchable_ranges(map_);
    std::erase_if(ranges, [&](const core::ByteRange& range) {
      return asked_.forward ? range.end - 1 < asked_.from : range.begin > asked_.from;
    });
    if (!asked_.forward) std::ranges::reverse(ranges);
    for (const core::ByteRange& range : ranges) total_ += part_of(range).size();
    for (const core::ByteRange& range : ranges) {
      if (!search(range)) break;
      before_ += part_of(range).size();
      answer_.found.searched = before_;
    }
    return std::move(answer_);
  }

 private:
  // The part of a range at or after the starting place; backward: at or before it.
  [[nodiscard]] core::ByteRange part_of(core::ByteRange range) const {
    if (asked_.forward) return {std::max(range.begin, asked_.from), range.end};
    return {range.begin, std::min(range.end - 1, asked_.from) + 1};
  }

  // False: the search is over.
  bool search(core::ByteRange range) {
    ByteSearch part = asked_;
    part.first = range.begin;
    part.last = range.end - 1;
    part.from = asked_.forward ? part_of(range).begin : part_of(range).end - 1;
    const core::Address begin = part.from;
    for (;;) {
      const std::uint64_t within = asked_.forward ? part.from - begin : begin - part.from;
      part.most = asked_.most - std::min(asked_.most, before_ + within);
      const auto go_on = [&](std::uint64_t done) { return go_on_(std::min(before_ + within + done, total_), total_); };
      const ByteSearchFound found = search_bytes(part, reader_, go_on);
      answer_.found.unreadable += found.unreadable;
      answer_.found.searched = before_ + within + found.searched;
      if (found.next) {
        answer_.found.next = found.next;
        return false;
      }
      if (!found.address) return true;
      if (!note(*found.address)) return false;
      if (*found.address == part.last) return true;
      part.from = *found.address + 1;
    }
  }

  // Notes a match; returns whether to continue.
  bool note(core::Address address) {
    std::string mapping = mapping_name(map_, address);
    if (!answer_.task.lists) {
      answer_.found.address = address;
      answer_.mapping = std::move(mapping);
      return false;
    }
    answer_.hits.push_back({address, std::move(mapping)});
    if (answer_.hits.size() < kMaxHits) return true;
    answer_.found.next = address + 1;
    return false;
  }

  const ByteSearch& asked_;
  const core::AddressMap& map_;
  const core::MemoryReader& reader_;
  const std::function<bool(std::uint64_t, std::uint64_t)>& go_on_;
  std::uint64_t before_ = 0, total_ = 0;  // bytes of the finished ranges; bytes of all ranges
  HexAnswer answer_;
};

}  // namespace

std::vector<core::ByteRange> searchable_ranges(const core::AddressMap& map) {
  std::vector<core::ByteRange> ranges;
  for (const core::Mapping& mapping : map.mappings()) {
    if (!is_searchable(mapping)) continue;
    if (!ranges.empty() && ranges.back().end == mapping.range.begin)
      ranges.back().end = mapping.range.end;
    else
      ranges.push_back(mapping.range);
  }
  return ranges;
}

std::string mapping_name(const core::AddressMap& map, core::Address address) {
  const core::Mapping* const mapping = map.find(address);
  return mapping == nullptr || mapping->path.empty() ? "memory without a name" : mapping->path;
}

HexAnswer search_everywhere(const HexTask& task, const core::AddressMap& map, const core::MemoryReader& reader,
                            const std::function<bool(std::uint64_t, std::uint64_t)>& go_on) {
  return EverywhereSearch(task, map, reader, go_on).run();
}

}  // namespace dlscope::app
