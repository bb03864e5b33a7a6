// HostClient::Impl: the state that a HostClient, its thread for the process and its thread for messages share. Private to the files
// of HostClient: host_client.cpp (the process and the calls), host_messages.cpp (what the host says).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "app/host/host_client.h"
#include "app/host/host_event_queue.h"
#include "app/host/host_process.h"
#include "app/host/pseudo_terminal.h"

namespace dlscope::app {

struct HostClient::Impl : std::enable_shared_from_this<Impl> {
  Impl(HostLaunch how, std::function<void()> wake) : launch(std::move(how)), events(std::move(wake)) {}

  core::Result<pid_t> start();
  void look_after_process(std::promise<core::Result<pid_t>> started, HostProcessSpec spec);
  bool start_listening();
  void end_unheard_host();
  void read_wire();
  void listen();
  bool read_messages();  // false: there were none
  void handle(core::wire::ToViewer&& message, std::size_t bytes);
  void handle_hello(core::wire::Hello&& hello, std::size_t bytes);
  void handle_snapshot(const core::wire::SnapshotReady& ready);
  void look_for_crash();
  void look_for_windows();
  void give_up(std::string wording);
  void handle_orphans();
  void report_end(const HostExited& exit);
  void end_host();
  std::size_t take_output(std::string_view text);
  bool send(const core::wire::ToHost& message);

  const std::chrono::system_clock::time_point created = std::chrono::system_clock::now();  // not later than the process
  HostLaunch launch;
  HostEventQueue events;
  std::unique_ptr<core::wire::Region> region;
  std::optional<core::wire::RingWriter> writer;
  std::optional<core::wire::RingReader> reader;
  std::optional<PseudoTerminal> terminal;
  std::optional<HostProcess> process;  // set before start() returns, then constant
  std::mutex send_mutex;
  std::atomic<std::uint32_t> stop_attempts{0};
  std::atomic<bool> exited{false}, killed{false}, wire_stopping{false}, wire_done{false}, settled{false};
  std::atomic<std::chrono::steady_clock::rep> shutdown_deadline{0};  // 0: none

  // Written by the wire thread, read by the process thread after joining it.
  bool crashed = false, broken = false;
  std::string why;

  // Of the wire thread.
  std::uint64_t window_turns = 0;
  bool windows_told = true;  // since the last snapshot; true before the first
  std::string unreadable;    // why the snapshot of the scan that ends next cannot be read; "": it can

  std::atomic<bool> ready{false};
  std::mutex text_mutex;
  std::string first_text;

  std::thread process_thread, wire_thread;
  std::promise<void> process_done;
};

}  // namespace dlscope::app
