// DeadlineReader: a MemoryReader with a time limit. Reading a page may block for ever (userfaultfd, a stalled network file
// system), so a separate thread reads, and the caller waits at most `patience`. When one read takes longer than `give_up`, its
// thread is abandoned in the kernel, its pages are not read again until it returns, and a new thread takes its place. With four
// threads abandoned, nothing is read until one of them returns.
//
// thread: any; with keep_last always the same one, which is never blocked
// longer than `patience`. The destructor does not wait for abandoned threads.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "core/memory/memory_reader.h"

namespace dlscope::core {

struct DeadlineOptions {
  std::chrono::milliseconds patience{1000};
  std::chrono::milliseconds give_up{1000};
  // For views that repeat the same requests in every frame. true: a request that is not answered
  // in time returns the bytes of the last answer to an equal request, if there is one, and `late`
  // is called (on the reading thread) when the new answer is there; the caller then asks again.
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
  // With keep_last: an answer is outstanding, or a thread is abandoned. A window that draws only on demand must draw again later.
  [[nodiscard]] bool waits() const;

 private:
  class Engine;
  bool keeps_last_;
  std::shared_ptr<Engine> engine_;  // shared with its threads, which may outlive this object
};

}  // namespace dlscope::core
