// Searches for a BytePattern in an address range, forward or backward from a place, in pieces of bounded size: for a worker.
// Unreadable memory is skipped and counted.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "app/models/hex/byte_pattern.h"
#include "core/base/address.h"
#include "core/memory/memory_reader.h"
#include "core/tensor/layout.h"

namespace dlscope::app {

struct ByteSearch {
  BytePattern pattern;
  core::Address first = 0, last = 0;  // of the range, both inclusive
  core::Address from = 0;             // the first (backward: the last) place where a match may begin
  bool forward = true;
  core::Address origin = 0;           // a match may begin at each multiple of `step` from here,
  std::size_t step = 1;               // as BytePattern::find() has it
  std::uint64_t most = 0;             // how many bytes to search at most
};

// Where values of `size` bytes may begin, so that each value of the tensor's elements does: origin, and a divisor of `size`.
struct ValuePlaces {
  core::Address origin = 0;
  std::size_t step = 1;
};
[[nodiscard]] ValuePlaces places_of_values(core::Address address, core::LayoutView layout, std::size_t size);

struct ByteSearchFound {
  std::optional<core::Address> address;
  std::uint64_t searched = 0;         // bytes, including unreadable ones
  std::uint64_t unreadable = 0;       // unreadable bytes among them
  std::optional<core::Address> next;  // where to continue; nullopt: found, or at the end
};

// go_on: called for every piece with the bytes searched so far; false: stop, `next` says where to continue.
[[nodiscard]] ByteSearchFound search_bytes(const ByteSearch& search, const core::MemoryReader& reader,
                                           const std::function<bool(std::uint64_t)>& go_on);

}  // namespace dlscope::app
