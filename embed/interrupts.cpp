#include "embed/interrupts.h"

#include <utility>

namespace dlscope::embed {
namespace {

thread_local const InterruptScope* innermost = nullptr;

}  // namespace

InterruptScope::InterruptScope(std::stop_token stop) : stop_(std::move(stop)), outer_(std::exchange(innermost, this)) {}

InterruptScope::~InterruptScope() { innermost = outer_; }

bool InterruptScope::stop_requested() { return innermost != nullptr && innermost->stop_.stop_requested(); }

bool InterruptScope::counts() { return innermost == nullptr || innermost->stop_.stop_requested(); }

}  // namespace dlscope::embed
