#include "embed/own_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace dlscope::embed {
namespace {

using core::Address;
using core::ByteRange;
using core::DeadlineReader;

constexpr std::uint64_t kFewPages = 16;  // judged one by one; of more, whether all are there

class NoReader final : public core::MemoryReader {
 public:
  [[nodiscard]] std::size_t read(Address, std::span<std::byte>) const override { return 0; }
};

const OwnReaders* make_readers(pid_t process) {
  auto made = core::process_reader(process);
  auto* const readers = new OwnReaders{process, made ? "" : made.error().message, nullptr, nullptr,
                                       std::make_shared<core::KeptPages>()};
  if (made) {
    readers->direct = std::move(*made);
  } else {
    readers->direct = std::make_shared<NoReader>();
  }
  core::DeadlineOptions options;
  options.pages = readers->pages;
  readers->in_time = std::make_shared<DeadlineReader>(readers->direct, std::move(options));
  return readers;
}

// Nothing is mapped there, so the kernel refuses a read at once.
bool is_unmapped(Address page_begin, std::uint64_t page) {
  unsigned char there = 0;
  return ::mincore(reinterpret_cast<void*>(page_begin), page, &there) != 0 && errno == ENOMEM;
}

// Whether the kernel answers a read of these bytes at once: with the bytes, or because nothing is mapped there.
bool answers_at_once(ByteRange range) {
  if (range.end < range.begin) return true;  // the address is none of a program's
  const core::KeptPages& pages = *own_readers().pages;
  if (pages.present(range)) return true;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  if (range.size() > kFewPages * page) return false;
  for (Address at = range.begin / page * page; at < range.end && at + page > at; at += page) {
    if (!pages.present({at, at + 1}) && !is_unmapped(at, page)) return false;
  }
  return true;
}

class OwnMemory final : public core::MemoryReader {
 public:
  [[nodiscard]] std::size_t read(Address from, std::span<std::byte> out) const override {
    return with_reader(answers_at_once({from, from + out.size()}),
                       [&](const MemoryReader& reader) { return reader.read(from, out); });
  }
  void probe(std::span<const Address> addresses, std::span<std::uint8_t> readable) const override {
    with_reader(all_answer(addresses, 1), [&](const MemoryReader& reader) { reader.probe(addresses, readable); });
  }
  void probe_each(std::span<const Address> addresses, std::span<Probed> out) const override {
    with_reader(all_answer(addresses, 1), [&](const MemoryReader& reader) { reader.probe_each(addresses, out); });
  }
  void gather(std::span<const Address> addresses, std::size_t each, std::span<std::byte> out,
              std::span<std::uint8_t> complete) const override {
    with_reader(all_answer(addresses, each), [&](const MemoryReader& reader) { reader.gather(addresses, each, out, complete); });
  }
  [[nodiscard]] ReadStatus last_status() const override { return last(); }
  [[nodiscard]] std::string problem() const override {
    if (last() == ReadStatus::hung) return "the memory does not answer";
    return last() == ReadStatus::skipped ? "it was not read, because other memory does not answer" : "";
  }

 private:
  static ReadStatus& last() {
    static thread_local ReadStatus status = ReadStatus::fresh;
    return status;
  }
  // Looking up each page of many takes longer than having a thread read them.
  static bool all_answer(std::span<const Address> addresses, std::size_t each) {
    return addresses.size() <= kFewPages &&
           std::ranges::all_of(addresses, [each](Address at) { return answers_at_once({at, at + each}); });
  }
  template <class Read>
  static std::invoke_result_t<Read, const MemoryReader&> with_reader(bool at_once, Read read) {
    last() = ReadStatus::fresh;
    if (at_once) return read(*own_readers().direct);
    const DeadlineReader in_time(*own_readers().in_time);  // with a status of its own
    struct AtEnd {
      const DeadlineReader& used;
      ~AtEnd() {
        last() = used.last_status();
        used.rest();  // a script without threads forks a process without threads
      }
    } const at_end{in_time};
    return read(in_time);
  }
};

}  // namespace

const OwnReaders& own_readers() {
  static std::atomic<const OwnReaders*> kept = nullptr;
  const pid_t process = ::getpid();
  const OwnReaders* known = kept.load(std::memory_order_acquire);
  while (known == nullptr || known->process != process) {
    if (known != nullptr) known->pages->close_kept();  // a forked child's copy of the parent's
    const OwnReaders* const made = make_readers(process);  // two threads may both make some: one of them is used
    if (kept.compare_exchange_strong(known, made, std::memory_order_acq_rel)) return *made;
  }
  return *known;
}

const core::MemoryReader& own_memory() {
  static const OwnMemory memory;
  return memory;
}

}  // namespace dlscope::embed
