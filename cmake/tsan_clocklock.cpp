// For builds with the thread sanitizer only. That of GCC 12 does not know pthread_mutex_clocklock, which std::timed_mutex waits with,
// and takes the unlock that follows for one of a mutex that nobody locked. It knows pthread_mutex_timedlock.
#include <pthread.h>

#include <ctime>

namespace {

// `until` of `clock` as a time of the real-time clock.
timespec real_time(clockid_t clock, const timespec& until) {
  constexpr long kSecond = 1'000'000'000;
  timespec now{}, real{};
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &real);
  real.tv_sec += until.tv_sec - now.tv_sec;
  real.tv_nsec += until.tv_nsec - now.tv_nsec;
  if (real.tv_nsec < 0) {
    real.tv_nsec += kSecond;
    --real.tv_sec;
  } else if (real.tv_nsec >= kSecond) {
    real.tv_nsec -= kSecond;
    ++real.tv_sec;
  }
  return real;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                                                              const timespec* until) noexcept {
  const timespec real = real_time(clock, *until);
  return pthread_mutex_timedlock(mutex, &real);
}
