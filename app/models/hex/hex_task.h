// HexTask: something about bytes that takes longer than a frame may: copying many, looking for some. Asked for by the hex view, worked
// out in a worker, answered in the view's next frame.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/models/hex/byte_search.h"
#include "app/models/hex/byte_text.h"

namespace dlscope::app {

struct HexTask {
  std::uint64_t number = 0;          // rises: an answer to an older one is not wanted any more
  std::optional<ByteSearch> search;  // else bytes are copied
  std::uint64_t searched = 0;        // in the step before
  bool everywhere = false;           // in all memory of the process that can be searched, not in one range
  bool lists = false;                // every match, up to kMostHits, instead of the next one
  bool long_search = false;          // it goes on to the end, with progress in the list of tasks
  std::string subject;               // whose memory it is, in the title there
  core::Address first = 0, last = 0;
  ByteFormat format = ByteFormat::hex;
};

inline constexpr std::size_t kMostHits = 1000;  // of one list

// Where a pattern lies, and what is mapped there: "[heap]", a file's path; "" for memory without a name.
struct MemoryHit {
  core::Address address = 0;
  std::string mapping;
};

struct HexAnswer {
  HexTask task;
  ByteSearchFound found;
  std::string mapping;          // of found.address, of a search everywhere
  std::vector<MemoryHit> hits;  // of a list, by address
  std::string problem;          // why nothing was searched, as a sentence
  std::string text;             // to be copied
  std::uint64_t copied = 0;     // bytes in it
  bool nobody = false;          // there is no process to read from any more
  bool cancelled = false;
};

// thread: a worker. go_on: asked during a search, with the bytes gone through.
[[nodiscard]] HexAnswer carry_out(const HexTask& task, const core::MemoryReader& reader,
                                  const std::function<bool(std::uint64_t)>& go_on);

}  // namespace dlscope::app
