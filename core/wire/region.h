// The shared memory between viewer and host: one region, created by the
// viewer and mapped by the host, which then closes the file descriptor.
//   header | ring viewer->host | ring host->viewer | snapshot slot 0 | snapshot slot 1
// A receiver copies data out first and checks the copy, because the other process may have crashed and still be writing (other
// threads of a crashed host run on). The kernel allocates pages only when they are first touched.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/wire/ring.h"

namespace dlscope::core::wire {

// What the host is doing. Written by the host; readable at any time without a message.
// answering: answers a question (wire::Ask), which may call methods of the user's classes.
// windows: between two requests, runs event callbacks of windows that user code left open, or its handlers of signals. Treated as
// idle by other code.
// acting: performs an act (core/wire/work.h), which may call methods of the user's classes.
// stopped: the user's code is suspended at a stop (core/wire/debugging.h), and the host waits for requests.
enum class HostPhase : std::uint32_t { starting, idle, running, scanning, crashed, ending, answering, windows, acting, stopped };

// A fatal signal in the host. Written by its signal handler, with plain stores and a futex wake only (async-signal-safe).
// state: 0 none, 1 being written, 2 complete.
struct CrashRecord {
  static constexpr std::size_t kMaxNativeFrames = 64;
  enum Access : std::uint32_t { unknown, read, write };
  std::atomic<std::uint32_t> state;
  std::int32_t signal;
  // 1: fault_address is the memory that was accessed. 0: it is the address of the instruction, as for a non-canonical pointer, which
  // the kernel does not report, or 0 where the signal was sent (kill, abort).
  std::uint32_t has_address;
  std::uint32_t access;       // Access
  std::uint64_t fault_address;
  std::uint64_t program_counter;
  std::uint32_t stack_bytes;      // length of python_stack, which is faulthandler's text; 0: it could not be obtained
  std::uint32_t stack_on_stderr;  // 1: the host has already printed it to its standard error
  std::atomic<std::uint32_t> native_frames;  // entries of native_stack; grows while the handler fills it
  std::uint64_t native_stack[kMaxNativeFrames];  // program counters, innermost (the faulting one) first
  char python_stack[16 * 1024];
};

inline constexpr std::size_t kSlotBytes = std::size_t{1} << 30;  // of one snapshot slot, if the process's limits allow it

struct RegionHeader {
  std::uint64_t magic;
  std::uint32_t layout_version;
  std::uint32_t header_bytes;
  char build_id[64];                       // the viewer's; the host compares it with its own first of all
  std::atomic<std::uint32_t> phase;        // HostPhase
  std::atomic<std::uint64_t> run;          // Run::run of the current or most recent run
  std::atomic<std::uint32_t> viewer_gone;  // set by the viewer when it ends on purpose
  std::atomic<std::uint64_t> window_turns;  // how often HostPhase::windows has run something
  CrashRecord crash;
  RingState to_host, to_viewer;
  struct Slot {
    std::atomic<std::uint64_t> sequence;  // odd: being written. Even and > 0: published under that number. 0: never used
    std::atomic<std::uint64_t> bytes;
  } slots[2];
};

class Region {
 public:
  // thread: any. Viewer: creates and maps an unnamed memfd, its size sealed: shrinking it would make readers fault (SIGBUS).
  // The descriptor is close-on-exec: the code that starts the host dup2()s it to the number passed as --region-fd.
  // slot_bytes: tried first; halved until the process's limits on file size and address space allow it.
  [[nodiscard]] static Result<std::unique_ptr<Region>> create(std::size_t slot_bytes = kSlotBytes);
  // Host: maps `fd` and closes it (also on failure). The mapping is not inherited by forked children, where touching it would
  // fault, and is left out of core dumps. Fails on a wrong magic, version or size, and when the size is not sealed.
  [[nodiscard]] static Result<std::unique_ptr<Region>> attach(int fd);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  [[nodiscard]] int fd() const { return fd_; }  // viewer: for inheriting, until close_fd(); -1 afterwards
  void close_fd();
  [[nodiscard]] RegionHeader& header() { return *header_; }

  // Make each at most once: a writer or reader keeps its own position. They borrow the region's memory.
  [[nodiscard]] RingWriter to_host_writer();    // viewer, one thread
  [[nodiscard]] RingReader to_host_reader();    // host, one thread
  [[nodiscard]] RingWriter to_viewer_writer();  // host; several threads send, so callers lock
  [[nodiscard]] RingReader to_viewer_reader();  // viewer, one thread

  // Host, one thread at a time: begin_snapshot() returns the slot that was not published last, for encode_snapshot() to fill;
  // publish_snapshot() makes its first `bytes` bytes readable and returns their sequence number. Do not publish a snapshot that
  // does not fit; begin_snapshot() may be called again without publishing.
  [[nodiscard]] std::span<std::byte> begin_snapshot();
  std::uint64_t publish_snapshot(std::uint64_t bytes);
  // Viewer: a copy of the bytes published under that sequence number; nullopt when they were overwritten meanwhile (a
  // SnapshotReady for the newer ones follows) or never existed.
  [[nodiscard]] std::optional<std::vector<std::byte>> take_snapshot(std::uint64_t sequence);

 private:
  Region() = default;
  [[nodiscard]] Result<void> map(int fd, std::size_t bytes);
  [[nodiscard]] std::span<std::byte> slot(unsigned index) const;
  [[nodiscard]] std::span<std::byte> ring(unsigned index) const;

  int fd_ = -1;
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t slot_bytes_ = 0;
  RegionHeader* header_ = nullptr;
  unsigned next_slot_ = 0;
  std::uint64_t last_sequence_ = 0;
  std::uint64_t used_bytes_[2] = {};  // host: bytes of each slot that the last snapshot in it used, in whole pages
};

}  // namespace dlscope::core::wire
