// TimedReading: reads the user's memory for a function of the module. What is there it reads at once. Pages that may never arrive
// (of a stalled file, or registered with userfaultfd) get a second; then the memory is said not to answer, and is asked no more.
// thread: made and destroyed with the GIL held; the reader is for any thread meanwhile.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>

#include "core/base/address.h"
#include "core/memory/memory_reader.h"

namespace dlscope::core {
class DeadlineReader;
}

namespace dlscope::embed {

class TimedReading {
 public:
  // For many reads of these bytes: where all are there now, they are read without looking each time.
  explicit TimedReading(std::initializer_list<core::ByteRange> wanted = {});
  ~TimedReading();  // ends its thread, if that does not hang: a script without threads forks a process without threads
  TimedReading(const TimedReading&) = delete;
  TimedReading& operator=(const TimedReading&) = delete;

  [[nodiscard]] const std::shared_ptr<const core::MemoryReader>& reader() const { return reader_; }

 private:
  std::shared_ptr<const core::DeadlineReader> in_time_;
  std::shared_ptr<const core::MemoryReader> reader_;
};

// Waits until every page of the range is there, for whoever then uses it with plain loads: a second at most for each MiB. Why one
// does not come; "": all came, or cannot be read at all. keeps_gil: no other thread may run Python meanwhile.
[[nodiscard]] std::string why_pages_do_not_come(core::ByteRange range, bool keeps_gil = false);

}  // namespace dlscope::embed
