#include "embed/timed_reading.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/memory/prompt_reader.h"
#include "embed/runtime.h"

namespace dlscope::embed {
namespace {

struct Readers {
  pid_t process = 0;
  std::shared_ptr<const core::MemoryReader> direct;
  std::shared_ptr<const core::DeadlineReader> in_time;  // knows what hangs, from one call to the next
};

// Never destroyed, because a thread of theirs may hang. A forked child has other memory and none of the threads: it gets new ones.
const Readers& readers() {
  static Readers* kept = nullptr;
  if (kept != nullptr && kept->process == getpid()) return *kept;
  core::DeadlineOptions options;
  options.pages = std::make_shared<core::ProcessPages>(0);
  const std::shared_ptr<const core::MemoryReader> direct(std::shared_ptr<const void>(), &Runtime::get().reader());
  kept = new Readers{getpid(), direct, std::make_shared<core::DeadlineReader>(direct, std::move(options))};
  return *kept;
}

}  // namespace

TimedReading::TimedReading(std::initializer_list<core::ByteRange> wanted) : in_time_(readers().in_time) {
  const core::ProcessPages pages(0);
  const auto is_there = [&](core::ByteRange range) { return pages.present(range); };
  if (wanted.size() > 0 && std::ranges::all_of(wanted, is_there))
    reader_ = readers().direct;
  else
    reader_ = std::make_shared<core::PromptReader>(readers().direct, *in_time_);
}

TimedReading::~TimedReading() { in_time_->rest(); }

}  // namespace dlscope::embed
