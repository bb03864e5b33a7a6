// HexTask: work on bytes that may take longer than a frame: copying many, or searching. Requested by the hex view, done by a
// worker, answered to the view in a later frame.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/models/hex/byte_search.h"
#include "app/models/hex/byte_text.h"

namespace dlscope::app {

struct HexTask {
  std::uint64_t number = 0;          // rises: an answer to an older task is ignored
  std::optional<ByteSearch> search;  // nullopt: copy bytes instead
  std::uint64_t searched = 0;        // bytes searched by the previous step
  bool everywhere = false;           // in all searchable memory of the process, not in one range
  bool lists = false;                // list every match, up to kMaxHits, instead of the next one
  bool long_search = false;          // search to the end as a listed task with progress
  std::string subject;               // whose memory it is, for the task's title
  core::Address first = 0, last = 0;
  ByteFormat format = ByteFormat::hex;
};

inline constexpr std::size_t kMaxHits = 1000;  // in one list

// A match and what is mapped there: "[heap]", a file's path; "" for memory without a name.
struct MemoryHit {
  core::Address address = 0;
  std::string mapping;
};

struct HexAnswer {
  HexTask task;
  ByteSearchFound found;
  std::string mapping;          // of found.address, for a search everywhere
  std::vector<MemoryHit> hits;  // of a list, by address
  std::string problem;          // why nothing was searched, as a sentence; "": it was
  std::string text;             // the text to copy
  std::uint64_t copied = 0;     // bytes in the text
  bool nobody = false;          // there is no process to read from any more
  bool cancelled = false;
};

// Reads bytes from an address on; returns how many of them there are.
using ReadSome = std::function<std::size_t(core::Address, std::span<std::byte>)>;
// Carries out a task that copies.
[[nodiscard]] HexAnswer copy_bytes(const HexTask& task, const ReadSome& read);

// thread: a worker. go_on: called during a search with the bytes searched so far; false: stop.
[[nodiscard]] HexAnswer carry_out(const HexTask& task, const core::MemoryReader& reader,
                                  const std::function<bool(std::uint64_t)>& go_on);

}  // namespace dlscope::app
