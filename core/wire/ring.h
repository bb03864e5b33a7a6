// One-way ring buffer of small messages in shared memory: single producer, single consumer, futex wake-up.
// Neither side trusts the other: each keeps its own position in private memory and checks the other's. After the first message
// that does not fit what was written, the reader returns errors only.
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

// Lies in the region's header. head: bytes written so far; tail: bytes consumed so far; neither wraps with the ring.
struct RingState {
  alignas(64) std::atomic<std::uint64_t> head;
  alignas(64) std::atomic<std::uint64_t> tail;
  alignas(64) std::atomic<std::uint32_t> signal;  // futex word; incremented by every write and wake()
};

// Wakes a waiting reader. Async-signal-safe (one atomic add, one futex wake): the crash handler calls it.
void signal_ring(RingState& state);

// thread: one at a time. At most one writer and one reader object
// per ring, because each keeps its own position. Borrows the memory.
class RingWriter {
 public:
  RingWriter(RingState* state, std::span<std::byte> data);
  RingWriter(RingWriter&&) = default;
  RingWriter& operator=(RingWriter&&) = default;
  // False, with nothing written: the ring is full, the reader's position is impossible,
  // or the payload is larger than kMaxMessageBytes. Never blocks. A writer that dies in
  // the middle of a write leaves no partial message, because `head` is stored last.
  [[nodiscard]] bool write(std::uint16_t kind, std::span<const std::byte> payload);

 private:
  void copy_in(std::uint64_t position, std::span<const std::byte> bytes);

  RingState* state_;
  std::span<std::byte> data_;
  std::uint64_t head_;
};

// thread: one at a time, but for wake().
class RingReader {
 public:
  RingReader(RingState* state, std::span<std::byte> data);
  RingReader(RingReader&&) = default;
  RingReader& operator=(RingReader&&) = default;
  // Copies the next message into `out`; false: there is none. Never blocks.
  // Fails when the ring's contents are invalid; every later call fails, too.
  [[nodiscard]] Result<bool> read(RawMessage& out);
  // Blocks until a message may be there, wake() was called, a signal arrived, or the time is over.
  void wait(std::chrono::milliseconds at_most);
  // thread: any. Makes the current wait() return, or the next one if there is none.
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
