#include "core/memory/deadline_reader.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/memory/deadline_engine.h"

namespace dlscope::core {

using deadline::Engine;
using deadline::Question;
using deadline::Request;

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
