// Worker: one background thread for work too long for a frame. A job computes off the UI thread and returns what is to
// be done with the result on the UI thread; the application runs that between frames.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace dlscope::app {

class Worker {
 public:
  using Apply = std::function<void()>;                // may be empty
  using Job = std::function<Apply(std::stop_token)>;  // the token: the worker is ending, or the job was replaced

  using Failed = std::function<void(const std::string& why)>;

  // wake: called from the worker's thread when something can be applied. failed: called on the UI thread, in the place of what a
  // job would have returned, when it threw: there was no memory for it.
  explicit Worker(std::function<void()> wake = {}, Failed failed = {});
  ~Worker();  // asks the running job to stop, drops the others, waits
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Jobs run one after another, in order. key > 0: a waiting or running job with the same key is replaced, because only
  // the newest answer is wanted.
  void post(Job job, int key = 0);
  // thread: UI. Runs what finished jobs returned; how many that were.
  std::size_t apply_finished();
  // thread: UI. Jobs waiting, running, or finished and not applied yet.
  [[nodiscard]] bool busy() const;
  // Waits until nothing is waiting or running, applying results as they come. For pictures and tests.
  void finish_all();

 private:
  struct Entry {
    Job job;
    int key = 0;
  };
  void loop(const std::stop_token& ending);
  [[nodiscard]] Apply result_of(const Entry& entry, const std::stop_token& stop) const;

  std::function<void()> wake_;
  Failed failed_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Entry> waiting_;
  std::vector<Apply> finished_;
  std::stop_source running_;
  int running_key_ = 0;
  bool is_running_ = false;
  std::jthread thread_;  // last: starts when everything else stands
};

}  // namespace dlscope::app
