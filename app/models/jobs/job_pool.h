// JobPool: background threads for work that takes longer than a frame. A job computes off the UI thread and returns a function
// that applies its result; the application calls that on the UI thread, between frames.
//
// Jobs of one lane run one after another, so what they write stays in order. Lanes run in parallel, so a disk that does not
// answer blocks only its own lane.
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

// Jobs are grouped by what may block them.
enum class Lane : std::uint8_t {
  views,         // CPU only: what a frame shows
  memory,        // reading the script's process
  search,        // CPU only, possibly long: text, names
  files,         // disks: scripts, settings, folders
  tasks,         // long work on memory: the viewer's own tasks
  disk_tasks,    // tasks that wait for disks: reports, pictures and exports written, tensor files opened; one that never answers
                 // holds up only these
  interpreters,  // child processes: asks Pythons about themselves
  count,
};

enum class JobPriority : std::uint8_t { now, later };  // later: only when nothing else of its lane waits

class JobPool {
 public:
  using Apply = std::function<void()>;                // may be empty
  using Job = std::function<Apply(std::stop_token)>;  // the token: the pool ends, or the job was replaced or cancelled
  using Failed = std::function<void(const std::string& why)>;

  // wake: called from a job's thread when a result can be applied. failed: called on the UI thread in place of a result when a
  // job has thrown (out of memory).
  explicit JobPool(std::function<void()> wake = {}, Failed failed = {});
  ~JobPool();  // stops the running jobs, drops the waiting ones, blocks until all have ended
  JobPool(const JobPool&) = delete;
  JobPool& operator=(const JobPool&) = delete;

  void post(Lane lane, Job job, JobKey key = {}, JobPriority priority = JobPriority::now);
  // Cancels the job with this key: a waiting one is dropped, a running one is asked to stop, no result is applied. What a dropped
  // job or result holds is freed by a thread of the pool, here and wherever a newer job replaces it: it may be gigabytes.
  void cancel(JobKey key);
  // thread: UI. Applies the results of finished jobs, except where a newer job with the same key was posted. Returns how many.
  std::size_t apply_finished();
  // thread: UI. Jobs waiting, running, or finished and not applied yet.
  [[nodiscard]] bool busy() const;
  // Blocks until no job waits or runs, applying results meanwhile. For pictures and tests. Where the system gives no thread, the
  // caller runs the jobs.
  void finish_all();
  // Blocks until one lane has no jobs, without applying results: its files are written then.
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

  // What jobs and results hold that nobody wants any more.
  struct Dropped {
    std::vector<Job> jobs;
    std::vector<Apply> results;
    [[nodiscard]] bool empty() const { return jobs.empty() && results.empty(); }
  };

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
  Dropped dropped_;
  std::uint64_t last_number_ = 0;
  std::size_t idle_threads_ = 0;       // including threads that are about to start
  std::vector<std::jthread> threads_;  // at most one per lane, started when needed; last: they end before the other members
};

}  // namespace dlscope::app
