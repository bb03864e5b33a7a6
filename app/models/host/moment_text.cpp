#include "app/models/host/moment_text.h"

#include <fmt/format.h>

#include "app/models/host/suspension_text.h"

namespace dlscope::app {

std::string moment_description(const Moment& moment, const HostSession& host) {
  if (moment.since != Since::running || host.suspension().empty()) return moment_description(moment);
  if (moment.since_run == moment.run) return fmt::format("as of the middle of run {}, which is {}", moment.run, kSuspendedWord);
  const std::string seen = moment.run == 0 ? std::string("as of before the first run") : fmt::format("as of run {}", moment.run);
  return fmt::format("{}; run {} is {}", seen, moment.since_run, kSuspendedWord);
}

}  // namespace dlscope::app
