// DeadlineReader: a MemoryReader with a time limit. Reading a page may block for ever (userfaultfd, a stalled network file
// system), so a separate thread reads. When one read takes longer than `give_up`, its thread is abandoned in the kernel, and a new
// thread takes its place. Until it returns, nothing of that mapping is read but pages that are there, so that a slow file costs
// one thread; with four threads abandoned that holds for all memory.
// What counts is the time for which a request's own reads did not come back, not that for which it waited until it was read:
// requests take turns, and a busy machine or the reads of others are no reason to call memory unreadable. Reads that come back,
// but slowly, may take ten times `patience` in all.
//
// thread: any; with keep_last always the same one, which is never blocked longer than `patience`. The reading thread ends when
// it has been idle for a second. The destructor does not wait for abandoned threads.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>

#include "core/memory/memory_reader.h"
#include "core/memory/process_pages.h"

namespace dlscope::core {
namespace deadline {
class Engine;
}

struct DeadlineOptions {
  std::chrono::milliseconds patience{1000};
  std::chrono::milliseconds give_up{1000};
  // For views that repeat the same requests in every frame. true: a request that is not answered
  // in time returns the bytes of the last answer to an equal request, if there is one, and `late`
  // is called (on the reading thread) when the new answer is there; the caller then asks again.
  bool keep_last = false;
  std::function<void()> late;
  // Of the memory that is read. Null: what hangs is only the page, and which pages are there is not known.
  std::shared_ptr<const PageFacts> pages = {};
  std::function<void()> at_thread_start = {};  // called in each new thread
};

class DeadlineReader final : public MemoryReader {
 public:
  explicit DeadlineReader(std::shared_ptr<const MemoryReader> inner, DeadlineOptions options = {});
  // Reads with the same threads, and knows what hangs, but has a last_status() of its own. Not with keep_last.
  DeadlineReader(const DeadlineReader& other);
  DeadlineReader& operator=(const DeadlineReader&) = delete;
  ~DeadlineReader() override;

  std::size_t read(Address from, std::span<std::byte> out) const override;
  void probe(std::span<const Address> addresses, std::span<std::uint8_t> readable) const override;
  void probe_each(std::span<const Address> addresses, std::span<Probed> out) const override;
  void gather(std::span<const Address> addresses, std::size_t each, std::span<std::byte> out,
              std::span<std::uint8_t> complete) const override;
  [[nodiscard]] ReadStatus last_status() const override;
  // With keep_last: an answer is outstanding, or a thread is abandoned. A window that draws only on demand must draw again later.
  [[nodiscard]] bool waits() const;
  // Before a fork: ends the reading thread, if it is idle; the next request starts another one.
  void rest() const;

 private:
  class Use;
  bool keeps_last_;
  std::shared_ptr<Use> use_;  // closes the engine with the last reader that uses it
  deadline::Engine* engine_;  // shared with its threads, which may outlive this object
  mutable std::atomic<ReadStatus> last_status_{ReadStatus::fresh};
};

}  // namespace dlscope::core
