#include "core/memory/address_map.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <system_error>
#include <thread>

#include "core/base/blocked_signals.h"
#include "core/memory/kept_maps_file.h"

namespace dlscope::core {
namespace {

// Parses one line from the front. A failed step sets `ok` to false, and every later step does nothing.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(line) {}

  std::uint64_t hex() { return number(16); }
  std::uint64_t decimal() { return number(10); }
  bool skip(char expected) {
    if (rest_.empty() || rest_.front() != expected) return ok_ = false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string_view word() {
    const std::size_t end = std::min(rest_.find(' '), rest_.size());
    const std::string_view out = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return out;
  }
  // The rest of the line after the padding: a file name may contain spaces.
  std::string_view remainder() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
    return rest_;
  }
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  std::uint64_t number(int base) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, base);
    if (error != std::errc{}) ok_ = false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  std::string_view rest_;
  bool ok_ = true;
};

// "7f0c1000-7f0c3000 r-xp 00001000 fd:00 1234    /usr/lib/libc.so.6"
std::optional<Mapping> parse_line(std::string_view line) {
  LineReader in(line);
  Mapping mapping;
  mapping.range.begin = in.hex();
  in.skip('-');
  mapping.range.end = in.hex();
  in.skip(' ');
  const std::string_view rights = in.word();
  in.skip(' ');
  mapping.file_offset = in.hex();
  in.skip(' ');
  const std::uint64_t major = in.hex();
  in.skip(':');
  mapping.device = major << 32 | in.hex();
  in.skip(' ');
  mapping.inode = in.decimal();
  if (!in.ok() || rights.size() != 4 || mapping.range.begin >= mapping.range.end) return std::nullopt;
  mapping.read = rights[0] == 'r';
  mapping.write = rights[1] == 'w';
  mapping.execute = rights[2] == 'x';
  mapping.shared = rights[3] == 's';
  mapping.path = in.remainder();
  return mapping;
}

// The rest of an open file of unknown size. On failure errno says why.
std::optional<std::string> read_to_end(int file) {
  std::string text;
  std::size_t used = 0;
  for (;;) {
    if (text.size() - used < 4096) text.resize(std::max<std::size_t>(text.size() * 2, 64 * 1024));
    const ssize_t got = ::read(file, text.data() + used, text.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  text.resize(used);
  return text;
}

std::optional<std::string> read_proc_file(const char* path) {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  auto text = read_to_end(file);
  const int error = errno;
  ::close(file);
  errno = error;
  return text;
}

// For a process that has used up its file descriptors: a new thread gets a private copy
// of the descriptor table (unshare) and closes descriptor 0 in that copy to make room.
// The process's own table is not changed. (Descriptor 0 is in use, because all are.)
std::optional<std::string> read_without_descriptor(const char* path) {
  std::optional<std::string> text;
  int error = EMFILE;
  try {
    const BlockedSignals blocked;
    std::jthread([&] {
      if (::unshare(CLONE_FILES) == 0) {
        ::close(0);
        text = read_proc_file(path);
      }
      error = errno;
    });
  } catch (const std::system_error&) {  // the system refuses more threads
  }
  errno = error;
  return text;
}

}  // namespace

Result<AddressMap> AddressMap::load(pid_t pid) {
  const std::string path = pid == 0 ? "/proc/self/maps" : fmt::format("/proc/{}/maps", pid);
  auto text = read_proc_file(path.c_str());
  if (!text && errno == EMFILE) text = read_without_descriptor(path.c_str());
  const int error = errno;
  if (!text && pid == 0) text = read_kept_maps_file();
  if (!text) return fail(ErrorKind::environment, fmt::format("cannot read {}: {}", path, std::strerror(error)));
  return parse(*text);
}

AddressMap AddressMap::parse(std::string_view maps_text) {
  AddressMap map;
  map.mappings_.reserve(maps_text.size() / 64);
  while (!maps_text.empty()) {
    const std::size_t end = std::min(maps_text.find('\n'), maps_text.size());
    if (auto mapping = parse_line(maps_text.substr(0, end))) map.mappings_.push_back(*std::move(mapping));
    maps_text.remove_prefix(std::min(end + 1, maps_text.size()));
  }
  // The kernel writes mappings in ascending order; text from elsewhere may not be sorted.
  const auto begin_of = [](const Mapping& m) { return m.range.begin; };
  if (!std::ranges::is_sorted(map.mappings_, {}, begin_of)) std::ranges::stable_sort(map.mappings_, {}, begin_of);
  return map;
}

const Mapping* AddressMap::find(Address address) const {
  auto it = std::ranges::upper_bound(mappings_, address, {}, [](const Mapping& m) { return m.range.begin; });
  if (it == mappings_.begin()) return nullptr;
  --it;
  return it->range.contains(address) ? &*it : nullptr;
}

bool AddressMap::readable(ByteRange range) const {
  if (range.empty()) return true;
  Address at = range.begin;
  for (const Mapping* mapping = find(at); mapping && mapping->read; mapping = find(at)) {
    at = mapping->range.end;
    if (at >= range.end) return true;
  }
  return false;
}

bool AddressMap::executable(Address address) const {
  const Mapping* mapping = find(address);
  return mapping && mapping->execute;
}

}  // namespace dlscope::core
