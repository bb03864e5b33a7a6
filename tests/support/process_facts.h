// What a process has in hand, from /proc: for tests that say that nothing is left behind.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace dlscope::tests {

struct ProcessFacts {
  // Its own, resident or swapped out. What it shares with its viewer has a size of its own, and is touched page by page as messages go
  // round in the rings.
  long memory_kib = 0;
  // The size of what it maps shared and may write: the regions of messages and snapshots (memfd), touched or not.
  long shared_kib = 0;
  long descriptors = 0, threads = 0, maps = 0;
};

inline long entries_of(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  return error ? 0 : std::distance(entry, std::filesystem::directory_iterator());
}

inline ProcessFacts facts_of(pid_t pid) {
  const std::string process = "/proc/" + std::to_string(pid);
  ProcessFacts facts;
  std::ifstream status(process + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:") || line.starts_with("VmSwap:"))
      facts.memory_kib += std::atol(line.c_str() + line.find(':') + 1);
  }
  facts.descriptors = entries_of(process + "/fd");
  facts.threads = entries_of(process + "/task");
  std::ifstream maps(process + "/maps");
  for (std::string line; std::getline(maps, line);) {
    ++facts.maps;
    unsigned long begin = 0, end = 0;
    char may[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, may) == 3 && may[1] == 'w' && may[3] == 's')
      facts.shared_kib += static_cast<long>((end - begin) >> 10);
  }
  return facts;
}

// The process that `pid` has started last and that still is; 0: none.
inline pid_t last_child_of(pid_t pid) {
  std::error_code error;
  pid_t last = 0;
  for (std::filesystem::directory_iterator task("/proc/" + std::to_string(pid) + "/task", error);
       !error && task != std::filesystem::directory_iterator(); task.increment(error)) {
    std::ifstream children(task->path() / "children");
    for (pid_t child = 0; children >> child;) last = std::max(last, child);
  }
  return last;
}

// A sanitizer keeps what was freed for a while, in maps of its own: then memory says nothing.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kMemoryIsKept = true;
#else
inline constexpr bool kMemoryIsKept = false;
#endif

// How long a test of this kind goes on: what the variable says, for a long run by hand, else `usual`.
inline int endurance(const char* variable, int usual) {
  const char* const asked = std::getenv(variable);
  return asked != nullptr ? std::atoi(asked) : usual;
}

// A line for each tenth of a run that was asked for by hand. `files`: how many temporary files there are, where they are counted.
inline void tell(const char* what, int done, int all, const ProcessFacts& facts, long files = -1) {
  if (all < 100 || (done % (all / 10) != 0 && done != all)) return;
  std::printf("%s %d of %d: %ld KiB, %ld KiB shared, %ld descriptors, %ld threads, %ld maps", what, done, all, facts.memory_kib,
              facts.shared_kib, facts.descriptors, facts.threads, facts.maps);
  if (files >= 0) std::printf(", %ld temporary files", files);
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace dlscope::tests
