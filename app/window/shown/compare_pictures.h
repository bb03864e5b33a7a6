// ComparePictures: chooses the two tensors of the compare view and has the pictures of both and of their difference computed.
// A is the selected tensor and B the one compared with it, or one of a tensor file; or A is the selected tensor as remembered at
// an earlier moment and B as it is.
// thread: UI.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/models/actions/commands.h"
#include "app/models/history/kept_moment.h"
#include "app/models/history/remembered_tensors.h"
#include "app/models/values/compared_sides.h"
#include "app/window/shown/compared_file.h"
#include "app/window/shown/heatmap_work.h"

namespace dlscope::app {

struct ApplicationParts;

class ComparePictures {
 public:
  ComparePictures(HostConnection& host, TaskRunner& tasks) : a_(host, tasks), b_(host, tasks), difference_(host, tasks) {}

  // Call once a frame, after the shown snapshot and its readers are settled. True: something changed.
  bool follow(ApplicationParts& parts);
  void compare_with(const command::CompareWithMoment& with, ApplicationParts& parts);
  void compare_with(const command::CompareWithFile& with, ApplicationParts& parts);
  void draw(const command::DrawComparison& draw);
  void find_mismatch(const command::FindMismatch& find, ApplicationParts& parts);

  [[nodiscard]] const ComparedSides& sides() const { return sides_; }
  [[nodiscard]] ComparedFile& file() { return file_; }  // that B is of, if one is chosen
  // The two tensors, for background work; snapshot null: there is none. Their readers may block: not for the UI thread.
  [[nodiscard]] const core::SnapshotTensor& a() const { return of_a_; }
  [[nodiscard]] const core::SnapshotTensor& b() const { return of_b_; }
  // True when the host has both, so it can compute on them.
  [[nodiscard]] bool in_host() const { return in_host_; }

 private:
  void choose_shown(const ApplicationParts& parts);
  void choose_remembered(ApplicationParts& parts);
  void unpack(const KeptMomentPtr& moment, JobPool& jobs);

  HeatmapWork a_, b_, difference_;
  ComparedFile file_;
  core::SnapshotTensor of_a_, of_b_;
  bool in_host_ = false;
  ComparedSides sides_;
  std::uint64_t process_ = 0;  // SnapshotSource::process of the shown snapshot
  std::uint64_t moment_ = 0;   // that A was remembered at; 0: A is in the shown snapshot
  std::string selected_name_;                // the selection when moment_ was chosen
  std::uint32_t compared_ = core::kNone32;   // the compared tensor then
  KeptMomentPtr then_;         // of moment_; its snapshot is unpacked, or being unpacked in a job
  core::SnapshotPtr then_snapshot_;
  RememberedMomentPtr kept_;  // remembered bytes of moment_; kept_reader_ reads them
  std::shared_ptr<core::MemoryReader> kept_reader_;
  std::uint64_t search_ = 0;  // the task that searches for a mismatch; 0: none
};

}  // namespace dlscope::app
