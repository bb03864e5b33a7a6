// What a host started, wherever it went: children, their children, and orphans, whatever they did to their process group,
// session or name. Found by their parents in /proc; ended with the host.
//
// This process is made the "subreaper": an orphan below it becomes its child instead of init's. So everything below us that is
// below none of the children we started ourselves was started by a host that is gone.
// thread: any.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>

namespace dlscope::app {

// Runs `spawn`, which starts a child of our own and returns its number (<= 0: none was started), and remembers the child until
// forget_child(): it is no orphan.
pid_t start_own_child(const std::function<pid_t()>& spawn);
void forget_child(pid_t pid);  // after it was reaped

// Takes the zombies of orphans away. Costs one system call where there is none.
void reap_orphans();
// SIGKILL to every orphan and everything below it, until none is left or the time is over. Returns how many are left: processes of
// another user, or such as hang in the kernel.
std::size_t end_orphans(std::chrono::milliseconds at_most);
// The orphans of now were left behind by a program that ended by itself, as any program may leave a daemon: they stay.
void leave_orphans();

}  // namespace dlscope::app
