// Engine: what the readers of one memory share (deadline_reader.h): the queue of requests, the thread that reads them, and what
// is known to hang.
// thread: any. Its own threads keep it alive.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/memory/deadline_reader.h"
#include "core/memory/deadline_request.h"

namespace dlscope::core::deadline {

using Clock = std::chrono::steady_clock;

inline constexpr std::size_t kKept = 8;  // requests whose last answers are kept, with keep_last

// A request in the queue or being read. The reading thread and the caller never use the same Request at one time: when the caller
// stops waiting, the ticket gets a copy of what is known, and the thread keeps the original.
struct Ticket {
  std::shared_ptr<Request> request = std::make_shared<Request>();
  std::size_t next = 0;           // first step that has not been read
  std::size_t one_by_one_to = 0;  // steps below this are read one at a time, because one of them hung
  Clock::duration slow_left = Clock::duration::max();  // how long its slow reads may take yet, until the rest is skipped
  bool done = false, announce = false, withdrawn = false;
};

class Engine : public std::enable_shared_from_this<Engine> {
 public:
  Engine(std::shared_ptr<const MemoryReader> inner, DeadlineOptions options)
      : inner_(std::move(inner)), options_(std::move(options)) {}

  // Blocks until the request is answered. Waiting for a turn costs it nothing, and neither do reads that come back soon; what is
  // left of it when its slow reads have taken too long counts as skipped.
  std::shared_ptr<const Request> ask_and_wait(const Question& question);

  // keep_last: waits at most `patience` and returns the newest answer to this question; null: there is none yet. thread: always
  // the same.
  const Request* ask_and_go_on(const Question& question, std::atomic<MemoryReader::ReadStatus>& last_status);
  [[nodiscard]] bool waits();
  void close();
  void rest();

 private:
  // keep_last: a question of the drawing thread and its newest answer.
  struct Kept {
    std::shared_ptr<Ticket> ticket;
    std::shared_ptr<Request> answer;
    bool open = false;       // the ticket is queued or being read
    std::uint64_t used = 0;  // value of uses_ when it was last asked

    [[nodiscard]] bool is(const Question& question) const {
      const Request* const asked = open ? ticket->request.get() : answer.get();
      return asked != nullptr && asked->asks(question);
    }
  };
  struct Hanging {
    std::uint64_t thread = 0;
    std::vector<Address> pages;  // of the step that hung, those that were not there; sorted. Empty: it is not known which
    ByteRange mapping;           // that all of them lie in, if that is known
  };

  // The entry of this question; if there is none, the least recently used entry, emptied.
  Kept& kept_for(const Question& question);

  // Submits the question. Reuses the memory of the entry's earlier ticket, unless a thread still uses it.
  void open(Kept& kept, const Question& question);

  // ---- with the lock held ----

  void submit(const std::shared_ptr<Ticket>& ticket);

  // When the system refuses a thread, the caller reads itself. It may block, but that is better than to call memory unreadable
  // that is not.
  void read_here(Ticket& ticket) const;

  [[nodiscard]] bool have_thread();

  // Called when the caller stops waiting. A read in progress continues into the old Request, which is no longer looked at.
  void withdraw(const std::shared_ptr<Ticket>& ticket);

  // A copy of the part that has been read. The original is left to the reading thread, because the kernel may still write into
  // it.
  [[nodiscard]] static std::shared_ptr<Request> known_part(const Ticket& ticket);

  // On a busy machine the thread may come to its work long after it was asked: that says nothing about the memory.
  [[nodiscard]] bool is_thread_late() const { return !reading_ && !queue_.empty(); }

  [[nodiscard]] Clock::time_point next_look() const;

  // If the current read takes too long, abandons its thread and lets a new one continue without what hangs. Of a step of several
  // pieces that is often not known: then they are read again one at a time, so that no other one is left out.
  void abandon_hanging_read();

  // What of the step that is being read may be what hangs.
  [[nodiscard]] Hanging hanging_step() const;

  [[nodiscard]] bool is_there(Address page) const;

  // Of a caller that waits: at least long enough to notice that a read hangs.
  [[nodiscard]] Clock::duration patience() const { return std::max(options_.patience, options_.give_up); }
  void note_time(Ticket& ticket, Clock::duration took) const;
  void finish(const std::shared_ptr<Ticket>& ticket);

  // Whether a page may be read, and if not, why.
  [[nodiscard]] Probed judge(Address page) const;
  [[nodiscard]] Probed judge(const Request& request, std::size_t begin, std::size_t end) const;

  struct Step {
    std::size_t end = 0;
    Probed why = Probed::readable;  // or why it is not read
  };
  // From ticket.next on: as many pieces or bytes as come at once, piece by piece or up to a page where something may hang.
  [[nodiscard]] Step next_step(Ticket& ticket, const Request& request) const;

  static void note_step(Request& request, std::size_t begin, std::size_t end, std::size_t got);

  // ---- the reading thread ----

  void serve(std::uint64_t number);

  // abandoned: this thread hung, another one has taken its place, and it has now returned.
  enum class Turn : std::uint8_t { over, others_wait, abandoned };
  // One step at least; no more while others wait, so that a large request does not hold up a small one.
  Turn read_steps(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Ticket>& shared, std::uint64_t number);

  std::size_t read_step(Request& request, std::size_t begin, std::size_t end) const;

  void announce(std::unique_lock<std::mutex>& lock);

  const std::shared_ptr<const MemoryReader> inner_;
  std::mutex announcing_;  // protects options_.late
  DeadlineOptions options_;

  std::mutex mutex_;  // protects everything below
  std::condition_variable asked_, answered_;
  std::vector<std::shared_ptr<Ticket>> queue_;
  std::shared_ptr<Ticket> reading_;  // null: nothing is being read
  Clock::time_point since_;          // when the read of steps reading_->next to step_end_ began
  std::size_t step_end_ = 0;
  std::uint64_t thread_ = 0;  // number of the current reading thread; threads with lower numbers are abandoned
  bool has_thread_ = false, closing_ = false, resting_ = false;
  std::vector<Hanging> hanging_;
  std::array<Kept, kKept> kept_;
  std::uint64_t uses_ = 0;
};

}  // namespace dlscope::core::deadline
