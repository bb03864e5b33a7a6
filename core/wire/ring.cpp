#include "core/wire/ring.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string>

namespace dlscope::core::wire {
namespace {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

// Precedes every payload; header and payload together are padded to kAlign.
struct RecordHeader {
  std::uint32_t length = 0;
  std::uint16_t kind = 0;
  std::uint16_t mark = 0;
};
constexpr std::uint16_t kMark = 0xd15c;
constexpr std::uint64_t kAlign = 8;
static_assert(sizeof(RecordHeader) == kAlign);

std::uint64_t record_bytes(std::uint64_t length) { return sizeof(RecordHeader) + (length + kAlign - 1) / kAlign * kAlign; }

std::uint32_t* futex_word(std::atomic<std::uint32_t>& word) { return reinterpret_cast<std::uint32_t*>(&word); }

}  // namespace

void signal_ring(RingState& state) {
  const int saved = errno;
  state.signal.fetch_add(1, std::memory_order_release);
  // Not FUTEX_PRIVATE: the waiter is another process.
  syscall(SYS_futex, futex_word(state.signal), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  errno = saved;
}

RingWriter::RingWriter(RingState* state, std::span<std::byte> data)
    : state_(state), data_(data), head_(state->head.load(std::memory_order_relaxed)) {}

void RingWriter::copy_in(std::uint64_t position, std::span<const std::byte> bytes) {
  const std::size_t at = position % data_.size();
  const std::size_t before_wrap = std::min(bytes.size(), data_.size() - at);
  std::copy_n(bytes.begin(), before_wrap, data_.begin() + static_cast<std::ptrdiff_t>(at));
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(before_wrap), bytes.end(), data_.begin());
}

bool RingWriter::write(std::uint16_t kind, std::span<const std::byte> payload) {
  if (payload.size() > kMaxMessageBytes) return false;
  const std::uint64_t used = head_ - state_->tail.load(std::memory_order_acquire);
  const std::uint64_t needed = record_bytes(payload.size());
  if (used > data_.size() || needed > data_.size() - used) return false;
  const RecordHeader header{static_cast<std::uint32_t>(payload.size()), kind, kMark};
  copy_in(head_, std::as_bytes(std::span(&header, 1)));
  copy_in(head_ + sizeof header, payload);
  head_ += needed;
  state_->head.store(head_, std::memory_order_release);
  signal_ring(*state_);
  return true;
}

RingReader::RingReader(RingState* state, std::span<std::byte> data)
    : state_(state),
      data_(data),
      tail_(state->tail.load(std::memory_order_relaxed)),
      seen_signal_(state->signal.load(std::memory_order_relaxed)) {}

void RingReader::copy_out(std::uint64_t position, std::span<std::byte> bytes) const {
  const std::size_t at = position % data_.size();
  const std::size_t before_wrap = std::min(bytes.size(), data_.size() - at);
  std::copy_n(data_.begin() + static_cast<std::ptrdiff_t>(at), before_wrap, bytes.begin());
  std::copy_n(data_.begin(), bytes.size() - before_wrap, bytes.begin() + static_cast<std::ptrdiff_t>(before_wrap));
}

std::unexpected<Error> RingReader::broken(const char* what) {
  broken_ = true;
  return fail(ErrorKind::invalid, std::string("the other process broke the message ring: ") + what);
}

Result<bool> RingReader::read(RawMessage& out) {
  if (broken_) return broken("it was broken before");
  const std::uint64_t available = state_->head.load(std::memory_order_acquire) - tail_;
  if (available == 0) return false;
  if (available > data_.size()) return broken("it announces more bytes than it holds");
  if (available < sizeof(RecordHeader)) return broken("a message is cut off");
  RecordHeader header;
  copy_out(tail_, std::as_writable_bytes(std::span(&header, 1)));
  if (header.mark != kMark) return broken("a message has no mark");
  if (header.length > kMaxMessageBytes || record_bytes(header.length) > available) {
    return broken("a message is longer than what was written");
  }
  out.kind = header.kind;
  out.payload.resize(header.length);
  copy_out(tail_ + sizeof header, out.payload);
  tail_ += record_bytes(header.length);
  state_->tail.store(tail_, std::memory_order_release);
  return true;
}

void RingReader::wait(std::chrono::milliseconds at_most) {
  const std::uint32_t signal = state_->signal.load(std::memory_order_acquire);
  const bool nothing_there = state_->head.load(std::memory_order_acquire) == tail_;
  // A signal since the last wait() means that there may be a message: return without waiting, so that no earlier wake() is lost.
  if (signal == seen_signal_ && (nothing_there || broken_) && at_most.count() > 0) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(at_most);
    const timespec timeout{static_cast<time_t>(seconds.count()),
                           static_cast<long>(std::chrono::nanoseconds(at_most - seconds).count())};
    syscall(SYS_futex, futex_word(state_->signal), FUTEX_WAIT, signal, &timeout, nullptr, 0);
  }
  seen_signal_ = state_->signal.load(std::memory_order_acquire);
}

void RingReader::wake() { signal_ring(*state_); }

}  // namespace dlscope::core::wire
