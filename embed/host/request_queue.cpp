#include "embed/host/request_queue.h"

#include <algorithm>
#include <utility>

#include "core/base/overloaded.h"

namespace dlscope::embed {

using core::wire::Ask, core::wire::Resume, core::wire::Run, core::wire::Scan, core::wire::Shutdown;

namespace {

bool is_served_at(const Request& request, std::uint64_t stop) {
  const auto* run = std::get_if<Run>(&request);
  return run == nullptr || stop == 0 || run->stop != 0;
}

bool goes_before_questions(const Request& request, std::uint64_t stop) {
  return std::visit(
      core::Overloaded{[](const Shutdown&) { return true; },
                       [&](const Resume& resume) { return stop != 0 && resume.stop == stop; },
                       [&](const Run&) { return is_served_at(request, stop); }, [](const Scan&) { return false; },
                       [](const Ask&) { return false; }, [](const ActRequest&) { return false; },
                       [](const ChangesWait&) { return false; }},
      request);
}

bool is_meant(const Request& request, const core::wire::Interrupt& interrupt) {
  return std::visit(
      core::Overloaded{[&](const Ask& question) { return interrupt.question != 0 && question.id == interrupt.question; },
                       [&](const Scan& scan) { return interrupt.scan != 0 && scan.request == interrupt.scan; },
                       [&](const Run& run) { return interrupt.run != 0 && run.run == interrupt.run; },
                       [](const ActRequest&) { return false; }, [](const Shutdown&) { return false; },
                       [](const Resume&) { return false; }, [](const ChangesWait&) { return false; }},
      request);
}

}  // namespace

std::vector<Ask> RequestQueue::put_before_questions(Request wanted) {
  std::vector<Ask> put_off;
  put_off.reserve(requests_.size());
  requests_.push_back(std::move(wanted));  // from the next line on nothing fails for want of memory
  std::erase_if(requests_, [&](Request& request) {
    auto* question = std::get_if<Ask>(&request);
    if (question != nullptr) put_off.push_back(std::move(*question));
    return question != nullptr;
  });
  return put_off;
}

bool RequestQueue::put_question(Ask& question, std::uint64_t stop) {
  const bool user_waits = std::ranges::any_of(requests_, [&](const Request& r) { return goes_before_questions(r, stop); });
  if (user_waits || requests_.size() >= kMaxQueued) return false;
  requests_.push_back(std::move(question));
  return true;
}

bool RequestQueue::put_act(ActRequest& act) {
  const auto acts = std::ranges::count_if(requests_, [](const Request& r) { return std::holds_alternative<ActRequest>(r); });
  if (static_cast<std::size_t>(acts) >= kMaxActs) return false;
  requests_.push_back(std::move(act));
  return true;
}

std::optional<Request> RequestQueue::take(std::uint64_t stop) {
  const auto next = std::ranges::find_if(requests_, [&](const Request& request) { return is_served_at(request, stop); });
  if (next == requests_.end()) return std::nullopt;
  if (stop != 0 && std::holds_alternative<Shutdown>(*next)) return *next;
  Request request = std::move(*next);
  requests_.erase(next);
  return request;
}

bool RequestQueue::has_one_to_serve(std::uint64_t stop) const {
  return std::ranges::any_of(requests_, [&](const Request& request) { return is_served_at(request, stop); });
}

bool RequestQueue::has_run_or_resume() const {
  return std::ranges::any_of(requests_, [](const Request& request) {
    return std::holds_alternative<Run>(request) || std::holds_alternative<Resume>(request);
  });
}

const Request* RequestQueue::find(const core::wire::Interrupt& interrupt) const {
  const auto found = std::ranges::find_if(requests_, [&](const Request& request) { return is_meant(request, interrupt); });
  return found == requests_.end() ? nullptr : &*found;
}

void RequestQueue::remove(const core::wire::Interrupt& interrupt) {
  const auto found = std::ranges::find_if(requests_, [&](const Request& request) { return is_meant(request, interrupt); });
  if (found != requests_.end()) requests_.erase(found);
}

bool RequestQueue::remove_act(std::uint64_t id) {
  return std::erase_if(requests_, [&](const Request& request) {
           const auto* act = std::get_if<ActRequest>(&request);
           return act != nullptr && act->id == id;
         }) > 0;
}

std::uint64_t RequestQueue::first_act() const {
  const auto found = std::ranges::find_if(requests_, [](const Request& r) { return std::holds_alternative<ActRequest>(r); });
  return found == requests_.end() ? 0 : std::get<ActRequest>(*found).id;
}

}  // namespace dlscope::embed
