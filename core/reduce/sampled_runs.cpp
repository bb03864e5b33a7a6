#include "core/reduce/sampled_runs.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/reduce/texel_reading.h"

namespace dlscope::core {
namespace {

constexpr std::int64_t kMaxRunBytes = 128;    // of neighbours that come for the price of one
constexpr std::int64_t kMaxPieceBytes = 4096;
// Texels that have their values from one line of the table. More would be seen as strokes where lines differ.
constexpr std::int64_t kMaxTogether = 4;

}  // namespace

SampledRuns::SampledRuns(const CellPlaces& places, const WindowLines& lines)
    : places_(&places), lines_(&lines), value_bytes_((places.value_bits + 7u) / 8u) {
  const std::uint64_t bits = distance_between(inner());
  const bool whole_bytes = places.value_bits % 8 == 0 && inner().step() % 8 == 0 && inner().step() != 0;
  if (!whole_bytes || bits / 8 > static_cast<std::uint64_t>(kMaxPieceBytes)) return;
  const auto distance = static_cast<std::int64_t>(bits / 8);
  longest_ = std::clamp<std::int64_t>(std::min(kMaxRunBytes / distance, lines.inner.step), 1, kMaxSampledCells);
  if (lines.inner.step <= kMaxPieceBytes / distance) {
    const std::int64_t texels = kMaxPieceBytes / (distance * lines.inner.step);
    while (together_ < kMaxTogether && together_ * 2 <= texels) together_ *= 2;
  }
  piece_cells_ = std::min(together_ == 1 ? longest_ : together_ * lines.inner.step, lines.inner.count);
}

void SampledRuns::restart(std::size_t texels) {
  runs_.clear();
  runs_.reserve(texels);
  pieces_.clear();
  values_ = 0;
}

void SampledRuns::add(std::int64_t bit, std::int64_t texel, std::int64_t first, std::int64_t count) {
  Run run{bit, first, count, values_, kNoPiece};
  if (piece_cells_ > 0) {
    const std::int64_t begin = lines_->inner.from + texel * lines_->inner.step;
    const std::int64_t group = together_ == 1 ? texel : begin / (lines_->inner.step * together_);
    if (pieces_.empty() || pieces_.back().group != group || pieces_.back().bit != bit)
      add_piece(run, together_ == 1 ? first : begin, group);
    run.piece = pieces_.size() - 1;
  }
  runs_.push_back(run);
  values_ += static_cast<std::size_t>(count);
}

// All pieces have one length, none goes beyond the window. One that crosses from an inner axis to the next has no address.
void SampledRuns::add_piece(const Run& run, std::int64_t begin, std::int64_t group) {
  const std::int64_t first = std::min(begin, lines_->inner.from + lines_->inner.count - piece_cells_);
  const std::int64_t low = inner().bit(first), high = inner().bit(first + piece_cells_ - 1);
  const bool straight = high - low == (piece_cells_ - 1) * inner().step();
  const std::int64_t bit = run.bit + std::min(low, high);  // a value's, of whole bytes; not before the base
  const bool starts_byte = bit % 8 == 0;
  pieces_.push_back({run.bit, first, group, straight && starts_byte ? places_->base + static_cast<std::uint64_t>(bit / 8) : 0});
}

void SampledRuns::read(const MemoryReader& reader) {
  bytes_.resize(values_ * value_bytes_);
  complete_.assign(values_, 0);
  if (piece_cells_ == 0 || read_pieces(reader)) read_alone(reader);
}

// false: some could not be read, and asking again for less of them would only wait again.
bool SampledRuns::read_pieces(const MemoryReader& reader) {
  const auto distance = static_cast<std::int64_t>(distance_between(inner()) / 8);
  const std::size_t each = static_cast<std::size_t>((piece_cells_ - 1) * distance) + value_bytes_;
  starts_.clear();
  for (const Piece& piece : pieces_) starts_.push_back(piece.at);
  whole_.assign(pieces_.size(), 0);
  piece_bytes_.resize(pieces_.size() * each);
  reader.gather(starts_, each, piece_bytes_, whole_);
  for (const Run& run : runs_) {
    if (whole_[run.piece] == 0) continue;
    // Where cells run backwards in memory, the piece begins with its last one.
    const std::int64_t cell = run.first - pieces_[run.piece].first;
    const std::int64_t ahead = inner().step() > 0 ? cell : piece_cells_ - cell - run.count;
    const std::byte* const from = piece_bytes_.data() + run.piece * each + static_cast<std::size_t>(ahead * distance);
    copy_run(run, from, static_cast<std::size_t>(distance));
  }
  return reader.last_status() == MemoryReader::ReadStatus::fresh;
}

void SampledRuns::copy_run(const Run& run, const std::byte* from, std::size_t distance) {
  const auto count = static_cast<std::size_t>(run.count);
  std::byte* to = bytes_.data() + run.value * value_bytes_;
  std::fill_n(complete_.begin() + static_cast<std::ptrdiff_t>(run.value), count, std::uint8_t{1});
  if (distance == value_bytes_) {
    std::memcpy(to, from, count * value_bytes_);
    return;
  }
  for (std::size_t i = 0; i < count; ++i, to += value_bytes_, from += distance) std::memcpy(to, from, value_bytes_);
}

// What has no piece, or one of which a part cannot be read.
void SampledRuns::read_alone(const MemoryReader& reader) {
  const auto is_read = [this](const Run& run) { return run.piece != kNoPiece && whole_[run.piece] != 0; };
  alone_.restart(places_->value_bits, piece_cells_ == 0 ? values_ : 0);
  for (const Run& run : runs_) {
    if (is_read(run)) continue;
    for (std::int64_t i = 0; i < run.count; ++i) alone_.add(places_->base, run.bit + inner().bit(run.first + i));
  }
  if (alone_.size() == 0) return;
  alone_.read(reader);
  const std::byte* from = whole_values(alone_, places_->value_bits, unpacked_);
  std::size_t element = 0;
  for (const Run& run : runs_) {
    if (is_read(run)) continue;
    const auto count = static_cast<std::size_t>(run.count);
    std::memcpy(bytes_.data() + run.value * value_bytes_, from, count * value_bytes_);
    std::copy_n(alone_.complete.begin() + static_cast<std::ptrdiff_t>(element), count,
                complete_.begin() + static_cast<std::ptrdiff_t>(run.value));
    from += count * value_bytes_;
    element += count;
  }
}

}  // namespace dlscope::core
