// What keeps a tensor's memory alive: the question to Python, its answer, and the sentences of the view Life.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/inventory/snapshot.h"

namespace dlscope::app {

// What keeps a tensor's memory alive: read from the answer to the question "life".
struct LifeAnswer {
  bool found = false;
  std::vector<std::string> chain;  // from the tensor to the object that owns the memory
  std::optional<std::uint64_t> allocation_bytes;
  std::string source, owner;
  std::string told_by;  // the name of another tensor of the same memory that told of the allocation; "": this one
  std::vector<std::pair<std::string, std::string>> holders;  // name, how
  std::vector<std::string> unsaid;  // other tensors in the same memory whose libraries do not tell what they keep alive
  bool owner_unknown = false;       // the object at the end of the chain may show another one's memory
  std::uint64_t unnamed = 0;        // references to the owner that no named tensor explains
  std::uint64_t not_asked = 0;      // tensors of the same memory beyond those that a question names
};
[[nodiscard]] core::Result<LifeAnswer> read_life(std::string_view text);
// The question, for the tensor and all others of its memory group.
[[nodiscard]] std::string life_question(const core::Snapshot& snapshot, std::uint32_t tensor);
// Whose memory it is, and how large: "a numpy.ndarray with 4 000 B (told by its base)".
[[nodiscard]] std::string memory_text(const LifeAnswer& life);
// "It keeps 400 MB alive, and uses 4 KB of it."; "" where the difference is small. uses: bytes of the allocation that tensors use.
[[nodiscard]] std::string keeps_alive_text(const LifeAnswer& life, std::uint64_t uses);
// The heading of the holders: whether anything else is known to keep the memory alive.
[[nodiscard]] std::string_view holders_text(const LifeAnswer& life);
// About the references that no name explains; "": there are none.
[[nodiscard]] std::string unnamed_text(const LifeAnswer& life);
// About those that may keep it alive, too; "": none.
[[nodiscard]] std::string unsaid_text(const LifeAnswer& life);

}  // namespace dlscope::app
