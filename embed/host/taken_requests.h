// The requests that the host's Python half has taken and not answered yet: one, and at a stop those of the code that stands there.
// Whatever raises in that half between two steps of it (an asynchronous exception that the script's own thread has sent, a bug of
// ours): the viewer waits for the end of each request, so the next host_next() sends those ends.
// thread: GIL held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "embed/host/host_service.h"

namespace dlscope::embed {

class TakenRequests {
 public:
  static TakenRequests& get();

  void take(const Request& request, const StopPlace& place);
  // The viewer has been sent the end of that run, of the scan behind the run or request, of that question or act.
  void run_ended(std::uint64_t run);
  void scan_ended(const StopPlace& place);
  void question_ended(std::uint64_t question);
  void act_ended(std::uint64_t act);
  // Sends the ends that are missing of those taken here, and forgets them.
  void end_those_left(HostService& service, const StopPlace& place);
  // What has no end to be sent, and has not been done: to leave, or to go on from the stop that is still on.
  [[nodiscard]] std::optional<Request> once_more(const StopPlace& place) const;

 private:
  struct Taken {
    std::size_t stops = 0;
    std::uint64_t run = 0, question = 0, act = 0;  // 0: none, or it has ended
    bool has_scan = false;
    std::uint64_t scan = 0;  // the request of the scan; 0: the one after a run
    std::string kind;        // of the question
  };
  std::vector<Taken> taken_;
  bool leaves_ = false;
  std::optional<core::wire::Resume> resume_;
};

}  // namespace dlscope::embed
