#include "app/session/file_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/files/read_file.h"
#include "app/models/text/text_file.h"
#include "core/base/blocked_signals.h"

namespace dlscope::app {
namespace {

constexpr int kLookEvery = 1'000;   // milliseconds; remote folders send no events
constexpr int kSettleStep = 60;     // milliseconds without a change until a file counts as written
constexpr int kMaxSettling = 25;   // steps; then the file is taken as it is
constexpr int kStepsUntilGone = 4;  // programs that replace a file may remove it first

}  // namespace

FileWatch::FileWatch(std::function<void()> wake)
    : wake_(std::move(wake)),
      asked_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      events_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  const core::BlockedSignals blocked;
  try {
    thread_ = std::thread([this] { loop(); });
  } catch (const std::system_error&) {  // the system gives no more threads: then changes are not noticed
  }
}

FileWatch::~FileWatch() {
  ending_ = true;
  ::eventfd_write(asked_.get(), 1);
  if (thread_.joinable()) thread_.join();
}

void FileWatch::watch(const std::string& path, std::uint64_t hash) {
  {
    const std::scoped_lock lock(mutex_);
    wanted_path_ = path;
    wanted_hash_ = hash;
    std::erase_if(changes_, [&](const FileChange& change) { return change.path != path; });
  }
  ::eventfd_write(asked_.get(), 1);
}

std::vector<FileChange> FileWatch::take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(changes_, {});
}

FileWatch::Stamp FileWatch::stamp_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {};
  return {true, info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_size, info.st_ino};
}

void FileWatch::switch_target() {
  ::eventfd_t count = 0;
  ::eventfd_read(asked_.get(), &count);
  std::string path;
  {
    const std::scoped_lock lock(mutex_);
    path = wanted_path_;
    hash_ = wanted_hash_;
  }
  seen_.reset();  // read the content once, whatever its time
  gone_ = false;
  if (path == path_) return;
  path_ = std::move(path);
  if (folder_watch_ >= 0) ::inotify_rm_watch(events_.get(), folder_watch_);
  folder_watch_ = -1;
  if (path_.empty()) return;
  const std::filesystem::path file(path_);
  name_ = file.filename().string();
  const std::string folder = file.has_parent_path() ? file.parent_path().string() : ".";
  folder_watch_ = ::inotify_add_watch(events_.get(), folder.c_str(),
                                      IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE);
}

bool FileWatch::drain_events() {
  alignas(inotify_event) std::array<char, 4096> buffer;
  bool ours = false;
  for (ssize_t n = 0; (n = ::read(events_.get(), buffer.data(), buffer.size())) > 0;) {
    for (ssize_t at = 0; at < n;) {
      inotify_event event;
      std::memcpy(&event, buffer.data() + at, sizeof event);
      if (event.len > 0 && name_ == buffer.data() + at + sizeof event) ours = true;
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  }
  return ours;
}

bool FileWatch::settle() {
  Stamp last = stamp_of(path_);
  for (int i = 0, missing = 0; i < kMaxSettling; ++i) {
    pollfd asked{asked_.get(), POLLIN, 0};
    if (::poll(&asked, 1, kSettleStep) > 0) return false;
    drain_events();
    const Stamp now = stamp_of(path_);
    missing = now.exists ? 0 : missing + 1;
    if (now == last && (now.exists || missing >= kStepsUntilGone)) return true;
    last = now;
  }
  return true;
}

void FileWatch::look() {
  if (path_.empty() || stamp_of(path_) == seen_) return;
  if (!settle()) return;
  const Stamp now = stamp_of(path_);
  if (!now.exists) {
    if (!gone_) say({FileChange::Kind::gone, path_, {}, {}});
    gone_ = true;
    seen_ = Stamp{};
    return;
  }
  auto bytes = read_text_file(path_);
  const bool was_gone = std::exchange(gone_, false);
  seen_ = now;
  if (!bytes) return say({FileChange::Kind::unreadable, path_, {}, bytes.error().message});
  const std::uint64_t hash = content_hash(*bytes);
  if (hash == hash_ && !was_gone) return;
  hash_ = hash;
  say({FileChange::Kind::changed, path_, std::move(*bytes), {}});
}

void FileWatch::say(FileChange change) {
  {
    const std::scoped_lock lock(mutex_);
    if (change.path != wanted_path_) return;
    changes_.push_back(std::move(change));
  }
  if (wake_) wake_();
}

void FileWatch::loop() {
  std::array<pollfd, 2> waits{pollfd{asked_.get(), POLLIN, 0}, pollfd{events_.get(), POLLIN, 0}};
  while (!ending_) {
    const int ready = ::poll(waits.data(), waits.size(), path_.empty() ? -1 : kLookEvery);
    if (ending_) return;
    if (ready > 0 && (waits[0].revents & POLLIN) != 0) switch_target();
    if (ready > 0 && (waits[1].revents & POLLIN) != 0 && !drain_events()) continue;
    look();
  }
}

}  // namespace dlscope::app
