#include "core/memory/deadline_engine.h"

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/blocked_signals.h"

namespace dlscope::core::deadline {
namespace {

constexpr std::size_t kMaxHanging = 4;  // abandoned threads; then nothing is read any more that is not there
constexpr std::chrono::milliseconds kThreadLeaves{20};
constexpr std::chrono::seconds kThreadComes{10};  // on a busy machine, to its work
// Of a request whose reads all come back, but slowly: a read is slow that takes a tenth of the patience, and all the slow ones of
// a request may take ten times the patience.
constexpr int kSlow = 10, kMostSlow = 10;

}  // namespace

std::shared_ptr<const Request> Engine::ask_and_wait(const Question& question) {
  auto ticket = std::make_shared<Ticket>();
  ticket->request->ask(question);
  ticket->slow_left = patience() * kMostSlow;
  std::unique_lock lock(mutex_);
  submit(ticket);
  auto thread_comes = Clock::now() + kThreadComes;
  while (!ticket->done && !closing_) {
    const auto now = Clock::now();
    if (!is_thread_late()) thread_comes = now + kThreadComes;
    if (now >= thread_comes) break;
    answered_.wait_until(lock, std::min(thread_comes, next_look()));
    abandon_hanging_read();
  }
  if (!ticket->done) withdraw(ticket);
  return ticket->request;
}

const Request* Engine::ask_and_go_on(const Question& question, std::atomic<MemoryReader::ReadStatus>& last_status) {
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
  const MemoryReader::ReadStatus known = kept.answer ? kept.answer->status() : MemoryReader::ReadStatus::fresh;
  const MemoryReader::ReadStatus late = kept.answer ? MemoryReader::ReadStatus::stale : MemoryReader::ReadStatus::pending;
  last_status = known != MemoryReader::ReadStatus::fresh ? known : in_time ? MemoryReader::ReadStatus::fresh : late;
  return kept.answer.get();
}

bool Engine::waits() {
  const std::lock_guard lock(mutex_);
  return !hanging_.empty() || std::ranges::any_of(kept_, &Kept::open);
}

void Engine::close() {
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

void Engine::rest() {
  std::unique_lock lock(mutex_);
  resting_ = true;
  asked_.notify_all();
  answered_.wait_for(lock, kThreadLeaves, [&] { return !has_thread_; });
  resting_ = false;
}

Engine::Kept& Engine::kept_for(const Question& question) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(kept_, [&](const Kept& kept) { return kept.is(question); });
  if (found != kept_.end()) return *found;
  Kept& oldest = *std::ranges::min_element(kept_, {}, &Kept::used);
  if (oldest.open) withdraw(oldest.ticket);
  oldest.open = false;
  oldest.answer.reset();
  return oldest;
}

void Engine::open(Kept& kept, const Question& question) {
  if (!kept.ticket || kept.ticket.use_count() > 1) kept.ticket = std::make_shared<Ticket>();
  if (!kept.ticket->request) kept.ticket->request = std::make_shared<Request>();
  kept.ticket->request->ask(question);
  kept.ticket->next = kept.ticket->one_by_one_to = 0;
  kept.ticket->done = kept.ticket->announce = kept.ticket->withdrawn = false;
  kept.open = true;
  submit(kept.ticket);
}

void Engine::submit(const std::shared_ptr<Ticket>& ticket) {
  if (have_thread()) {
    queue_.push_back(ticket);
    asked_.notify_one();
  } else {
    read_here(*ticket);
  }
}

void Engine::read_here(Ticket& ticket) const {
  Request& request = *ticket.request;
  for (std::size_t end = 0; ticket.next < request.steps() && !request.ended(); ticket.next = end) {
    end = std::min(request.steps(), ticket.next + request.steps_at_once());
    const std::size_t got = read_step(request, ticket.next, end);
    note_step(request, ticket.next, end, got);
  }
  ticket.done = true;
}

bool Engine::have_thread() {
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

void Engine::withdraw(const std::shared_ptr<Ticket>& ticket) {
  std::erase(queue_, ticket);
  ticket->request = known_part(*ticket);
  ticket->withdrawn = true;
}

std::shared_ptr<Request> Engine::known_part(const Ticket& ticket) {
  const Request& from = *ticket.request;
  auto known = std::make_shared<Request>();
  known->ask({from.one_piece, from.addresses, from.each});
  std::copy_n(from.bytes.begin(), from.one_piece ? from.front : ticket.next * from.each, known->bytes.begin());
  known->got = from.got;
  known->front = from.front;
  return known;
}

Clock::time_point Engine::next_look() const {
  return reading_ ? since_ + options_.give_up : Clock::now() + options_.give_up;
}

void Engine::abandon_hanging_read() {
  if (!reading_ || Clock::now() - since_ < options_.give_up) return;
  hanging_.push_back(hanging_step());
  ++thread_;
  has_thread_ = false;
  const std::shared_ptr<Ticket> ticket = std::exchange(reading_, nullptr);
  note_time(*ticket, Clock::now() - since_);
  if (ticket->withdrawn) return;
  ticket->request = known_part(*ticket);
  ticket->one_by_one_to = std::max(ticket->one_by_one_to, step_end_);
  if (have_thread()) {
    queue_.insert(queue_.begin(), ticket);
    asked_.notify_one();
  } else {
    finish(ticket);
  }
}

Engine::Hanging Engine::hanging_step() const {
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

bool Engine::is_there(Address page) const {
  return options_.pages && options_.pages->present({page * kPage, (page + 1) * kPage});
}

void Engine::note_time(Ticket& ticket, Clock::duration took) const {
  if (took >= patience() / kSlow) ticket.slow_left -= std::min(ticket.slow_left, took);
}

void Engine::finish(const std::shared_ptr<Ticket>& ticket) {
  ticket->done = true;
  answered_.notify_all();
}

Probed Engine::judge(Address page) const {
  bool suspect = hanging_.size() >= kMaxHanging, hung = false;
  for (const Hanging& hanging : hanging_) {
    hung = hung || std::ranges::binary_search(hanging.pages, page);
    suspect = suspect || hung || hanging.mapping.contains(page * kPage);
  }
  if (!suspect || is_there(page)) return Probed::readable;
  return hung ? Probed::hung : Probed::skipped;
}

Probed Engine::judge(const Request& request, std::size_t begin, std::size_t end) const {
  Probed all = Probed::readable;
  if (hanging_.empty()) return all;
  request.pages(begin, end, [&](Address page) {
    if (all == Probed::hung) return;
    const Probed one = judge(page);
    if (one != Probed::readable) all = one;
  });
  return all;
}

Engine::Step Engine::next_step(Ticket& ticket, const Request& request) const {
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

}  // namespace dlscope::core::deadline
