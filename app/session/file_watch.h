// FileWatch: notices when another program changes, replaces or removes a file. Has its own thread; it compares time and size, and
// reports only when the content differs.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/files/file_descriptor.h"

namespace dlscope::app {

struct FileChange {
  enum class Kind : std::uint8_t { changed, gone, unreadable };
  Kind kind = Kind::changed;
  std::string path;
  std::string bytes;  // of a changed file
  std::string why;    // unreadable
};

class FileWatch {
 public:
  // wake: called from the watching thread when take() has something.
  explicit FileWatch(std::function<void()> wake);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  // thread: UI. Watches this file in place of the previous one; "": none. hash: of the content already known.
  void watch(const std::string& path, std::uint64_t hash);
  // thread: UI. The changes since the last call.
  [[nodiscard]] std::vector<FileChange> take();

 private:
  struct Stamp {
    bool exists = false;
    std::int64_t seconds = 0, nanoseconds = 0, size = 0;
    std::uint64_t inode = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  static Stamp stamp_of(const std::string& path);

  void loop();
  void switch_target();
  void look();
  bool settle();  // waits until nobody writes to it; false: told to end, or to watch another file
  bool drain_events();
  void say(FileChange change);

  std::function<void()> wake_;
  FileDescriptor asked_, events_;  // eventfd (new target, or end); inotify
  std::atomic<bool> ending_{false};
  std::mutex mutex_;
  std::string wanted_path_;  // guarded by mutex_, up to changes_
  std::uint64_t wanted_hash_ = 0;
  std::vector<FileChange> changes_;
  std::string path_, name_;  // from here on used by the thread alone
  std::uint64_t hash_ = 0;
  std::optional<Stamp> seen_;  // nullopt: not looked at yet
  bool gone_ = false;
  int folder_watch_ = -1;
  std::thread thread_;  // last: starts when all other members exist
};

}  // namespace dlscope::app
