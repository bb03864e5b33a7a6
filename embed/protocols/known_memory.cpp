#include "embed/protocols/known_memory.h"

#include <algorithm>
#include <utility>

#include "embed/libraries/library.h"

namespace dlscope::embed {

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

bool KnownMemory::find(core::Address address, std::size_t size) {
  const auto after = std::ranges::upper_bound(readable_, address, {}, &core::ByteRange::begin);
  if (after == readable_.begin()) return false;
  const core::ByteRange range = *std::prev(after);
  if (!range.holds(address, size)) return false;
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
  return contains_already(address, size) || (refresh() && find(address, size));
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
