#include "core/memory/pagemap.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace dlscope::core {

Pages pages_in(int file, ByteRange range, std::uint64_t asked, std::uint64_t wanted) {
  static const auto kPage = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::array<std::uint64_t, 512> entries;
  const Address last = (range.end - 1) / kPage;
  for (Address at = range.begin / kPage; at <= last;) {
    const std::size_t count = std::min<Address>(entries.size(), last - at + 1);
    const ssize_t got = ::pread(file, entries.data(), count * sizeof entries[0], static_cast<off_t>(at * sizeof entries[0]));
    if (got != static_cast<ssize_t>(count * sizeof entries[0])) return Pages::not_told;
    const auto is_as_wanted = [&](std::uint64_t entry) { return (entry & asked) == wanted; };
    if (!std::ranges::all_of(std::span(entries).first(count), is_as_wanted)) return Pages::not_all;
    at += count;
  }
  return Pages::all;
}

}  // namespace dlscope::core
