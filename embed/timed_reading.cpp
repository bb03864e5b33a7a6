#include "embed/timed_reading.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/memory/prompt_reader.h"
#include "embed/own_memory.h"
#include "embed/without_gil.h"

namespace dlscope::embed {
namespace {

constexpr std::size_t kPagesAtOnce = 256;  // 1 MiB

}  // namespace

TimedReading::TimedReading(std::initializer_list<core::ByteRange> wanted) : in_time_(own_readers().in_time) {
  const auto is_there = [](core::ByteRange range) { return own_readers().pages->present(range); };
  if (wanted.size() > 0 && std::ranges::all_of(wanted, is_there))
    reader_ = own_readers().direct;
  else
    reader_ = std::make_shared<core::PromptReader>(own_readers().direct, *in_time_);
}

TimedReading::~TimedReading() { in_time_->rest(); }

std::string why_pages_do_not_come(core::ByteRange range, bool keeps_gil) {
  if (range.empty() || own_readers().pages->present(range)) return "";
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const TimedReading reading;
  std::optional<WithoutGil> released;
  if (!keeps_gil) released.emplace();
  std::vector<core::Address> pages;
  std::vector<std::uint8_t> readable(kPagesAtOnce);
  for (core::Address at = range.begin; at < range.end;) {
    pages.clear();
    for (; at < range.end && pages.size() < kPagesAtOnce; at = (at / page + 1) * page) pages.push_back(at);
    reading.reader()->probe(pages, std::span(readable).first(pages.size()));
    if (std::string why = reading.reader()->problem(); !why.empty()) return why;
  }
  return "";
}

}  // namespace dlscope::embed
