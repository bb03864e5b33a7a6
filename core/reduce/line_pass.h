// LinePass: the lines of a picture worked out by one or more threads, in pieces of time. A line is one thread's from its beginning to its
// end, so that any number of threads, and any interruption, gives the same bits. Of several channels the same lines go on side by side,
// because they share what is read of a page.
// thread: one at a time; it has others of its own meanwhile.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/reduce/texel_reading.h"

namespace dlscope::core {

class LinePass {
 public:
  using MakeReading = std::function<std::unique_ptr<LineReading>()>;
  // One reading for each channel, whose lines run the same way. parts: how many shares the work is worth (useful_threads).
  LinePass(std::vector<MakeReading> channels, std::uint64_t parts);

  // Works until all lines are done or each thread has worked for so many nanoseconds, on at most `threads` threads (0: as many as are of
  // use). Something is read with every call. Writes into the texels of each channel. A pass that failed cannot go on.
  [[nodiscard]] Result<void> advance(unsigned threads, std::int64_t nanoseconds, std::vector<Texels>& out);
  [[nodiscard]] bool complete() const { return lines_done() == lines_; }
  // Of all channels, from the first line on without a gap.
  [[nodiscard]] std::int64_t lines_done() const;
  [[nodiscard]] std::int64_t lines() const { return lines_; }
  [[nodiscard]] std::uint64_t places_done() const;
  [[nodiscard]] TexelRect rect_of(std::int64_t from, std::int64_t to) const { return first_->lines(from, to); }

 private:
  // What a thread works with for a while; a line that it began stays here.
  struct Worker {
    std::vector<std::unique_ptr<LineReading>> readings;  // of each channel, once it is needed
    std::optional<std::size_t> job;
  };
  void work(Worker& worker, std::int64_t nanoseconds, std::vector<Texels>& out);

  std::vector<MakeReading> channels_;
  std::uint64_t parts_;
  std::unique_ptr<LineReading> first_;  // tells what lines there are
  std::int64_t lines_, together_;
  std::vector<std::uint8_t> done_;  // of each job: some lines of one channel, those of the next channel ...
  std::size_t done_in_front_ = 0;   // jobs
  std::deque<Worker> workers_;
  std::atomic<std::size_t> next_ = 0;  // job
  std::atomic<bool> failed_ = false;
  std::mutex failing_;  // error_
  std::optional<Error> error_;
};

}  // namespace dlscope::core
