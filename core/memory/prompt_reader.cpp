#include "core/memory/prompt_reader.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "core/memory/address_map.h"

namespace dlscope::core {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;       // of a large read: it is there or not as a whole
constexpr std::uint64_t kMostLookedAt = std::uint64_t{32} << 20;  // bytes; looking takes as long as reading a hundredth of them
// Of single pieces: bytes for each. Looking at them takes half as long as is gained where they are there.
constexpr std::uint64_t kLookedAtEach = std::uint64_t{512} << 10;
constexpr std::uint64_t kSmallestPage = 4096;

// Only for memory without a file: of a file that belongs to somebody else the kernel always says yes.
bool is_in_core(ByteRange range) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::array<unsigned char, kMostLookedAt / kSmallestPage + 1> there;
  for (Address at = range.begin / page * page; at < range.end; at += kMostLookedAt) {
    const std::size_t size = std::min(range.end - at, kMostLookedAt), pages = (size + page - 1) / page;
    if (pages > there.size() || ::mincore(reinterpret_cast<void*>(at), size, there.data()) != 0) return false;
    if (std::any_of(there.begin(), there.begin() + static_cast<std::ptrdiff_t>(pages),
                    [](unsigned char one) { return (one & 1) == 0; }))
      return false;
  }
  return true;
}

}  // namespace

bool PromptReader::is_anonymous(ByteRange range) const {
  std::call_once(looked_, [&] {
    const auto map = AddressMap::load(0);
    if (!map) return;
    for (const Mapping& mapping : map->mappings()) {
      if (mapping.device == 0 && mapping.inode == 0) anonymous_.push_back(mapping.range);
    }
  });
  const auto at = std::ranges::upper_bound(anonymous_, range.begin, {}, &ByteRange::end);
  return at != anonymous_.end() && at->begin <= range.begin && range.end <= at->end;
}

// The fastest that waits for nothing but the bytes; in_time_ where there may be more to wait for.
const MemoryReader& PromptReader::reader_of(ByteRange range, std::size_t pieces) const {
  const bool is_large = range.size() > kMostLookedAt;
  if (range.end < range.begin || (is_large && range.size() / kLookedAtEach > pieces)) return in_time_;
  if (is_anonymous(range)) return is_in_core(range) ? static_cast<const MemoryReader&>(copied_) : in_time_;
  return !is_large && pages_.present(range) ? *direct_ : in_time_;
}

// Of single bytes. Looking up each page of many takes longer than having a thread read them.
const MemoryReader& PromptReader::reader_of(std::span<const Address> single) const {
  constexpr std::size_t kFew = 16;
  const auto is_there = [this](Address at) { return pages_.present({at, at + 1}); };
  if (single.size() > kFew || !std::ranges::all_of(single, is_there)) return in_time_;
  return *direct_;
}

void PromptReader::note_answer(const MemoryReader& used) const {
  if (&used != &in_time_) return;
  const ReadStatus answer = in_time_.last_status();
  if (answer != ReadStatus::fresh && worst_ != ReadStatus::hung) worst_ = answer;
}

std::string PromptReader::problem() const {
  if (worst_ == ReadStatus::hung) return "the memory does not answer";
  return worst_ == ReadStatus::skipped ? "it was not read, because other memory does not answer" : "";
}

std::size_t PromptReader::read(Address from, std::span<std::byte> out) const {
  std::size_t done = 0;
  while (done < out.size()) {
    const std::span<std::byte> piece = out.subspan(done, std::min(out.size() - done, kPiece));
    const Address at = from + done;
    const MemoryReader& reader = reader_of({at, at + piece.size()}, 1);
    const std::size_t got = reader.read(at, piece);
    note_answer(reader);
    done += got;
    if (got < piece.size()) break;
  }
  return done;
}

void PromptReader::probe(std::span<const Address> addresses, std::span<std::uint8_t> readable) const {
  const MemoryReader& reader = reader_of(addresses);
  reader.probe(addresses, readable);
  note_answer(reader);
}

void PromptReader::probe_each(std::span<const Address> addresses, std::span<Probed> out) const {
  const MemoryReader& reader = reader_of(addresses);
  reader.probe_each(addresses, out);
  note_answer(reader);
}

void PromptReader::gather(std::span<const Address> addresses, std::size_t each, std::span<std::byte> out,
                          std::span<std::uint8_t> complete) const {
  if (addresses.empty()) return;
  const auto [lowest, highest] = std::ranges::minmax(addresses);
  const MemoryReader& reader = reader_of({lowest, highest + each}, addresses.size());
  reader.gather(addresses, each, out, complete);
  note_answer(reader);
}

}  // namespace dlscope::core
