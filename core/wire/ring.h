// One-way ring of small messages in shared memory, single producer, single consumer, futex wake-up.
// Neither side trusts the other's indices: positions are kept privately and checked, a message that does not fit its
// claimed size ends the stream with an error.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/result.h"
#include "core/wire/raw_message.h"

namespace dlscope::core::wire {

inline constexpr std::size_t kRingBytes = 8u << 20;  // power of two

// Lives in the region's header. head: bytes written, tail: bytes consumed, both ever rising.
struct RingState {
  alignas(64) std::atomic<std::uint64_t> head;
  alignas(64) std::atomic<std::uint64_t> tail;
  alignas(64) std::atomic<std::uint32_t> signal;  // bumped on every write; futex word
};

// Tells a waiting reader to look. Async-signal-safe: one atomic add and one futex wake (a crash handler calls it).
void signal_ring(RingState& state);

// thread: one at a time. At most one writer and one reader object per ring: each keeps its own position.
class RingWriter {
 public:
  RingWriter(RingState* state, std::span<std::byte> data);
  RingWriter(RingWriter&&) = default;
  RingWriter& operator=(RingWriter&&) = default;
  // False: the ring is full (or the reader broke it), or the payload is too large; nothing was written. Never blocks.
  // A writer that dies in the middle leaves nothing behind: the head moves last.
  [[nodiscard]] bool write(std::uint16_t kind, std::span<const std::byte> payload);

 private:
  void copy_in(std::uint64_t position, std::span<const std::byte> bytes);

  RingState* state_;
  std::span<std::byte> data_;
  std::uint64_t head_;
};

class RingReader {
 public:
  RingReader(RingState* state, std::span<std::byte> data);
  RingReader(RingReader&&) = default;
  RingReader& operator=(RingReader&&) = default;
  // The next message, or false when there is none. Fails when the other side broke the ring, and from then on always.
  [[nodiscard]] Result<bool> read(RawMessage& out);
  // Waits until something may be there, wake() was called, a signal arrived, or the time is over.
  void wait(std::chrono::milliseconds at_most);
  // thread: any; makes a waiting reader return, and the next wait() if none is waiting.
  void wake();

 private:
  void copy_out(std::uint64_t position, std::span<std::byte> bytes) const;
  std::unexpected<Error> broken(const char* what);

  RingState* state_;
  std::span<std::byte> data_;
  std::uint64_t tail_;
  std::uint32_t seen_signal_;
  bool broken_ = false;
};

}  // namespace dlscope::core::wire
