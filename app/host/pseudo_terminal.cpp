#include "app/host/pseudo_terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/eventfd.h>
#include <termios.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace dlscope::app {

using core::ErrorKind;
using core::fail;
using core::Result;

namespace {

constexpr std::size_t kLastWordsBytes = std::size_t{1} << 20;
constexpr winsize kWindow{.ws_row = 40, .ws_col = 120, .ws_xpixel = 0, .ws_ypixel = 0};

void signal_event(const FileDescriptor& event) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(event.get(), &one, sizeof one);
}

void clear_event(const FileDescriptor& event) {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(event.get(), &count, sizeof count);
}

}  // namespace

Result<PseudoTerminal> PseudoTerminal::open() {
  PseudoTerminal terminal;
  std::array<int, 2> ends{-1, -1};
  terminal.is_terminal_ = ::openpty(&ends[0], &ends[1], nullptr, nullptr, &kWindow) == 0;
  if (!terminal.is_terminal_ && ::pipe(ends.data()) != 0) {
    return fail(ErrorKind::environment,
                std::string{"neither a pseudo-terminal nor a pipe could be made: "} + std::strerror(errno));
  }
  terminal.parent_.reset(ends[0]);
  terminal.child_.reset(ends[1]);
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  ::fcntl(ends[0], F_SETFL, ::fcntl(ends[0], F_GETFL) | O_NONBLOCK);
  terminal.resume_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  terminal.stop_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!terminal.resume_ || !terminal.stop_) {
    return fail(ErrorKind::environment, std::string{"no eventfd could be made: "} + std::strerror(errno));
  }
  return terminal;
}

void PseudoTerminal::start_reading(Sink sink) {
  reader_ = std::thread([this, sink = std::move(sink)] { read_until_finished(sink); });
}

void PseudoTerminal::resume() { signal_event(resume_); }

void PseudoTerminal::catch_up(std::chrono::milliseconds at_most) {
  using Clock = std::chrono::steady_clock;
  constexpr int kEnough = 2;  // polls that find nothing: the kernel may pass on printed text a moment late
  const auto give_up = Clock::now() + at_most;
  for (int found_nothing = 0; found_nothing < kEnough && Clock::now() < give_up;) {
    {
      const std::lock_guard lock(*taking_);
      pollfd printed{parent_.get(), POLLIN, 0};
      found_nothing = ::poll(&printed, 1, 0) == 1 && (printed.revents & POLLIN) != 0 ? 0 : found_nothing + 1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
}

void PseudoTerminal::finish() {
  signal_event(stop_);
  if (reader_.joinable()) reader_.join();
}

bool PseudoTerminal::echoes() const {
  termios modes{};
  if (!is_terminal_ || ::tcgetattr(parent_.get(), &modes) != 0) return true;
  return (modes.c_lflag & ECHO) != 0 || (modes.c_lflag & ICANON) == 0;  // without ICANON a line editor echoes by itself
}

bool PseudoTerminal::write(std::string_view text) {
  while (is_terminal_ && !text.empty()) {
    const ssize_t written = ::write(parent_.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return text.empty();
}

void PseudoTerminal::read_until_finished(const Sink& sink) {
  std::array<char, 65536> buffer;
  std::size_t room = sink({});
  std::size_t last_text = kLastWordsBytes;
  bool finishing = false;
  while (!finishing || last_text > 0) {
    std::array<pollfd, 3> events{{{stop_.get(), POLLIN, 0}, {resume_.get(), POLLIN, 0}, {parent_.get(), POLLIN, 0}}};
    if (finishing) events[0].fd = -1;
    if (room == 0 && !finishing) events[2].fd = -1;
    const int ready = ::poll(events.data(), events.size(), finishing ? 0 : -1);
    if (ready < 0 && errno != EINTR) return;
    if (ready == 0) return;  // only when finishing: nothing is left
    if (events[0].revents != 0) finishing = true;
    if (events[1].revents != 0) {
      clear_event(resume_);
      room = sink({});
    }
    if (events[2].revents == 0) continue;
    const std::size_t most = std::min(buffer.size(), finishing ? last_text : room);
    ssize_t got = 0;
    {
      const std::lock_guard lock(*taking_);
      got = ::read(parent_.get(), buffer.data(), most);
      if (got > 0) room = sink({buffer.data(), static_cast<std::size_t>(got)});
    }
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) {  // no process has the terminal open any more
      if (finishing) return;
      pollfd stop{stop_.get(), POLLIN, 0};
      while (::poll(&stop, 1, -1) < 0 && errno == EINTR) {
      }
      return;
    }
    if (finishing) last_text -= static_cast<std::size_t>(got);
  }
}

}  // namespace dlscope::app
