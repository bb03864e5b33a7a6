#include "core/memory/file_mapping.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace dlscope::core {
namespace {

// /dev/shm and /dev/hugepages contain files, and /dev/zero is the name of shared anonymous memory.
bool is_device(std::string_view path) {
  if (path.starts_with("anon_inode:") || path.starts_with("/dmabuf")) return true;
  const auto in = [&](std::string_view folder) { return path.starts_with(folder); };
  return in("/dev/") && !in("/dev/shm/") && !in("/dev/hugepages/") && !in("/dev/zero");
}

bool continues(const FileMapping& first, const FileMapping& next) {
  return is_same_file(first, next) && first.shared == next.shared && first.range.end == next.range.begin &&
         end_in_file(first) == next.offset;
}

}  // namespace

std::vector<FileMapping> file_mappings_in(const AddressMap& map, ByteRange range) {
  std::vector<FileMapping> parts;
  if (range.empty()) return parts;
  const std::vector<Mapping>& all = map.mappings();
  auto at = std::ranges::upper_bound(all, range.begin, {}, [](const Mapping& mapping) { return mapping.range.end; });
  for (; at != all.end() && at->range.begin < range.end; ++at) {
    if (at->device == 0 || is_device(at->path)) continue;
    const ByteRange part{std::max(at->range.begin, range.begin), std::min(at->range.end, range.end)};
    FileMapping file{.range = part,
                     .offset = at->file_offset + (part.begin - at->range.begin),
                     .device = at->device,
                     .inode = at->inode,
                     .path = at->path,
                     .shared = at->shared};
    if (!parts.empty() && continues(parts.back(), file)) {
      parts.back().range.end = file.range.end;
    } else {
      parts.push_back(std::move(file));
    }
  }
  return parts;
}

bool is_mapped_from_disk(const Mapping& mapping) {
  const std::string_view path = mapping.path;
  const auto is_memory = [&](std::string_view name) { return path.starts_with(name); };
  return path.starts_with('/') && !is_memory("/dev/") && !is_memory("/memfd:") && !is_memory("/SYSV");
}

bool show_same_pages(const FileMapping& a, const FileMapping& b) {
  return is_same_file(a, b) && a.offset < end_in_file(b) && b.offset < end_in_file(a);
}

// The last byte of each part decides: a file has all pages before its end.
bool files_reach_end(const MemoryReader& own, const AddressMap& map, ByteRange range) {
  std::vector<Address> last_bytes;
  for (const FileMapping& part : file_mappings_in(map, range)) last_bytes.push_back(part.range.end - 1);
  std::vector<std::uint8_t> readable(last_bytes.size());
  own.probe(last_bytes, readable);
  return std::ranges::find(readable, 0) == readable.end();
}

bool may_be_file_page(Address address) {
  constexpr std::uint64_t kPresent = std::uint64_t{1} << 63, kFileOrShared = std::uint64_t{1} << 61;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const int file = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (file < 0) return true;
  std::uint64_t entry = 0;
  const ssize_t got = ::pread(file, &entry, sizeof entry, static_cast<off_t>(address / page * sizeof entry));
  ::close(file);
  if (got != sizeof entry || (entry & kPresent) == 0) return true;
  return (entry & kFileOrShared) != 0;
}

}  // namespace dlscope::core
