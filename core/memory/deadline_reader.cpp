#include "core/memory/deadline_reader.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/blocked_signals.h"
#include "core/base/own_threads.h"
#include "core/memory/deadline_request.h"

namespace dlscope::core {
namespace {

using namespace deadline;

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxHanging = 4;  // abandoned threads; then nothing is read any more that is not there
constexpr std::size_t kKept = 8;         // requests whose last answers are kept, with keep_last
constexpr std::chrono::milliseconds kThreadLeaves{20};
constexpr std::chrono::seconds kIdle{1};  // after which the reading thread ends

// A request in the queue or being read. The reading thread and the caller never use the same Request at one time: when the caller
// stops waiting, the ticket gets a copy of what is known, and the thread keeps the original.
struct Ticket {
  std::shared_ptr<Request> request = std::make_shared<Request>();
  std::size_t next = 0;           // first step that has not been read
  std::size_t one_by_one_to = 0;  // steps below this are read one at a time, because one of them hung
  bool done = false, announce = false, withdrawn = false;
};

}  // namespace

class DeadlineReader::Engine : public std::enable_shared_from_this<Engine> {
 public:
  Engine(std::shared_ptr<const MemoryReader> inner, DeadlineOptions options)
      : inner_(std::move(inner)), options_(std::move(options)) {}

  // Blocks until the request is answered or the time is over; what has not been read by then counts as hung.
  std::shared_ptr<const Request> ask_and_wait(const Question& question) {
    auto ticket = std::make_shared<Ticket>();
    ticket->request->ask(question);
    std::unique_lock lock(mutex_);
    submit(ticket);
    // At least long enough to notice that a read hangs and to continue after it.
    const auto patience = std::max(options_.patience, options_.give_up + kThreadLeaves);
    auto deadline = Clock::now() + patience;
    while (!ticket->done && Clock::now() < deadline) {
      answered_.wait_until(lock, std::min(deadline, next_look()));
      // The rest of the request gets a new deadline. This happens at most kMaxHanging times, so the loop ends.
      if (abandon_hanging_read()) deadline = Clock::now() + patience;
    }
    if (!ticket->done) withdraw(ticket);
    return ticket->request;
  }

  // keep_last: waits at most `patience` and returns the newest answer
  // to this question; null: there is none yet. thread: always the same.
  const Request* ask_and_go_on(const Question& question, std::atomic<ReadStatus>& last_status) {
    Kept& kept = kept_for(question);
    kept.used = ++uses_;
    std::unique_lock lock(mutex_);
    abandon_hanging_read();
    if (!kept.open) {
      open(kept, question);
      const bool is_late = reading_ && Clock::now() - since_ > options_.patience;
      if (!is_late) answered_.wait_for(lock, options_.patience, [&] { return kept.ticket->done; });
    }
    const bool in_time = kept.ticket->done;
    if (in_time) {
      std::swap(kept.answer, kept.ticket->request);
      kept.open = false;
    } else {
      kept.ticket->announce = true;
    }
    const ReadStatus known = kept.answer ? kept.answer->status() : ReadStatus::fresh;
    const ReadStatus late = kept.answer ? ReadStatus::stale : ReadStatus::pending;
    last_status = known != ReadStatus::fresh ? known : in_time ? ReadStatus::fresh : late;
    return kept.answer.get();
  }

  [[nodiscard]] bool waits() {
    const std::lock_guard lock(mutex_);
    return !hanging_.empty() || std::ranges::any_of(kept_, &Kept::open);
  }

  void close() {
    {
      const std::lock_guard announcing(announcing_);
      options_.late = {};
    }
    std::unique_lock lock(mutex_);
    options_.at_thread_start = {};
    closing_ = true;
    queue_.clear();
    asked_.notify_all();
    answered_.wait_for(lock, kThreadLeaves, [&] { return !has_thread_; });
  }

  void rest() {
    std::unique_lock lock(mutex_);
    resting_ = true;
    asked_.notify_all();
    answered_.wait_for(lock, kThreadLeaves, [&] { return !has_thread_; });
    resting_ = false;
  }

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
  Kept& kept_for(const Question& question) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(kept_, [&](const Kept& kept) { return kept.is(question); });
    if (found != kept_.end()) return *found;
    Kept& oldest = *std::ranges::min_element(kept_, {}, &Kept::used);
    if (oldest.open) withdraw(oldest.ticket);
    oldest.open = false;
    oldest.answer.reset();
    return oldest;
  }

  // Submits the question. Reuses the memory of the entry's earlier ticket, unless a thread still uses it.
  void open(Kept& kept, const Question& question) {
    if (!kept.ticket || kept.ticket.use_count() > 1) kept.ticket = std::make_shared<Ticket>();
    if (!kept.ticket->request) kept.ticket->request = std::make_shared<Request>();
    kept.ticket->request->ask(question);
    kept.ticket->next = kept.ticket->one_by_one_to = 0;
    kept.ticket->done = kept.ticket->announce = kept.ticket->withdrawn = false;
    kept.open = true;
    submit(kept.ticket);
  }

  // ---- with the lock held ----

  void submit(const std::shared_ptr<Ticket>& ticket) {
    if (have_thread()) {
      queue_.push_back(ticket);
      asked_.notify_one();
    } else {
      read_here(*ticket);
    }
  }

  // When the system refuses a thread, the caller reads itself. It may
  // block, but that is better than to call memory unreadable that is not.
  void read_here(Ticket& ticket) const {
    Request& request = *ticket.request;
    for (std::size_t end = 0; ticket.next < request.steps() && !request.ended(); ticket.next = end) {
      end = std::min(request.steps(), ticket.next + request.steps_at_once());
      const std::size_t got = read_step(request, ticket.next, end);
      note_step(request, ticket.next, end, got);
    }
    ticket.done = true;
  }

  [[nodiscard]] bool have_thread() {
    if (has_thread_) return true;
    try {
      const BlockedSignals blocked;
      std::thread([self = shared_from_this(), number = thread_, at_start = options_.at_thread_start] {
        if (at_start) at_start();
        self->serve(number);
      }).detach();
      has_thread_ = true;
    } catch (const std::system_error&) {  // the system refuses more threads
    }
    return has_thread_;
  }

  // Called when the caller stops waiting. A read in progress continues into the old Request, which is no longer looked at.
  void withdraw(const std::shared_ptr<Ticket>& ticket) {
    std::erase(queue_, ticket);
    ticket->request = known_part(*ticket);
    ticket->withdrawn = true;
  }

  // A copy of the part that has been read. The original is left to
  // the reading thread, because the kernel may still write into it.
  [[nodiscard]] static std::shared_ptr<Request> known_part(const Ticket& ticket) {
    const Request& from = *ticket.request;
    auto known = std::make_shared<Request>();
    known->ask({from.one_piece, from.addresses, from.each});
    std::copy_n(from.bytes.begin(), from.one_piece ? from.front : ticket.next * from.each, known->bytes.begin());
    known->got = from.got;
    known->front = from.front;
    return known;
  }

  [[nodiscard]] Clock::time_point next_look() const {
    return reading_ ? since_ + options_.give_up : Clock::now() + options_.give_up;
  }

  // If the current read takes too long, abandons its thread and lets a new one continue without what hangs. Of a step of several
  // pieces that is often not known: then they are read again one at a time, so that no other one is left out. Returns true if a
  // thread was abandoned.
  bool abandon_hanging_read() {
    if (!reading_ || Clock::now() - since_ < options_.give_up) return false;
    hanging_.push_back(hanging_step());
    ++thread_;
    has_thread_ = false;
    const std::shared_ptr<Ticket> ticket = std::exchange(reading_, nullptr);
    if (ticket->withdrawn) return true;
    ticket->request = known_part(*ticket);
    ticket->one_by_one_to = std::max(ticket->one_by_one_to, step_end_);
    if (have_thread()) {
      queue_.insert(queue_.begin(), ticket);
      asked_.notify_one();
    } else {
      finish(ticket);
    }
    return true;
  }

  // What of the step that is being read may be what hangs.
  [[nodiscard]] Hanging hanging_step() const {
    Hanging hanging{thread_, {}, {}};
    const Request& request = *reading_->request;
    request.pages(reading_->next, step_end_, [&](Address page) {
      if (!is_there(page)) hanging.pages.push_back(page);
    });
    std::ranges::sort(hanging.pages);
    if (options_.pages && !hanging.pages.empty()) {
      const ByteRange mapping = options_.pages->mapping_of(hanging.pages.front() * kPage);
      if (mapping.begin <= hanging.pages.front() * kPage && hanging.pages.back() * kPage < mapping.end) hanging.mapping = mapping;
    }
    const bool is_known = request.one_piece || step_end_ - reading_->next == 1 || !hanging.mapping.empty();
    if (!is_known) hanging.pages.clear();
    return hanging;
  }

  [[nodiscard]] bool is_there(Address page) const {
    return options_.pages && options_.pages->present({page * kPage, (page + 1) * kPage});
  }

  void finish(const std::shared_ptr<Ticket>& ticket) {
    ticket->done = true;
    answered_.notify_all();
  }

  // Whether a page may be read, and if not, why.
  [[nodiscard]] Probed judge(Address page) const {
    bool suspect = hanging_.size() >= kMaxHanging, hung = false;
    for (const Hanging& hanging : hanging_) {
      hung = hung || std::ranges::binary_search(hanging.pages, page);
      suspect = suspect || hung || hanging.mapping.contains(page * kPage);
    }
    if (!suspect || is_there(page)) return Probed::readable;
    return hung ? Probed::hung : Probed::skipped;
  }
  [[nodiscard]] Probed judge(const Request& request, std::size_t begin, std::size_t end) const {
    Probed all = Probed::readable;
    if (hanging_.empty()) return all;
    request.pages(begin, end, [&](Address page) {
      if (all == Probed::hung) return;
      const Probed one = judge(page);
      if (one != Probed::readable) all = one;
    });
    return all;
  }

  struct Step {
    std::size_t end = 0;
    Probed why = Probed::readable;  // or why it is not read
  };
  // From ticket.next on: as many pieces or bytes as come at once, piece by piece or up to a page where something may hang.
  [[nodiscard]] Step next_step(Ticket& ticket, const Request& request) const {
    const std::size_t begin = ticket.next;
    const std::size_t most = std::min(request.steps(), begin + request.steps_at_once());
    if (hanging_.empty()) return {begin < ticket.one_by_one_to ? begin + 1 : most};
    if (request.one_piece) {
      std::size_t end = begin;
      for (std::size_t next = begin; end < most; end = next) {
        next = std::min<std::size_t>(most, ((request.addresses[0] + end) / kPage + 1) * kPage - request.addresses[0]);
        const Probed why = judge(request, end, next);
        if (why != Probed::readable) return end > begin ? Step{end} : Step{next, why};
      }
      return {end};
    }
    if (begin >= ticket.one_by_one_to) {
      if (judge(request, begin, most) == Probed::readable) return {most};
      ticket.one_by_one_to = most;
    }
    return {begin + 1, judge(request, begin, begin + 1)};
  }

  static void note_step(Request& request, std::size_t begin, std::size_t end, std::size_t got) {
    request.front += got;
    if (request.one_piece) {
      if (got < end - begin) request.got[0] = Probed::unreadable;
      if (request.front == request.each) request.got[0] = Probed::readable;
      return;
    }
    for (std::size_t i = begin; i < end; ++i) request.got[i] = request.complete[i] != 0 ? Probed::readable : Probed::unreadable;
  }

  // ---- the reading thread ----

  void serve(std::uint64_t number) {
    ::pthread_setname_np(::pthread_self(), kReadThread);
    std::unique_lock lock(mutex_);
    while (!closing_) {
      const auto is_called = [&] { return closing_ || resting_ || !queue_.empty(); };
      if (!asked_.wait_for(lock, kIdle, is_called) || closing_ || (resting_ && queue_.empty())) break;
      const std::shared_ptr<Ticket> ticket = std::move(queue_.front());
      queue_.erase(queue_.begin());
      if (!read_steps(lock, *ticket, ticket, number)) return;  // abandoned: another thread has taken this one's place
      finish(ticket);
      if (ticket->announce) announce(lock);
    }
    has_thread_ = false;
    answered_.notify_all();
  }

  // False: this thread hung, was abandoned, and has now returned.
  bool read_steps(std::unique_lock<std::mutex>& lock, Ticket& ticket, const std::shared_ptr<Ticket>& shared,
                  std::uint64_t number) {
    const std::shared_ptr<Request> request = ticket.request;  // withdraw() may give the ticket another one meanwhile
    while (ticket.next < request->steps() && !request->ended() && !ticket.withdrawn && !closing_) {
      const std::size_t begin = ticket.next;
      const auto [end, why] = next_step(ticket, *request);
      if (why != Probed::readable) {
        request->got[request->one_piece ? 0 : begin] = why;
        if (request->one_piece) return true;
        ticket.next = end;
        continue;
      }
      reading_ = shared;
      since_ = Clock::now();
      step_end_ = end;
      lock.unlock();
      const std::size_t got = read_step(*request, begin, end);
      lock.lock();
      if (number != thread_) {
        std::erase_if(hanging_, [number](const Hanging& hanging) { return hanging.thread == number; });
        return false;
      }
      reading_ = nullptr;
      note_step(*request, begin, end, got);
      ticket.next = end;
    }
    return true;
  }

  std::size_t read_step(Request& request, std::size_t begin, std::size_t end) const {
    if (request.one_piece)
      return inner_->read(request.addresses[0] + begin, std::span(request.bytes).subspan(begin, end - begin));
    const std::size_t count = end - begin;
    inner_->gather(std::span(request.addresses).subspan(begin, count), request.each,
                   std::span(request.bytes).subspan(begin * request.each, count * request.each),
                   std::span(request.complete).subspan(begin, count));
    return 0;
  }

  void announce(std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    {
      const std::lock_guard announcing(announcing_);
      if (options_.late) options_.late();
    }
    lock.lock();
  }

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

class DeadlineReader::Use {
 public:
  explicit Use(std::shared_ptr<Engine> engine) : engine_(std::move(engine)) {}
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  ~Use() { engine_->close(); }

  [[nodiscard]] Engine* get() const { return engine_.get(); }

 private:
  std::shared_ptr<Engine> engine_;
};

DeadlineReader::DeadlineReader(std::shared_ptr<const MemoryReader> inner, DeadlineOptions options)
    : keeps_last_(options.keep_last),
      use_(std::make_shared<Use>(std::make_shared<Engine>(std::move(inner), std::move(options)))),
      engine_(use_->get()) {}

DeadlineReader::DeadlineReader(const DeadlineReader& other)
    : MemoryReader(other), keeps_last_(other.keeps_last_), use_(other.use_), engine_(other.engine_) {}

DeadlineReader::~DeadlineReader() = default;

std::size_t DeadlineReader::read(Address from, std::span<std::byte> out) const {
  if (out.empty()) return 0;
  const Question question{true, {&from, 1}, out.size()};
  const auto copy = [&](const Request& request) {
    std::copy_n(request.bytes.begin(), request.front, out.begin());
    return request.front;
  };
  if (keeps_last_) {
    const Request* const known = engine_->ask_and_go_on(question, last_status_);
    return known != nullptr ? copy(*known) : 0;
  }
  const auto request = engine_->ask_and_wait(question);
  last_status_ = request->status();
  return copy(*request);
}

void DeadlineReader::gather(std::span<const Address> addresses, std::size_t each, std::span<std::byte> out,
                            std::span<std::uint8_t> complete) const {
  std::ranges::fill(complete, std::uint8_t{0});
  if (addresses.empty() || each == 0) return;
  const Question question{false, addresses, each};
  const auto copy = [&](const Request& request) {
    std::ranges::copy(request.bytes, out.begin());
    for (std::size_t i = 0; i < complete.size(); ++i) complete[i] = request.got[i] == Probed::readable ? 1 : 0;
  };
  if (keeps_last_) {
    if (const Request* const known = engine_->ask_and_go_on(question, last_status_)) copy(*known);
    return;
  }
  const auto request = engine_->ask_and_wait(question);
  last_status_ = request->status();
  copy(*request);
}

void DeadlineReader::probe(std::span<const Address> addresses, std::span<std::uint8_t> readable) const {
  std::vector<std::byte> bytes(addresses.size());
  gather(addresses, 1, bytes, readable);
}

void DeadlineReader::probe_each(std::span<const Address> addresses, std::span<Probed> out) const {
  if (addresses.empty()) return;
  const auto request = engine_->ask_and_wait({false, addresses, 1});
  last_status_ = request->status();
  std::ranges::copy(request->got, out.begin());
}

MemoryReader::ReadStatus DeadlineReader::last_status() const { return last_status_; }

bool DeadlineReader::waits() const { return engine_->waits(); }

void DeadlineReader::rest() const { engine_->rest(); }

}  // namespace dlscope::core
