#include "app/window/host/device_questions.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace dlscope::app {
namespace {

namespace wire = core::wire;

struct Question {
  wire::ReadDevice work;
  std::optional<wire::DeviceBytes> answer;
  bool ended = false;
};
using QuestionPtr = std::shared_ptr<Question>;

}  // namespace

struct DeviceQuestions::Shared {
  std::function<void()> wake;
  std::mutex mutex;  // everything below
  std::condition_variable answered;
  bool open = false;
  std::deque<QuestionPtr> waiting;
  std::map<std::uint64_t, QuestionPtr> sent;  // by the work's number

  void end_all() {
    for (const QuestionPtr& question : waiting) question->ended = true;
    for (const auto& [id, question] : sent) question->ended = true;
    waiting.clear();
    sent.clear();
    answered.notify_all();
  }
};

DeviceQuestions::DeviceQuestions(std::function<void()> wake) : shared_(std::make_shared<Shared>()) {
  shared_->wake = std::move(wake);
}

DeviceQuestions::~DeviceQuestions() { end(); }

DeviceReader::Ask DeviceQuestions::ask() const {
  return [shared = shared_](wire::ReadDevice work) -> std::optional<wire::DeviceBytes> {
    const auto question = std::make_shared<Question>();
    question->work = std::move(work);
    std::unique_lock lock(shared->mutex);
    if (!shared->open) return std::nullopt;
    shared->waiting.push_back(question);
    if (shared->wake) shared->wake();
    shared->answered.wait(lock, [&] { return question->ended; });
    return std::move(question->answer);
  };
}

void DeviceQuestions::put_to(HostLink& host) {
  const std::lock_guard lock(shared_->mutex);
  while (!shared_->waiting.empty()) {
    const std::uint64_t id = host.start_work(shared_->waiting.front()->work);
    if (id == 0) return shared_->end_all();  // it takes no work now
    shared_->sent[id] = std::move(shared_->waiting.front());
    shared_->waiting.pop_front();
  }
}

bool DeviceQuestions::take(const HostWorkEnded& end) {
  const std::lock_guard lock(shared_->mutex);
  const auto found = shared_->sent.find(end.id);
  if (found == shared_->sent.end()) return false;
  if (const auto* const bytes = std::get_if<wire::DeviceBytes>(&end.result)) {
    found->second->answer = *bytes;
  } else {  // failed, with a message: no byte could be read
    wire::DeviceBytes none;
    none.bytes.resize(found->second->work.addresses.size() * found->second->work.each);
    none.complete.resize(found->second->work.addresses.size());
    none.problem = end.message;
    found->second->answer = std::move(none);
  }
  found->second->ended = true;
  shared_->sent.erase(found);
  shared_->answered.notify_all();
  return true;
}

void DeviceQuestions::end() {
  const std::lock_guard lock(shared_->mutex);
  shared_->open = false;
  shared_->end_all();
}

void DeviceQuestions::begin() {
  const std::lock_guard lock(shared_->mutex);
  shared_->open = true;
}

}  // namespace dlscope::app
