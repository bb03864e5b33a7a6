// DeadlineReader: a MemoryReader that answers in time. Pages may never arrive (userfaultfd, a stalled network file): the kernel
// holds whoever reads them, perhaps for ever. So a thread of its own reads, and who asks waits no longer than `patience`. A thread
// that hangs longer than `give_up` is left in the kernel, its pages are not asked for again until it comes back, and another thread
// takes its place; after a few of those nothing is read until one comes back.
//
// thread: any; with keep_last one thread, which is never held longer than `patience`. Its destructor waits for no hanging thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "core/memory/memory_reader.h"

namespace dlscope::core {

struct DeadlineOptions {
  std::chrono::milliseconds patience{1000};
  std::chrono::milliseconds give_up{1000};
  // What does not come in time is answered with the bytes of the last time the same was asked, where it was, and `late` is called
  // (from the reading thread) once the answer is there: ask again. For views that are drawn over and over.
  bool keep_last = false;
  std::function<void()> late;
};

class DeadlineReader final : public MemoryReader {
 public:
  explicit DeadlineReader(std::shared_ptr<const MemoryReader> inner, DeadlineOptions options = {});
  ~DeadlineReader() override;
  DeadlineReader(const DeadlineReader&) = delete;
  DeadlineReader& operator=(const DeadlineReader&) = delete;

  std::size_t read(Address from, std::span<std::byte> out) const override;
  void probe(std::span<const Address> addresses, std::span<std::uint8_t> readable) const override;
  void gather(std::span<const Address> addresses, std::size_t each, std::span<std::byte> out,
              std::span<std::uint8_t> complete) const override;
  [[nodiscard]] Answer last_answer() const override;
  // With keep_last: an answer is still to come, or a thread hangs. Whoever draws by need only looks again in a while.
  [[nodiscard]] bool waits() const;

 private:
  class Engine;
  bool keeps_last_;
  std::shared_ptr<Engine> engine_;  // shared with its threads, which may outlive us
};

}  // namespace dlscope::core
