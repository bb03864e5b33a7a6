#include "app/models/hex/hex_bytes.h"

#include <algorithm>

namespace dlscope::app {
namespace {

using ReadStatus = core::MemoryReader::ReadStatus;

constexpr core::Address kPage = 4096;  // a row lies within one page

RowState state_of_row(bool complete, ReadStatus status) {
  if (complete) return status == ReadStatus::stale ? RowState::earlier : RowState::readable;
  if (status == ReadStatus::hung) return RowState::no_answer;
  if (status == ReadStatus::skipped) return RowState::not_asked;
  return status == ReadStatus::fresh ? RowState::unmapped : RowState::awaited;
}

}  // namespace

const char* row_state_text(RowState state) {
  switch (state) {
    case RowState::readable:
    case RowState::earlier:
      return "";
    case RowState::awaited:
      return "reading …";
    case RowState::unmapped:
      return "not mapped, or not readable";
    case RowState::no_answer:
      return "not readable: the memory does not answer";
    case RowState::not_asked:
      return "not read: other memory does not answer";
    case RowState::not_kept:
      return "not read then";
  }
  return "";
}

// Page by page, so that a page that does not answer says nothing about its neighbour.
void HexBytes::read(const core::MemoryReader& reader, const HexRows& all, std::uint64_t first, std::uint64_t count) {
  width = all.width;
  first = std::min(first, all.rows());
  count = std::min(count, all.rows() - first);
  begin = all.begin_of(first);
  bytes.assign(count * width, std::byte{0});
  rows.resize(count);
  complete_.resize(count);
  addresses_.resize(count);
  for (std::uint64_t i = 0; i < count; ++i) addresses_[i] = all.begin_of(first + i);
  for (std::size_t from = 0, to = 0; from < count; from = to) {
    while (to < count && addresses_[to] / kPage == addresses_[from] / kPage) ++to;
    const auto page = std::span(bytes).subspan(from * width, (to - from) * width);
    reader.gather(std::span(addresses_).subspan(from, to - from), width, page, std::span(complete_).subspan(from, to - from));
    const ReadStatus status = reader.last_status();
    for (std::size_t i = from; i < to; ++i) {
      rows[i] = state_of_row(complete_[i] != 0, status);
      if (complete_[i] == 0) std::ranges::fill(std::span(bytes).subspan(i * width, width), std::byte{0});
    }
  }
}

std::size_t HexBytes::copy_from(core::Address address, std::span<std::byte> out) const {
  std::size_t copied = 0;
  for (; copied < out.size(); ++copied) {
    const std::uint64_t at = address + copied - begin;  // before the first row this wraps to a large number
    if (at >= bytes.size() || !has_bytes(at / width)) break;
    out[copied] = bytes[at];
  }
  return copied;
}

void KeptBytes::keep(const HexBytes& read) {
  for (std::size_t row = 0; row < read.rows.size(); ++row) {
    if (read.rows[row] != RowState::readable) continue;
    const core::Address at = read.begin + row * read.width;
    const auto [block, is_new] = blocks_.try_emplace(at / kBlock * kBlock);
    if (is_new) order_.push_back(block->first);
    const std::size_t offset = at % kBlock;
    std::ranges::copy(read.row(row), block->second.bytes.begin() + static_cast<std::ptrdiff_t>(offset));
    const std::uint64_t ones = (std::uint64_t{1} << read.width) - 1;
    block->second.known |= static_cast<std::uint32_t>(ones << offset);
  }
  while (bytes() > kMaxBytes) {
    blocks_.erase(order_.front());
    order_.pop_front();
  }
}

void KeptBytes::forget() {
  blocks_.clear();
  order_.clear();
}

void KeptBytes::take(const HexRows& all, std::uint64_t first, std::uint64_t count, HexBytes& out) const {
  out.width = all.width;
  first = std::min(first, all.rows());
  count = std::min(count, all.rows() - first);
  out.begin = all.begin_of(first);
  out.bytes.assign(count * all.width, std::byte{0});
  out.rows.assign(count, RowState::not_kept);
  for (std::size_t row = 0; row < count; ++row) {
    const core::Address at = out.begin + row * all.width;
    const auto block = blocks_.find(at / kBlock * kBlock);
    const std::size_t offset = at % kBlock;
    const std::uint64_t ones = ((std::uint64_t{1} << all.width) - 1) << offset;
    if (block == blocks_.end() || (block->second.known & ones) != ones) continue;
    std::copy_n(block->second.bytes.begin() + static_cast<std::ptrdiff_t>(offset), all.width,
                out.bytes.begin() + static_cast<std::ptrdiff_t>(row * all.width));
    out.rows[row] = RowState::readable;
  }
}

std::size_t KeptBytes::copy_from(core::Address address, std::span<std::byte> out) const {
  for (std::size_t done = 0; done < out.size();) {
    const core::Address at = address + done;
    const auto block = blocks_.find(at / kBlock * kBlock);
    if (block == blocks_.end()) return done;
    for (std::size_t offset = at % kBlock; offset < kBlock && done < out.size(); ++offset, ++done) {
      if ((block->second.known >> offset & 1) == 0) return done;
      out[done] = block->second.bytes[offset];
    }
  }
  return out.size();
}

}  // namespace dlscope::app
