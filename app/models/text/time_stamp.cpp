#include "app/models/text/time_stamp.h"

#include <fmt/core.h>

#include <ctime>
#include <filesystem>

#include "core/base/clock.h"

namespace dlscope::app {

namespace fs = std::filesystem;

namespace {

std::tm local_time(std::time_t at) {
  std::tm local{};
  ::localtime_r(&at, &local);
  return local;
}

std::string text_of(const std::tm& at) { return fmt::format("{:02}:{:02}:{:02}", at.tm_hour, at.tm_min, at.tm_sec); }

}  // namespace

std::string date_and_time() {
  const std::tm local = local_time(std::time(nullptr));
  return fmt::format("{:04}-{:02}-{:02} {}", local.tm_year + 1900, local.tm_mon + 1, local.tm_mday, text_of(local));
}

std::string time_of_day() { return text_of(local_time(std::time(nullptr))); }

std::string time_of_day(std::int64_t t_ns) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const std::int64_t now_ns = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  return text_of(local_time(static_cast<std::time_t>((now_ns - (core::monotonic_ns() - t_ns)) / 1'000'000'000)));
}

std::string time_stamped(std::string_view prefix, std::string_view suffix) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const std::tm local = local_time(now.tv_sec);
  std::error_code failed;
  const fs::path folder = fs::current_path(failed);
  return (folder / fmt::format("{}{:04}-{:02}-{:02}-{:02}{:02}{:02}-{:03}{}", prefix, local.tm_year + 1900, local.tm_mon + 1,
                               local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec, now.tv_nsec / 1'000'000, suffix))
      .string();
}

}  // namespace dlscope::app
