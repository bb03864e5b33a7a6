#include "embed/protocols/known_memory.h"

#include <algorithm>
#include <utility>

#include "embed/libraries/library.h"

namespace dlscope::embed {

KnownMemory::KnownMemory() { load(); }

void KnownMemory::load() {
  readable_.clear();
  last_ = before_last_ = {};
  last_code_ = before_last_code_ = {};
  auto loaded = core::AddressMap::load(0);
  if (!loaded) {
    map_.reset();
    return;
  }
  map_ = std::move(*loaded);
  for (const core::Mapping& mapping : map_->mappings()) {
    // Anonymous memory only: a mapped file may have been cut short since, and a load past its end is a SIGBUS.
    if (!mapping.read || mapping.shared || !(mapping.path.empty() || mapping.path == "[heap]")) continue;
    if (!readable_.empty() && readable_.back().end == mapping.range.begin) {
      readable_.back().end = mapping.range.end;
    } else {
      readable_.push_back(mapping.range);
    }
  }
}

bool KnownMemory::look_up(core::Address address, std::size_t size) {
  const auto after = std::ranges::upper_bound(readable_, address, {}, &core::ByteRange::begin);
  if (after == readable_.begin()) return false;
  const core::ByteRange range = *std::prev(after);
  if (!holds(range, address, size)) return false;
  before_last_ = last_;
  last_ = range;
  return true;
}

bool KnownMemory::contains_already(core::Address address, std::size_t size) {
  if (holds(last_, address, size)) return true;
  if (!holds(before_last_, address, size)) return look_up(address, size);
  std::swap(last_, before_last_);
  return true;
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

bool KnownMemory::look_up_code(core::Address address) {
  if (address == before_last_code_.address) {
    std::swap(last_code_, before_last_code_);
    return last_code_.known;
  }
  const core::Mapping* mapping = map_ ? map_->find(address) : nullptr;
  const bool known = mapping != nullptr && mapping->execute && is_known_library_code(mapping->path);
  before_last_code_ = last_code_;
  last_code_ = {address, known};
  return known;
}

}  // namespace dlscope::embed
