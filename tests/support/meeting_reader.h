// MeetingReader: reads this process for tasks that several threads share. The first thread that asks waits until another one asks, too.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "core/memory/memory_reader.h"

namespace dlscope::tests {

class MeetingReader final : public core::MemoryReader {
 public:
  std::size_t read(core::Address from, std::span<std::byte> out) const override {
    {
      std::unique_lock lock(mutex_);
      threads_.insert(std::this_thread::get_id());
      came_.notify_all();
      const auto another_came = [&] { return threads_.size() > 1; };
      if (!given_up_) given_up_ = !came_.wait_for(lock, std::chrono::minutes(1), another_came);
    }
    return inner_->read(from, out);
  }
  [[nodiscard]] bool met() const {
    const std::lock_guard lock(mutex_);
    return threads_.size() > 1;
  }

 private:
  std::unique_ptr<core::MemoryReader> inner_ = core::process_reader(0).value();
  mutable std::mutex mutex_;  // everything below
  mutable std::condition_variable came_;
  mutable std::set<std::thread::id> threads_;
  mutable bool given_up_ = false;
};

}  // namespace dlscope::tests
