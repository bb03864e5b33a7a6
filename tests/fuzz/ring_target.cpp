// The ring of messages while the other process writes anywhere in the memory that both map. That process is a thread here, with a
// mapping at other addresses: its writes are no races to the thread sanitizer, which watches what both sides keep to themselves.
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include "core/wire/ring.h"
#include "tests/fuzz/fuzz_target.h"

namespace dlscope::fuzz {
namespace {

namespace wire = core::wire;

constexpr std::size_t kShared = 4096;     // the state at its begin, the ring at its end
constexpr std::size_t kRing = 1024;       // bytes
constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kLargest = 200;     // bytes of a message here
constexpr int kRounds = 64;

// Two mappings of the same memory. Behind the ring of the first lies a page that may not be touched.
class SharedMemory {
 public:
  SharedMemory() : file_(::memfd_create("ring", MFD_CLOEXEC)) {
    hold(file_ >= 0 && ::ftruncate(file_, kShared) == 0, "there is memory for the ring");
    void* const room = ::mmap(nullptr, 2 * kShared, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    hold(room != MAP_FAILED, "there is room for the ring");
    ours_ = map(room, MAP_SHARED | MAP_FIXED);
    theirs_ = map(nullptr, MAP_SHARED);
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory() {
    ::munmap(ours_, 2 * kShared);
    ::munmap(theirs_, kShared);
    ::close(file_);
  }

  void clear() { std::memset(ours_, 0, kShared); }
  [[nodiscard]] wire::RingState* state() { return new (ours_) wire::RingState{}; }
  [[nodiscard]] std::span<std::byte> ring() { return {ours_ + kShared - kRing, kRing}; }
  [[nodiscard]] std::uint64_t* theirs() { return reinterpret_cast<std::uint64_t*>(theirs_); }

 private:
  [[nodiscard]] std::byte* map(void* at, int flags) const {
    void* const memory = ::mmap(at, kShared, PROT_READ | PROT_WRITE, flags, file_, 0);
    hold(memory != MAP_FAILED, "the ring can be mapped");
    return static_cast<std::byte*>(memory);
  }
  int file_;
  std::byte *ours_ = nullptr, *theirs_ = nullptr;
};

// A word of the input says where to write what: a number as it could stand there, or an impossible one.
struct Scribble {
  std::size_t at = 0;  // in words
  std::uint64_t value = 0;
};

std::vector<Scribble> scribbles_in(std::span<const std::byte> input) {
  constexpr std::size_t kStateWords = sizeof(wire::RingState) / kWord, kRingWords = kRing / kWord;
  std::vector<Scribble> all(input.size() / kWord);
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, &input[i * kWord], kWord);
    const std::size_t place = word % (kStateWords + kRingWords);
    all[i].at = place < kStateWords ? place : kShared / kWord - kRingWords + (place - kStateWords);
    const std::uint64_t value = word >> 16;
    all[i].value = (word & 0x8000) != 0 ? ~value : value;
  }
  return all;
}

void scribble(std::uint64_t* memory, const std::vector<Scribble>& scribbles, const std::atomic<bool>& over) {
  do {
    for (const Scribble& each : scribbles) std::atomic_ref(memory[each.at]).store(each.value, std::memory_order_relaxed);
  } while (!over);
}

bool run_ring(std::span<const std::byte> input) {
  static SharedMemory memory;
  memory.clear();
  wire::RingState* const state = memory.state();
  wire::RingWriter writer(state, memory.ring());
  wire::RingReader reader(state, memory.ring());
  const std::vector<Scribble> scribbles = scribbles_in(input);
  std::atomic<bool> over = false;
  std::thread other([&] { scribble(memory.theirs(), scribbles, over); });
  const Bytes payload(kLargest, std::byte{0x5a});
  wire::RawMessage message;
  bool broken = false;
  for (int round = 0; round < kRounds; ++round) {
    static_cast<void>(writer.write(7, std::span(payload).first(static_cast<std::size_t>(round) * 3)));
    const auto read = reader.read(message);
    hold(!broken || !read, "a ring that was broken stays so");
    hold(message.payload.size() <= kRing, "a message is not larger than the ring");
    broken = !read;
    reader.wait(std::chrono::milliseconds(0));
  }
  over = true;
  other.join();
  return true;  // not whether it was broken, which depends on the threads: the same seed gives the same inputs
}

Bytes words(std::initializer_list<std::uint64_t> all) {
  const auto bytes = std::as_bytes(std::span(all.begin(), all.size()));
  return {bytes.begin(), bytes.end()};
}

// Place 0 is the head, 8 the tail, 16 the signal; from 24 on lie messages.
std::vector<Bytes> ring_seeds() {
  return {words({}), words({0x30'0000}), words({0x7fff'0000, 0x8000}), words({0x18'0008}), words({0x8008}),
          words({0x1'0010, 0x2'0010}), words({0xffff'ffff'0018, 0x8018, 0x10'0007'0018}), words({0x100'0018, 0x8'0000})};
}

}  // namespace

std::vector<Target> ring_targets() { return {{"ring", ring_seeds, run_ring, {}, true}}; }

}  // namespace dlscope::fuzz
