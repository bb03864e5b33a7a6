// Looking for a BytePattern in all memory of a process, in the order of addresses. What is mapped is asked once; memory that changes or
// goes away meanwhile is stepped over like any that cannot be read.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/models/hex/hex_task.h"
#include "core/memory/address_map.h"

namespace dlscope::app {

// What is gone through, by address: whatever can be read, neighbours as one range, so that a pattern may lie across their border. Left out
// are devices, whose memory may act on being read, the kernel's own pages, and the memory that dlscope's host and window share.
[[nodiscard]] std::vector<core::ByteRange> searchable_ranges(const core::AddressMap& map);

// What is mapped at an address, to be shown: "[heap]", a path; "memory without a name".
[[nodiscard]] std::string mapping_name(const core::AddressMap& map, core::Address address);

// The next match, the one before, or (task.lists) the first kMostHits of them from task.search->from on. go_on: asked now and then, with the
// bytes gone through and those of all ranges; false: stop. thread: a worker.
[[nodiscard]] HexAnswer search_everywhere(const HexTask& task, const core::AddressMap& map, const core::MemoryReader& reader,
                                          const std::function<bool(std::uint64_t done, std::uint64_t total)>& go_on);

}  // namespace dlscope::app
