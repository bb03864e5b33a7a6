#include "embed/host/forked_child.h"

#include <pthread.h>

#include <atomic>

namespace dlscope::embed {
namespace {

std::atomic<bool> forked_child{false};

}  // namespace

void notice_forks() {
  pthread_atfork(nullptr, nullptr, [] { forked_child.store(true, std::memory_order_relaxed); });
}

bool is_forked_child() { return forked_child.load(std::memory_order_relaxed); }

}  // namespace dlscope::embed
