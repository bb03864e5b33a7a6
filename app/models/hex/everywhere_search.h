// Searches for a BytePattern in all memory of a process, by address. The address map is read once; memory that changes or
// disappears meanwhile is skipped like other unreadable memory.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/models/hex/hex_task.h"
#include "core/memory/address_map.h"

namespace dlscope::app {

// The ranges to search, by address: all readable memory, adjacent mappings joined, so that a match may cross their border. Left
// out are devices (reading them may have effects), the kernel's own pages, and the memory that dlscope's host and window share.
[[nodiscard]] std::vector<core::ByteRange> searchable_ranges(const core::AddressMap& map);

// The name of the mapping at an address: "[heap]", a path; "memory without a name".
[[nodiscard]] std::string mapping_name(const core::AddressMap& map, core::Address address);

// Finds the next match, the previous one, or (task.lists) the first kMaxHits from task.search->from on. go_on: called now and
// then with the bytes searched so far and in total; false: stop. thread: a worker.
[[nodiscard]] HexAnswer search_everywhere(const HexTask& task, const core::AddressMap& map, const core::MemoryReader& reader,
                                          const std::function<bool(std::uint64_t done, std::uint64_t total)>& go_on);

}  // namespace dlscope::app
