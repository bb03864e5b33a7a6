#include "embed/protocols/known_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "embed/libraries/library.h"

namespace dlscope::embed {
namespace {

// The pages around [address, address + size), in `mapping`, that are there one after the other: at most a few hundred, so
// that asking the kernel (a microsecond) serves the structs beside this one too. Empty where a page of these bytes is not there.
// Of memory without a file mincore() tells exactly that.
core::ByteRange pages_there(core::ByteRange mapping, core::Address address, std::size_t size) {
  constexpr std::uint64_t kPages = 256;
  std::array<unsigned char, kPages> there;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const core::Address window = kPages * page;
  const core::Address begin = std::max(mapping.begin, address / window * window);
  const core::Address end = std::min(mapping.end, begin / window * window + window);
  if (address + size > end) {  // across two windows: only these bytes
    const core::Address first = address / page * page;
    if (size > (kPages - 1) * page) return {};
    if (::mincore(reinterpret_cast<void*>(first), address + size - first, there.data()) != 0) return {};
    const auto count = static_cast<std::ptrdiff_t>((address + size - first + page - 1) / page);
    const bool all = std::all_of(there.begin(), there.begin() + count, [](unsigned char one) { return (one & 1) != 0; });
    return all ? core::ByteRange{address, address + size} : core::ByteRange{};
  }
  if (::mincore(reinterpret_cast<void*>(begin), end - begin, there.data()) != 0) return {};
  const auto is_there = [&](std::size_t i) { return (there[i] & 1) != 0; };
  std::size_t from = (address - begin) / page, to = from;
  while (to < (end - begin) / page && is_there(to)) ++to;
  if (begin + to * page < address + size) return {};
  while (from > 0 && is_there(from - 1)) --from;
  return {begin + from * page, begin + to * page};
}

}  // namespace

KnownMemory::KnownMemory() { load(); }

void KnownMemory::load() {
  readable_.clear();
  last_range_ = before_last_range_ = {};
  last_deleter_ = before_last_deleter_ = {};
  auto loaded = core::AddressMap::load(0);
  if (!loaded) {
    map_.reset();
    return;
  }
  map_ = std::move(*loaded);
  for (const core::Mapping& mapping : map_->mappings()) {
    // Anonymous memory only: a mapped file may have been truncated, and a load beyond its end is a SIGBUS.
    if (!mapping.read || mapping.shared || !(mapping.path.empty() || mapping.path == "[heap]")) continue;
    if (!readable_.empty() && readable_.back().end == mapping.range.begin) {
      readable_.back().end = mapping.range.end;
    } else {
      readable_.push_back(mapping.range);
    }
  }
}

const core::ByteRange* KnownMemory::mapped(core::Address address, std::size_t size) const {
  const auto after = std::ranges::upper_bound(readable_, address, {}, &core::ByteRange::begin);
  if (after == readable_.begin()) return nullptr;
  const core::ByteRange& range = *std::prev(after);
  return range.holds(address, size) ? &range : nullptr;
}

bool KnownMemory::find(core::Address address, std::size_t size) {
  const core::ByteRange* const mapping = mapped(address, size);
  if (mapping == nullptr) return false;
  const core::ByteRange range = pages_there(*mapping, address, size);
  if (range.empty()) return false;
  before_last_range_ = std::exchange(last_range_, range);
  return true;
}

bool KnownMemory::contains_already(core::Address address, std::size_t size) {
  if (last_range_.holds(address, size)) return true;
  if (!before_last_range_.holds(address, size)) return find(address, size);
  std::swap(last_range_, before_last_range_);
  return true;
}

bool KnownMemory::look_up(core::Address address, std::size_t size) {
  if (contains_already(address, size)) return true;
  return mapped(address, size) == nullptr && refresh() && find(address, size);
}

bool KnownMemory::is_constant(core::Address address) const {
  const core::Mapping* mapping = map_ ? map_->find(address) : nullptr;
  return mapping != nullptr && mapping->read && !mapping->write && !mapping->shared && mapping->path.starts_with('/');
}

bool KnownMemory::refresh() {
  if (refreshes_ >= kMaxRefreshes) return false;
  ++refreshes_;
  load();
  return true;
}

bool KnownMemory::look_up_deleter(core::Address deleter) {
  if (deleter == before_last_deleter_.address) {
    std::swap(last_deleter_, before_last_deleter_);
    return last_deleter_.trusted;
  }
  const core::Mapping* mapping = map_ ? map_->find(deleter) : nullptr;
  const bool trusted = mapping != nullptr && mapping->execute && is_known_library_code(mapping->path);
  before_last_deleter_ = std::exchange(last_deleter_, {deleter, trusted});
  return trusted;
}

}  // namespace dlscope::embed
