// The shared memory between viewer and host: one region, made by the viewer, mapped by the host, its descriptor closed.
//   header | ring viewer->host | ring host->viewer | snapshot slot 0 | snapshot slot 1
// Everything the receiver takes out of it is copied first and checked afterwards: the other side may be a corpse that
// still twitches. Pages are committed only when touched.
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

// What the host is doing, readable at any moment without a message. Written by the host.
// answering: a question of the viewer's (wire::Ask), which may call into the user's classes.
// windows: between two requests, callbacks of windows that user code left open run; for everyone else that is idle.
// acting: an act (core/wire/work.h), which may call into the user's classes.
// stopped: the user's code stands still at a stop (core/wire/debugging.h), and the host waits for requests.
enum class HostPhase : std::uint32_t { starting, idle, running, scanning, crashed, ending, answering, windows, acting, stopped };

// Written by a signal handler of the host: plain stores and a futex wake, nothing else. state: 0 none, 1 being written, 2 complete.
struct CrashRecord {
  static constexpr std::size_t kMostNativeFrames = 64;
  enum Access : std::uint32_t { unknown, read, write };
  std::atomic<std::uint32_t> state;
  std::int32_t signal;
  std::uint32_t
      has_address;  // 1: fault_address is the memory that was touched. 0: a signal that was sent, an address nobody tells
  std::uint32_t access;       // Access
  std::uint64_t fault_address;
  std::uint64_t program_counter;
  std::uint32_t stack_bytes;      // of python_stack, as faulthandler writes it; 0 when none could be had
  std::uint32_t stack_on_stderr;  // 1: the host has shown it on its standard error already
  std::atomic<std::uint32_t> native_frames;  // of native_stack; rises while it is filled
  std::uint64_t native_stack[kMostNativeFrames];  // program counters, from the one that met the fault outwards
  char python_stack[16 * 1024];
};

inline constexpr std::size_t kSlotBytes = std::size_t{1} << 30;  // of one snapshot slot, where the limits of the process allow

struct RegionHeader {
  std::uint64_t magic;
  std::uint32_t layout_version;
  std::uint32_t header_bytes;
  char build_id[64];                       // the viewer's; the host compares before anything else
  std::atomic<std::uint32_t> phase;        // HostPhase
  std::atomic<std::uint64_t> run;          // run being executed or executed last
  std::atomic<std::uint32_t> viewer_gone;  // set by the viewer when it ends on purpose
  CrashRecord crash;
  RingState to_host, to_viewer;
  struct Slot {
    std::atomic<std::uint64_t> sequence;  // odd: being written. Even and > 0: published with that number
    std::atomic<std::uint64_t> bytes;
  } slots[2];
};

class Region {
 public:
  // thread: any. Viewer side: an unnamed memfd, mapped, its size sealed so that nobody can take pages away from under a
  // reader. The descriptor is closed on exec: whoever starts the host dup2()s it to the number the host is told.
  // slot_bytes: tried first; halved while the process's limits on file size or address space refuse it.
  [[nodiscard]] static Result<std::unique_ptr<Region>> create(std::size_t slot_bytes = kSlotBytes);
  // Host side: maps and closes `fd` (also on failure), keeps the mapping out of forked children and core dumps: in a child
  // of the host nothing here may be touched. Fails on a wrong magic, version, size or a size that is not sealed.
  [[nodiscard]] static Result<std::unique_ptr<Region>> attach(int fd);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  [[nodiscard]] int fd() const { return fd_; }  // viewer: for inheriting, until close_fd(); -1 afterwards
  void close_fd();
  [[nodiscard]] RegionHeader& header() { return *header_; }

  // One object of each per process: they keep their own positions.
  [[nodiscard]] RingWriter to_host_writer();    // viewer, one thread
  [[nodiscard]] RingReader to_host_reader();    // host, one thread
  [[nodiscard]] RingWriter to_viewer_writer();  // host; callers lock, several threads send
  [[nodiscard]] RingReader to_viewer_reader();  // viewer, one thread

  // Host, one thread at a time: begin_snapshot() gives the slot not published last, to be filled (encode_snapshot);
  // publish_snapshot() makes its first `bytes` bytes readable and returns their sequence number. A snapshot that does not
  // fit is not published: simply begin again later.
  [[nodiscard]] std::span<std::byte> begin_snapshot();
  std::uint64_t publish_snapshot(std::uint64_t bytes);
  // Viewer: copies the published bytes of that sequence out; nullopt when it was overwritten meanwhile (a newer one follows)
  // or never existed.
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
  std::uint64_t used_bytes_[2] = {};  // of each slot: pages that are committed
};

}  // namespace dlscope::core::wire
