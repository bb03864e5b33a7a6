// Looking for a BytePattern in an address range, forward or backward from a place, a bounded piece at a time: for a worker. What cannot
// be read is stepped over and counted.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "app/models/hex/byte_pattern.h"
#include "core/base/address.h"
#include "core/memory/memory_reader.h"

namespace dlscope::app {

struct ByteSearch {
  BytePattern pattern;
  core::Address first = 0, last = 0;  // of the range; both belong to it
  core::Address from = 0;             // the first, or going backward the last, place where it may begin
  bool forward = true;
  core::Address origin = 0;           // values are aligned to their size counted from here
  std::uint64_t most = 0;             // bytes to go through
};

struct ByteSearchFound {
  std::optional<core::Address> address;
  std::uint64_t searched = 0;         // bytes, those that could not be read included
  std::uint64_t unreadable = 0;       // of them
  std::optional<core::Address> next;  // where to go on; nullopt: found, or the end was reached
};

// go_on: asked for every piece, with the bytes gone through; false: stop, `next` says where.
[[nodiscard]] ByteSearchFound search_bytes(const ByteSearch& search, const core::MemoryReader& reader,
                                           const std::function<bool(std::uint64_t)>& go_on);

}  // namespace dlscope::app
