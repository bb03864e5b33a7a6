// The processes that a host started: children, their children, and orphans, whatever they did to their process group, session or
// name. Found by their parents in /proc, and ended with the host.
//
// This process becomes the "subreaper": an orphan below it becomes its child instead of init's. So every process below us that
// does not descend from a child we started ourselves was started by a host that is gone.
// thread: any.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>

namespace dlscope::app {

// Runs `spawn`, which starts a child of our own and returns its pid (<= 0: none was started). Until forget_child() that child
// does not count as an orphan.
pid_t start_own_child(const std::function<pid_t()>& spawn);
void forget_child(pid_t pid);  // after it was reaped

// Reaps zombies of orphans. Costs one system call when there are none.
void reap_orphans();
// SIGKILL to every orphan and everything below it, until none is left or the time is over. Returns how many are left: processes
// of another user, or that hang in the kernel. Blocks.
std::size_t end_orphans(std::chrono::milliseconds at_most);
// The present orphans were left behind by a program that ended by itself, as any program may leave a daemon: they are spared.
void leave_orphans();

}  // namespace dlscope::app
