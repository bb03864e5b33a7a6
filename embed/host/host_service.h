// HostService: the host's end of the wire. Its thread ("the wire's thread") reads the viewer's messages, with all signals blocked
// and without ever taking the GIL, so that Stop works while Python hangs. It hands each message to the part that it is for; the
// parts have the state, and each says which thread may call it. Uses no Python API.
// One per process, never destroyed; a forked child must not use it (is_forked_child()).
#pragma once

#include <memory>
#include <string_view>

#include "core/inventory/snapshot.h"
#include "core/wire/message_sender.h"
#include "core/wire/messages.h"
#include "core/wire/region.h"
#include "embed/host/host_tasks.h"
#include "embed/host/process_end.h"
#include "embed/host/request_intake.h"
#include "embed/host/request_serving.h"
#include "embed/host/send_to_viewer.h"
#include "embed/host/served_state.h"
#include "embed/host/served_stops.h"
#include "embed/host/snapshot_publisher.h"
#include "embed/host/wire_thread.h"

namespace dlscope::embed {

class HostService {
 public:
  // thread: main; it becomes the one that Stop interrupts. Maps the region, closes `region_fd`, starts the wire's thread, sends
  // `hello`. Error, with a message for the user: no region, no thread, or viewer and host are of different builds.
  [[nodiscard]] static core::Result<HostService*> start(int region_fd, const core::wire::Hello& hello);

  // ---- the parts: each says which thread may call it ----
  [[nodiscard]] RequestServing& serving() { return serving_; }
  [[nodiscard]] ServedStops& stops() { return stops_; }
  [[nodiscard]] RequestIntake& intake() { return intake_; }
  [[nodiscard]] Interruption& interruption() { return state_.interruption; }
  [[nodiscard]] HostTasks& tasks() { return tasks_; }
  [[nodiscard]] WireThread& wire_thread() { return wire_thread_; }
  [[nodiscard]] core::wire::RegionHeader& header() { return region_->header(); }

  // Around os.fork(): ends the threads of the host; messages wait in the ring. wire_thread().restart() starts the one that
  // listens anew. The GIL is held.
  void before_fork();
  [[nodiscard]] bool on_main_thread() const;  // thread: any

  // ---- thread: any ----
  // As MessageSender::send(): waits some seconds where the viewer makes no room, and then keeps the message.
  bool send(const core::wire::ToViewer& message, WhenFull when_full = WhenFull::wait);
  void notice(std::string_view text);
  // As SnapshotPublisher::publish(). False in a forked child, too.
  bool publish(const core::SnapshotPtr& snapshot, core::wire::SnapshotReady ready);

 private:
  explicit HostService(std::unique_ptr<core::wire::Region> region);
  [[nodiscard]] SendToViewer sender();
  // thread: the wire's, for all that follow.
  void pass();
  void read_messages();
  void handle(const core::wire::RawMessage& raw);
  void handle_message(core::wire::Ask question) { intake_.put_question(std::move(question)); }
  void handle_message(core::wire::Run run) { intake_.put_before_questions(std::move(run)); }
  void handle_message(const core::wire::Scan& scan) { intake_.put(scan); }
  void handle_message(const core::wire::Interrupt& interrupt) { intake_.interrupt(interrupt); }
  void handle_message(const core::wire::Shutdown& shutdown);
  void handle_message(core::wire::Start start);
  void handle_message(const core::wire::Cancel& cancel);
  void handle_message(core::wire::SetBreakpoints breakpoints) { intake_.put_change(std::move(breakpoints)); }
  void handle_message(const core::wire::Pause& pause) { intake_.put_change(pause); }
  void handle_message(core::wire::Resume resume) { intake_.put_before_questions(std::move(resume)); }
  void tick();
  void leave_without_viewer();

  std::unique_ptr<core::wire::Region> region_;
  core::wire::RingReader reader_;
  core::wire::RawMessage raw_;  // that is being handled
  bool ring_broken_ = false;
  core::wire::MessageSender sender_;
  ServedState state_;
  RequestIntake intake_;
  RequestServing serving_;
  ServedStops stops_;
  HostTasks tasks_;
  SnapshotPublisher publisher_;
  ProcessEnd process_end_;
  WireThread wire_thread_;
};

}  // namespace dlscope::embed
