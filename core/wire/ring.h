// One-way ring of small messages in shared memory, single producer, single consumer, futex wake-up.
// Neither side trusts the other's indices: positions are kept privately and checked, a message that does not fit its
// claimed size ends the stream with an error.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace dlscope::core::wire {

inline constexpr std::size_t kRingBytes = 8u << 20;         // power of two
inline constexpr std::size_t kMaxMessageBytes = 4u << 20;   // payload of one message

// Lives in the region's header. head: bytes written, tail: bytes consumed, both ever rising.
struct RingState {
  alignas(64) std::atomic<std::uint64_t> head;
  alignas(64) std::atomic<std::uint64_t> tail;
  alignas(64) std::atomic<std::uint32_t> signal;   // bumped on every write; futex word
};

struct RawMessage {
  std::uint16_t kind = 0;     // wire::MessageKind
  std::vector<std::byte> payload;
};

class RingWriter {
 public:
  RingWriter(RingState* state, std::span<std::byte> data) : state_(state), data_(data) {}
  // False: the ring is full or the payload too large; nothing was written. Never blocks.
  [[nodiscard]] bool write(std::uint16_t kind, std::span<const std::byte> payload);

 private:
  RingState* state_;
  std::span<std::byte> data_;
};

class RingReader {
 public:
  RingReader(RingState* state, std::span<std::byte> data) : state_(state), data_(data) {}
  // The next message, or false when there is none. Fails when the other side broke the ring.
  [[nodiscard]] Result<bool> read(RawMessage& out);
  // Waits until something may be there, wake() was called, or the time is over.
  void wait(std::chrono::milliseconds at_most);
  // thread: any; makes a waiting reader return.
  void wake();

 private:
  RingState* state_;
  std::span<std::byte> data_;
  std::uint64_t tail_ = 0;
};

}  // namespace dlscope::core::wire
