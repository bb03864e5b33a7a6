// ComparePictures: which two tensors the compare view compares, and the pictures of both and of their difference. A is the selected tensor
// and B the one held against it, or A is the selected one as it was remembered at a moment of the history and B as it is.
// thread: UI.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/models/actions/commands.h"
#include "app/models/history/kept_moment.h"
#include "app/models/history/remembered_tensors.h"
#include "app/models/values/compared_sides.h"
#include "app/window/heatmap_work.h"

namespace dlscope::app {

struct ApplicationParts;

class ComparePictures {
 public:
  ComparePictures(HostConnection& host, TaskRunner& tasks) : a_(host, tasks), b_(host, tasks), difference_(host, tasks) {}

  // Once a frame, after what is shown is known. True: something changed.
  bool follow(ApplicationParts& parts);
  void compare_with(const command::CompareWithMoment& with, ApplicationParts& parts);
  void draw(const command::DrawComparison& draw);
  void find_mismatch(const command::FindMismatch& find, ApplicationParts& parts);

  [[nodiscard]] const ComparedSides& sides() const { return sides_; }
  // For work on both; snapshot null: there is none. Readers are for workers.
  [[nodiscard]] const core::SnapshotTensor& a() const { return of_a_; }
  [[nodiscard]] const core::SnapshotTensor& b() const { return of_b_; }
  // The host has both.
  [[nodiscard]] bool in_host() const { return in_host_; }

 private:
  void choose_shown(const ApplicationParts& parts);
  void choose_remembered(ApplicationParts& parts);
  void unpack(const KeptMomentPtr& moment, ApplicationParts& parts);

  HeatmapWork a_, b_, difference_;
  core::SnapshotTensor of_a_, of_b_;
  bool in_host_ = false;
  ComparedSides sides_;
  std::uint64_t process_ = 0;  // that B is of, or the file, or the moment
  std::uint64_t moment_ = 0;   // that A is of; 0: as it is shown
  std::string selected_name_;                // when it was chosen
  std::uint32_t compared_ = core::kNone32;   // likewise
  KeptMomentPtr then_;         // that moment, while its snapshot is here or on its way
  core::SnapshotPtr then_snapshot_;
  RememberedMomentPtr kept_;  // of that moment, as it is read
  std::shared_ptr<core::MemoryReader> kept_reader_;
  std::uint64_t search_ = 0;  // for a mismatch, in the list of tasks; 0: none
};

}  // namespace dlscope::app
