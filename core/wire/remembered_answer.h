// The host's answer to the question "remember": the copies of remembered tensors that wait in its memory to be fetched. Decoding
// is bounded and never throws; sizes and places are checked against the snapshot by whoever fetches them.
// thread: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/address.h"
#include "core/base/result.h"

namespace dlscope::core::wire {

// Whether other threads ran while the bytes were read.
enum class RanMeanwhile : std::uint8_t { no, yes, unknown };

// A copy in the host's memory.
struct WaitingCopy {
  std::uint64_t id = 0, revision = 0;  // revision: of the snapshot it belongs to
  std::uint32_t tensor = 0;
  std::string name;
  bool hashed = false;                // hashes of its blocks were kept, not its bytes
  Address begin = 0;                  // of the tensor's bytes
  Address at = 0;                     // of the copy
  std::uint64_t size = 0, check = 0;  // bytes of the copy, and their hash
  RanMeanwhile ran = RanMeanwhile::unknown;
  std::string why_not;  // why there are no bytes; "": there are
  friend bool operator==(const WaitingCopy&, const WaitingCopy&) = default;
};

inline constexpr std::size_t kMaxWaitingCopies = 16 * 1024;
inline constexpr std::size_t kMaxWaitingTextBytes = 16 * 1024;  // of one text; a longer one is cut

[[nodiscard]] std::string encode(const std::vector<WaitingCopy>& copies);
[[nodiscard]] Result<std::vector<WaitingCopy>> decode_waiting_copies(std::string_view bytes);

}  // namespace dlscope::core::wire
