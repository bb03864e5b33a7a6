// JobPool: background threads for work too long for a frame. A job computes off the UI thread and returns what is to be done
// with its result; the application runs that on the UI thread, between frames.
//
// Jobs of one lane run one after another, so that what they write stays in order; lanes run side by side, so that a disk that
// does not answer holds up nothing but its own lane.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "app/models/jobs/job_key.h"

namespace dlscope::app {

// What they have in common is what may block them.
enum class Lane : std::uint8_t {
  views,         // the processor only: what a frame shows
  memory,        // reading the script's process
  search,        // the processor only, for as long as it takes: text, names
  files,         // disks: scripts, settings, folders
  tasks,         // disks, for long: reports, pictures
  interpreters,  // child processes: Pythons that are asked what they are
  count,
};

enum class JobPriority : std::uint8_t { now, later };  // later: when nothing else of its lane waits

class JobPool {
 public:
  using Apply = std::function<void()>;                // may be empty
  using Job = std::function<Apply(std::stop_token)>;  // the token: the pool is ending, or the job was replaced or cancelled
  using Failed = std::function<void(const std::string& why)>;

  // wake: called from a job's thread when something can be applied. failed: called on the UI thread, in the place of what a
  // job would have returned, when it threw: there was no memory for it.
  explicit JobPool(std::function<void()> wake = {}, Failed failed = {});
  ~JobPool();  // asks the running jobs to stop, drops the others, waits
  JobPool(const JobPool&) = delete;
  JobPool& operator=(const JobPool&) = delete;

  void post(Lane lane, Job job, JobKey key = {}, JobPriority priority = JobPriority::now);
  // Those with this key: one that waits is dropped, one that runs is asked to stop; nothing of them is applied any more.
  void cancel(JobKey key);
  // thread: UI. Runs what finished jobs returned, unless a newer job with the same key was posted; how many that were.
  std::size_t apply_finished();
  // thread: UI. Jobs waiting, running, or finished and not applied yet.
  [[nodiscard]] bool busy() const;
  // Waits until nothing is waiting or running, applying results as they come. For pictures and tests.
  void finish_all();
  // The same for one lane, without applying: what was to be written is written.
  void finish(Lane lane);

 private:
  struct Entry {
    Job job;
    JobKey key;
    std::uint64_t number = 0;
    JobPriority priority{};
  };
  struct Result {
    Apply apply;
    JobKey key;
    std::uint64_t number = 0;
  };
  struct LaneState {
    std::vector<Entry> waiting;
    std::stop_source running;
    JobKey running_key;
    bool is_running = false;
  };
  static constexpr std::size_t kLanes = static_cast<std::size_t>(Lane::count);

  void loop(const std::stop_token& ending);
  void run_next(LaneState& lane, std::unique_lock<std::mutex>& lock);
  [[nodiscard]] Apply result_of(const Entry& entry, const std::stop_token& stop) const;
  [[nodiscard]] LaneState* ready_lane();
  [[nodiscard]] bool is_newest(JobKey key, std::uint64_t number) const;
  void drop(JobKey key);

  std::function<void()> wake_;
  Failed failed_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::array<LaneState, kLanes> lanes_;  // by urgency
  std::map<JobKey, std::uint64_t> newest_;
  std::vector<Result> finished_;
  std::uint64_t last_number_ = 0;
  std::size_t idle_threads_ = 0;       // those about to start with them
  std::vector<std::jthread> threads_;  // as many as lanes were busy at once; last: they end before the rest goes
};

}  // namespace dlscope::app
