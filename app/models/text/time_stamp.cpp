#include "app/models/text/time_stamp.h"

#include <fmt/core.h>

#include <ctime>
#include <filesystem>

namespace dlscope::app {

namespace fs = std::filesystem;

namespace {

std::tm local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return local;
}

}  // namespace

std::string time_of_day() {
  const std::tm now = local_time();
  return fmt::format("{:02}:{:02}:{:02}", now.tm_hour, now.tm_min, now.tm_sec);
}

std::string time_stamped(std::string_view prefix, std::string_view suffix) {
  const std::tm local = local_time();
  const std::string stamp = fmt::format("{}{:04}-{:02}-{:02}-{:02}{:02}{:02}", prefix, local.tm_year + 1900, local.tm_mon + 1,
                                        local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec);
  std::error_code failed;
  const fs::path folder = fs::current_path(failed);
  std::string name = fmt::format("{}{}", stamp, suffix);
  for (int again = 2; fs::exists(folder / name, failed) && again < 100; ++again)
    name = fmt::format("{}-{}{}", stamp, again, suffix);
  return (folder / name).string();
}

}  // namespace dlscope::app
