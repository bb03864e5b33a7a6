// PseudoTerminal: the terminal that a host in a window is attached to, and the thread that reads what is printed there. Where the
// system gives no pseudo-terminal, a pipe takes its place (no input then).
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "app/files/file_descriptor.h"
#include "core/base/result.h"

namespace dlscope::app {

class PseudoTerminal {
 public:
  // Takes printed bytes; returns how many more may be read now. 0: none, until resume(). thread: the reading one.
  using Sink = std::function<std::size_t(std::string_view)>;

  [[nodiscard]] static core::Result<PseudoTerminal> open();

  // What the child uses as descriptors 0, 1 and 2; valid until close_child_side().
  [[nodiscard]] int child_side() const { return child_.get(); }
  [[nodiscard]] bool is_terminal() const { return is_terminal_; }
  // False while the program turned the echo off: it reads a password.
  [[nodiscard]] bool echoes() const;
  void close_child_side() { child_.reset(); }

  // Starts the reading thread, which calls `sink`.
  void start_reading(Sink sink);
  // thread: any. Call when the sink has room again.
  void resume();
  // thread: any but the reading one. Waits until all that was printed so far has reached the sink, or the time is over. Needed
  // because a message on the wire may arrive before text that was printed earlier.
  void catch_up(std::chrono::milliseconds at_most);
  // Reads what is available, at most 1 MiB, then ends the thread. Does not wait for a child that keeps the terminal open.
  void finish();
  // thread: any. Types text; what does not fit into the terminal's buffer is dropped. False when some was.
  bool write(std::string_view text);

 private:
  void read_until_finished(const Sink& sink);

  FileDescriptor parent_, child_;
  FileDescriptor resume_, stop_;  // eventfd
  bool is_terminal_ = false;
  std::unique_ptr<std::mutex> taking_ = std::make_unique<std::mutex>();  // held from a read until its sink has returned
  std::thread reader_;
};

}  // namespace dlscope::app
