// RememberedBytes: what the tensors that a person marked "remember" held at each look: copied while nothing of the program that
// we can hold still runs, and kept here until the viewer has fetched them with its own reader. Pure core code, no Python.
// thread: whichever serves the viewer; never two at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/inventory/snapshot.h"
#include "core/memory/memory_reader.h"
#include "core/wire/remembered_answer.h"
#include "embed/host/thread_activity.h"

namespace dlscope::embed {

class RememberedBytes {
 public:
  struct Wanted {
    std::string name;     // a name path, as a scan spells it
    bool hashed = false;  // only a hash of each block is kept
    friend bool operator==(const Wanted&, const Wanted&) = default;
  };
  static constexpr std::size_t kMaxWanted = 256;
  // Of copies that wait to be fetched: what would be more is left out, and that is said.
  static constexpr std::uint64_t kMaxWaiting = std::uint64_t{256} << 20;

  void want(std::vector<Wanted> wanted);
  [[nodiscard]] bool wants_any() const { return !wanted_.empty(); }

  // Copies those of them that this snapshot lists and that were not copied for it before. since: what ran since before they were
  // described; null: nobody looked. python_threads: others of Python's may run.
  struct Made {
    std::uint64_t tensors = 0, bytes = 0, ns = 0;
  };
  Made take(const core::Snapshot& snapshot, const core::MemoryReader& memory, const ThreadActivity* since, bool python_threads);
  // The viewer has what it wants of those up to this number.
  void forget_through(std::uint64_t through);
  [[nodiscard]] std::vector<core::wire::WaitingCopy> waiting() const;

 private:
  struct Copy {
    std::uint64_t id = 0, revision = 0;
    std::uint32_t tensor = 0;
    Wanted of;
    core::Address begin = 0;
    std::vector<std::byte> bytes;
    std::vector<std::uint64_t> hashes;
    std::uint64_t check = 0;  // of the bytes that are to be fetched
    ThreadActivity::Ran ran{};
    std::string why;

    [[nodiscard]] std::span<const std::byte> held() const {
      return of.hashed ? std::as_bytes(std::span(hashes)) : std::span(bytes);
    }
  };
  void copy(Copy& copy, const core::Snapshot& snapshot, const core::MemoryReader& memory) const;
  [[nodiscard]] std::uint64_t waiting_bytes() const;

  std::vector<Wanted> wanted_;
  std::vector<Copy> copies_;  // by id
  std::uint64_t last_id_ = 0;
  struct Done {
    std::uint64_t revision = 0;
    std::vector<Wanted> wanted;  // looked for in the snapshot of that revision
  } done_;
};

}  // namespace dlscope::embed
