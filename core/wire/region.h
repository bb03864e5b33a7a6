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
enum class HostPhase : std::uint32_t { starting, idle, running, scanning, crashed, ending };

// Written by a signal handler of the host: plain stores and a futex wake, nothing else. state: 0 none, 1 being written, 2 complete.
struct CrashRecord {
  std::atomic<std::uint32_t> state;
  std::int32_t signal;
  std::uint64_t fault_address;
  std::uint64_t program_counter;
  std::uint32_t stack_bytes;             // of python_stack, as faulthandler writes it; 0 when none could be had
  char python_stack[16 * 1024];
};

struct RegionHeader {
  std::uint64_t magic;
  std::uint32_t layout_version;
  std::uint32_t header_bytes;
  char build_id[64];                        // the viewer's; the host compares before anything else
  std::atomic<std::uint32_t> phase;         // HostPhase
  std::atomic<std::uint64_t> run;           // run being executed or executed last
  std::atomic<std::uint32_t> viewer_gone;   // set by the viewer when it ends on purpose
  CrashRecord crash;
  RingState to_host, to_viewer;
  struct Slot {
    std::atomic<std::uint64_t> sequence;    // odd: being written. Even and > 0: published with that number
    std::uint64_t bytes;
  } slots[2];
};

class Region {
 public:
  // thread: any. Viewer side: an unnamed memfd, mapped.
  [[nodiscard]] static Result<std::unique_ptr<Region>> create();
  // Host side: maps and closes `fd`, keeps the mapping out of forked children. Fails on a wrong magic, version or size.
  [[nodiscard]] static Result<std::unique_ptr<Region>> attach(int fd);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  [[nodiscard]] int fd() const { return fd_; }             // viewer: for inheriting, until close_fd()
  void close_fd();
  [[nodiscard]] RegionHeader& header() { return *header_; }

  [[nodiscard]] RingWriter to_host_writer();      // viewer, one thread
  [[nodiscard]] RingReader to_host_reader();      // host, one thread
  [[nodiscard]] RingWriter to_viewer_writer();    // host; callers lock, several threads send
  [[nodiscard]] RingReader to_viewer_reader();    // viewer, one thread

  // Host: writes a snapshot's bytes into the slot not used last and publishes it; returns its sequence number, nullopt
  // when it is larger than a slot. `fill` gets the slot's memory and returns the bytes used.
  [[nodiscard]] std::span<std::byte> begin_snapshot();                 // the slot to fill
  std::uint64_t publish_snapshot(std::uint64_t bytes);
  // Viewer: copies the published bytes of that sequence out; nullopt when it was overwritten meanwhile (a newer one follows).
  [[nodiscard]] std::optional<std::vector<std::byte>> take_snapshot(std::uint64_t sequence);

 private:
  Region() = default;
  int fd_ = -1;
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  RegionHeader* header_ = nullptr;
  unsigned next_slot_ = 0;
};

}  // namespace dlscope::core::wire
