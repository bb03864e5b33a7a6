// What a headless run asks of its process between the script's end and its own: the proof, and device memory for a picture.
#include <utility>
#include <variant>

#include "app/cli/supervisor.h"
#include "core/wire/advice.h"

namespace dlscope::app {

using core::Scanned;
using std::chrono::milliseconds;
namespace wire = core::wire;

namespace {

constexpr milliseconds kDeviceAnswers{10000};  // how long a picture waits for a busy device

// What the window's Run menu could do about it cannot be done here.
std::string without_advice(std::string text) {
  if (text.ends_with(wire::kScanAgain)) text.resize(text.size() - wire::kScanAgain.size());
  return text;
}

}  // namespace

std::optional<wire::DeviceBytes> Supervisor::read_device(wire::ReadDevice work) {
  const std::uint64_t id = ++last_work_;
  if (!host_->start_work({.id = id, .work = std::move(work)})) return std::nullopt;
  const auto until = Clock::now() + kDeviceAnswers;
  std::optional<wire::DeviceBytes> answer;
  for (bool ended = false; !ended && Clock::now() < until; host_->wait(kLook)) {
    for (HostEvent& event : host_->drain()) {
      auto* const end = std::get_if<HostWorkEnded>(&event);
      ended = ended || (end != nullptr && end->id == id) || std::holds_alternative<HostEnded>(event);
      if (end == nullptr || end->id != id) {
        put_off_.push_back(std::move(event));
      } else if (auto* const bytes = std::get_if<wire::DeviceBytes>(&end->result)) {
        answer = std::move(*bytes);
      }
    }
    if (ended) break;
  }
  return answer;
}

// Requests the proof once, when the tensors are known and nothing runs that could change them.
bool Supervisor::waits_for_proof() {
  if (!choose_proof_ || cut_short() || proving_ == Proving::over) return false;
  if (proving_ == Proving::asked) return true;
  proving_ = Proving::over;
  if (!report_.snapshot) return false;
  if (report_.scanned == Scanned::stop) {
    report_.proof_problem = "the moment that --at stopped at is over: there is nothing left to prove about it";
    return false;
  }
  const auto request = choose_proof_(*report_.snapshot);
  if (!request || request->pairs.empty()) return false;
  wire::Prove work{.revision = report_.snapshot->info.revision, .tensors = {}, .pairs = true, .probe = request->probe};
  for (const core::ProofPair& pair : request->pairs) work.tensors.insert(work.tensors.end(), {pair.from, pair.to});
  report_.proved = request->pairs;
  if (host_->start_work({.id = kProofWork, .work = std::move(work)})) {
    proving_ = Proving::asked;
    return true;
  }
  report_.proof_problem = "Python's process does not accept the request";
  return false;
}

void Supervisor::take(const HostWorkEnded& end) {
  if (end.id != kProofWork || proving_ != Proving::asked) return;
  proving_ = Proving::over;
  if (const auto* proof = std::get_if<core::Proof>(&end.result); proof != nullptr && proof->steps.size() == report_.proved.size())
    report_.proof = *proof;
  else
    report_.proof_problem = end.message.empty() ? "it was interrupted" : without_advice(end.message);
}

}  // namespace dlscope::app
