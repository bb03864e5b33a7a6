// The reading thread of deadline::Engine.
#include <pthread.h>

#include <span>

#include "core/base/own_threads.h"
#include "core/memory/deadline_engine.h"

namespace dlscope::core::deadline {
namespace {

constexpr std::chrono::seconds kIdle{1};  // after which the reading thread ends

}  // namespace

void Engine::note_step(Request& request, std::size_t begin, std::size_t end, std::size_t got) {
  request.front += got;
  if (request.one_piece) {
    if (got < end - begin) request.got[0] = Probed::unreadable;
    if (request.front == request.each) request.got[0] = Probed::readable;
    return;
  }
  for (std::size_t i = begin; i < end; ++i) request.got[i] = request.complete[i] != 0 ? Probed::readable : Probed::unreadable;
}

void Engine::serve(std::uint64_t number) {
  ::pthread_setname_np(::pthread_self(), kReadThread);
  std::unique_lock lock(mutex_);
  while (!closing_) {
    const auto is_called = [&] { return closing_ || resting_ || !queue_.empty(); };
    if (!asked_.wait_for(lock, kIdle, is_called) || closing_ || (resting_ && queue_.empty())) break;
    const std::shared_ptr<Ticket> ticket = std::move(queue_.front());
    queue_.erase(queue_.begin());
    const Turn turn = read_steps(lock, ticket, number);
    if (turn == Turn::abandoned) return;
    if (turn == Turn::others_wait) {
      queue_.push_back(ticket);
      continue;
    }
    finish(ticket);
    if (ticket->announce) announce(lock);
  }
  has_thread_ = false;
  answered_.notify_all();
}

Engine::Turn Engine::read_steps(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Ticket>& shared, std::uint64_t number) {
  Ticket& ticket = *shared;
  const std::shared_ptr<Request> request = ticket.request;  // withdraw() may give the ticket another one meanwhile
  const auto is_over = [&] {
    return ticket.next >= request->steps() || request->ended() || ticket.withdrawn || closing_ ||
           ticket.slow_left <= Clock::duration::zero();
  };
  for (bool has_read = false; !is_over(); has_read = true) {
    if (has_read && !queue_.empty()) return Turn::others_wait;
    const std::size_t begin = ticket.next;
    const auto [end, why] = next_step(ticket, *request);
    if (why != Probed::readable) {
      request->got[request->one_piece ? 0 : begin] = why;
      if (request->one_piece) return Turn::over;
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
      return Turn::abandoned;
    }
    reading_ = nullptr;
    note_time(ticket, Clock::now() - since_);
    note_step(*request, begin, end, got);
    ticket.next = end;
  }
  return Turn::over;
}

std::size_t Engine::read_step(Request& request, std::size_t begin, std::size_t end) const {
  if (request.one_piece)
    return inner_->read(request.addresses[0] + begin, std::span(request.bytes).subspan(begin, end - begin));
  const std::size_t count = end - begin;
  inner_->gather(std::span(request.addresses).subspan(begin, count), request.each,
                 std::span(request.bytes).subspan(begin * request.each, count * request.each),
                 std::span(request.complete).subspan(begin, count));
  return 0;
}

void Engine::announce(std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  {
    const std::lock_guard announcing(announcing_);
    if (options_.late) options_.late();
  }
  lock.lock();
}

}  // namespace dlscope::core::deadline
