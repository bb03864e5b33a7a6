// SnapshotViews: prepares a snapshot for the views: its index, the row order of the table, the selection, the inspector's page.
// Whatever takes longer than a frame is a job; a result is only used with the index it was made from.
//
// Shown is the newest snapshot, or a kept moment (looking back). Newer snapshots are prepared meanwhile and wait. While the
// newest is a file's, the script's last one is set aside: it is shown again when the file is left, and the script's next one is
// compared with it.
// thread: UI.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/models/actions/notices.h"
#include "app/models/actions/palette_model.h"
#include "app/models/focus/selection.h"
#include "app/models/history/moment_history.h"
#include "app/models/inspector/inspector_model.h"
#include "app/models/jobs/job_pool.h"
#include "app/models/table/tensor_table_model.h"
#include "app/models/tensors/group_colours.h"
#include "app/models/tensors/last_looks.h"
#include "app/models/tensors/tensor_state.h"
#include "app/window/shown/opened_file.h"

namespace dlscope::app {

// Where the tensors of a snapshot lie: in a process of the script's, or in a file.
struct SnapshotSource {
  std::uint64_t process = 0;               // Timeline's; of a file: its own number, which no process has
  std::shared_ptr<const OpenedFile> file;  // null: the tensors are in the process
  std::uint64_t moment = 0;                // its number in the history; 0: it is not kept there
  bool looks_back = false;                 // looking back: only remembered bytes may be read, the host is not asked
  std::uint64_t stop = 0;                  // the number of the stop at which it was taken; 0: none
};

class SnapshotViews {
 public:
  SnapshotViews(JobPool& jobs, Notices& notices) : jobs_(jobs), notices_(notices) {}

  // Shows the snapshot once its index is ready. While a past moment is shown, it waits; a file's is shown in any case.
  // comparable_from: the first run that may be compared with (earlier ones were of another script or process). The tensors of a
  // file are compared with nothing.
  void show(core::SnapshotPtr snapshot, SnapshotSource source = {}, std::uint64_t comparable_from = 0);
  // Shows a kept moment as it was, with the colours it had. Its change marks compare with `base`; base null: with against_then,
  // the moment they compared with when this was the newest (null: there was none, or it is no longer kept).
  void look_back(KeptMomentPtr moment, const KeptMomentPtr& against_then, const KeptMomentPtr& base);
  // Shows the newest snapshot again, at once.
  void back_to_now();
  // Shows the script's tensors again in place of a file's, at once, as they were shown before. False: this snapshot of the script
  // was never shown.
  [[nodiscard]] bool back_to_script(const core::SnapshotPtr& snapshot);
  // The change marks of the newest snapshot compare with `base`; null: with the previous run or stop, as usual.
  void mark_newest_against(const KeptMomentPtr& base);
  // `indexed` is called with the index of each new snapshot of the script when it is ready, also while looking back; not for
  // files.
  void on_indexed(std::function<void(const SnapshotIndex&)> indexed) { indexed_ = std::move(indexed); }

  void order_rows_by(TableQuery query);
  // Sets the values that the value columns sort by; the rows are sorted again where such a column decides the order.
  void sort_values_by(std::shared_ptr<const std::vector<core::ValueSummary>> values);
  // For the palette: finds what a query names; `found` is called with the answer.
  void find_places_for(std::string query, std::function<void(std::shared_ptr<const FoundPlaces>)> found);
  // Call after each frame: the views have drawn the newest index, so the previous one can be destroyed.
  void end_frame();

  [[nodiscard]] const IndexPtr& index() const { return tensors_.index(); }
  [[nodiscard]] std::uint64_t generation() const { return generation_; }  // of the index; rises with each one shown
  [[nodiscard]] const SnapshotSource& source() const { return source_; }  // of the index
  [[nodiscard]] bool looks_back() const { return source_.looks_back; }
  // Of the newest snapshot, also while looking back.
  [[nodiscard]] const IndexPtr& newest_index() const { return looks_back() ? newest_.index : tensors_.index(); }
  [[nodiscard]] const SnapshotSource& newest_source() const { return looks_back() ? newest_.source : source_; }
  void show_held(HeldTensors held) { held_ = std::move(held); }
  [[nodiscard]] const HeldTensors& held() const { return held_; }  // of the index
  [[nodiscard]] TensorTableModel& tensors() { return tensors_; }
  [[nodiscard]] const TensorTableModel& tensors() const { return tensors_; }
  [[nodiscard]] Selection& selection() { return selection_; }
  [[nodiscard]] const Selection& selection() const { return selection_; }
  [[nodiscard]] const Inspection* inspection();  // of the selected tensor; null: none is

 private:
  // An index with its rows.
  struct Prepared {
    IndexPtr index;
    OrderPtr order;
    SnapshotSource source = {};
  };
  void destroy_in_a_job(Prepared shown);  // freeing 1e5 names takes longer than a frame
  void accept(Prepared newest);
  void save_script_view();
  void present(Prepared prepared, Selection::From from);
  [[nodiscard]] TableQuery query_without_values() const;

  JobPool& jobs_;
  Notices& notices_;
  TensorTableModel tensors_;
  Selection selection_;
  std::uint64_t generation_ = 0;
  SnapshotSource source_;
  HeldTensors held_;
  LastLooks looks_;  // at the script's tensors
  Prepared newest_;  // while looking back: shown again afterwards
  struct {
    Prepared shown;
    std::string selected;  // the name of the tensor that was selected
  } script_view_;  // while the newest is a file's
  bool past_requested_ = false;  // a past moment is shown, or its job is under way
  std::function<void(const SnapshotIndex&)> indexed_ = [](const SnapshotIndex&) {};
  Prepared previous_;  // what was shown before: still used by the frame being drawn
  std::optional<Inspection> inspection_;
  std::uint64_t inspected_generation_ = 0;
  std::shared_ptr<GroupColours> colours_ = std::make_shared<GroupColours>();  // used by the index jobs only
};

}  // namespace dlscope::app
