#include "app/window/shown/seen_bytes.h"

#include <algorithm>
#include <utility>

namespace dlscope::app {

const core::MemoryReader* SeenBytes::through(const core::MemoryReader* reader) {
  if (std::exchange(reader_, reader) != reader) all_noted_ = false;  // what was noted is of other memory
  return reader == nullptr ? nullptr : this;
}

void SeenBytes::begin_frame(bool notes) {
  notes_ = all_noted_ = notes;
  calls_.clear();
  addresses_.clear();
  complete_.clear();
  bytes_.clear();
}

bool SeenBytes::has_room_for(std::size_t bytes) const {
  if (!notes_) return false;
  const bool fits = bytes <= kMaxBytes && bytes_.size() + bytes <= kMaxBytes;
  all_noted_ = all_noted_ && fits;
  return fits;
}

std::size_t SeenBytes::read(core::Address from, std::span<std::byte> out) const {
  if (reader_ == nullptr) return 0;
  const std::size_t got = reader_->read(from, out);
  if (!has_room_for(out.size())) return got;
  calls_.push_back(
      {.gathered = false, .first = addresses_.size(), .count = 1, .each = out.size(), .at = bytes_.size(), .got = got});
  addresses_.push_back(from);
  complete_.push_back(1);
  bytes_.insert(bytes_.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(got));
  return got;
}

void SeenBytes::gather(std::span<const core::Address> addresses, std::size_t each, std::span<std::byte> out,
                       std::span<std::uint8_t> complete) const {
  if (reader_ == nullptr) return static_cast<void>(std::ranges::fill(complete, std::uint8_t{0}));
  reader_->gather(addresses, each, out, complete);
  if (!has_room_for(out.size())) return;
  calls_.push_back({.gathered = true,
                    .first = addresses_.size(),
                    .count = addresses.size(),
                    .each = each,
                    .at = bytes_.size(),
                    .got = out.size()});
  addresses_.insert(addresses_.end(), addresses.begin(), addresses.end());
  complete_.insert(complete_.end(), complete.begin(), complete.end());
  bytes_.insert(bytes_.end(), out.begin(), out.end());
}

bool SeenBytes::differs(const Note& note) const {
  const auto addresses = std::span(addresses_).subspan(note.first, note.count);
  const auto bytes = std::span(bytes_).subspan(note.at, note.got);
  bytes_now_.resize(note.each * note.count);
  if (!note.gathered) {
    const std::size_t got = reader_->read(addresses.front(), bytes_now_);
    if (reader_->last_status() != ReadStatus::fresh) return false;
    return got != note.got || !std::ranges::equal(bytes, std::span(bytes_now_).first(got));
  }
  complete_now_.resize(note.count);
  reader_->gather(addresses, note.each, bytes_now_, complete_now_);
  if (reader_->last_status() != ReadStatus::fresh) return false;
  for (std::size_t i = 0; i < note.count; ++i) {
    if (complete_[note.first + i] != complete_now_[i]) return true;
    if (complete_now_[i] == 0) continue;  // its bytes mean nothing
    const std::size_t at = i * note.each;
    if (!std::ranges::equal(bytes.subspan(at, note.each), std::span(bytes_now_).subspan(at, note.each))) return true;
  }
  return false;
}

bool SeenBytes::changed() const {
  if (!all_noted_) return true;
  return reader_ != nullptr && std::ranges::any_of(calls_, [this](const Note& note) { return differs(note); });
}

void SeenBytes::probe(std::span<const core::Address> addresses, std::span<std::uint8_t> readable) const {
  if (reader_ == nullptr) return static_cast<void>(std::ranges::fill(readable, std::uint8_t{0}));
  reader_->probe(addresses, readable);
}

void SeenBytes::probe_each(std::span<const core::Address> addresses, std::span<Probed> out) const {
  if (reader_ == nullptr) return static_cast<void>(std::ranges::fill(out, Probed::unreadable));
  reader_->probe_each(addresses, out);
}

core::MemoryReader::ReadStatus SeenBytes::last_status() const {
  return reader_ == nullptr ? ReadStatus::fresh : reader_->last_status();
}

std::string SeenBytes::problem() const { return reader_ == nullptr ? std::string() : reader_->problem(); }

}  // namespace dlscope::app
