// What benchmarks measure with: seconds of the clock and of the processors, and the middle of several runs.
#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace dlscope::bench {

inline double seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// CPU time of all threads of this process, which other processes' load does not lengthen much.
inline double cpu_seconds(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double begin = now();
  work();
  return now() - begin;
}

// Of at least one; part: 0 the least, 0.5 the median, 1 the greatest.
inline double at_part(std::vector<double> values, double part) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(static_cast<double>(values.size() - 1) * part)];
}

inline double median(std::vector<double> values) { return at_part(std::move(values), 0.5); }

}  // namespace dlscope::bench
