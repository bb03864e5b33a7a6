// Memory that is slow, some of whose pages do not arrive until the test lets them.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <span>
#include <thread>

#include "core/memory/deadline_reader.h"

namespace dlscope::tests {

inline constexpr core::Address kBase = 0x10'0000, kPage = 4096;
inline constexpr std::size_t kBytes = 64 * kPage;

// The byte at an address says which address it is. Reading a page that is held up waits until it is let go.
class SlowMemory final : public core::MemoryReader {
 public:
  ~SlowMemory() override { let_all_go(); }

  std::size_t read(core::Address from, std::span<std::byte> out) const override {
    ++reads;
    if (from < kBase || from >= kBase + kBytes) return 0;
    const std::size_t size = std::min<std::size_t>(out.size(), kBase + kBytes - from);
    if (takes.load().count() > 0) std::this_thread::sleep_for(takes.load());
    for (core::Address page = from / kPage; page <= (from + size - 1) / kPage; ++page) wait_for(page);
    for (std::size_t i = 0; i < size; ++i) out[i] = byte_at(from + i);
    return size;
  }

  void hold_up(core::Address address) {
    const std::lock_guard lock(mutex_);
    held_.insert(address / kPage);
  }
  void let_all_go() {
    const std::lock_guard lock(mutex_);
    held_.clear();
    changed_.notify_all();
  }
  // Until so many threads stand in a page.
  void wait_until_hanging(int threads) const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return hanging_ == threads; });
  }
  void wait_until_free() const { wait_until_hanging(0); }
  void write(std::uint8_t value) { added_ = value; }
  [[nodiscard]] std::byte byte_at(core::Address at) const { return static_cast<std::byte>((at * 31 >> 3) + added_); }

  mutable std::atomic<int> reads{0};
  std::atomic<std::chrono::milliseconds> takes{};  // each read

 private:
  void wait_for(core::Address page) const {
    std::unique_lock lock(mutex_);
    if (!held_.contains(page)) return;
    ++hanging_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !held_.contains(page); });
    --hanging_;
    changed_.notify_all();
  }

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable int hanging_ = 0;
  std::set<core::Address> held_;
  std::atomic<std::uint8_t> added_{0};
};

// In these tests a healthy reading is over long before, on a loaded machine too; one that hangs costs the test this.
inline const core::DeadlineOptions kWaits{
    .patience = std::chrono::seconds(20), .give_up = std::chrono::milliseconds(50), .keep_last = false, .late = {}};

inline std::size_t right_bytes(const SlowMemory& memory, core::Address from, std::span<const std::byte> bytes) {
  std::size_t count = 0;
  while (count < bytes.size() && bytes[count] == memory.byte_at(from + count)) ++count;
  return count;
}

}  // namespace dlscope::tests
