// HeatmapStore: the pictures of parts of one tensor that were worked out, and the one that is being worked out: of the whole of it, of
// what is shown, and of what is to be shown next. Dropped when code ran in between.
// thread: UI.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/models/tensors/snapshot_index.h"
#include "app/models/tensors/tensor_state.h"
#include "core/reduce/cell_axes.h"
#include "core/reduce/texels.h"

namespace dlscope::app {

struct HeatmapRequest {
  std::uint32_t tensor = core::kNone32;
  core::CellAxes axes;
  core::CellWindow window;
  std::uint64_t most_exact = 0;  // at most so many values to read: the picture becomes exact
  bool whole = false;            // the window is all there is
  friend bool operator==(const HeatmapRequest&, const HeatmapRequest&) = default;
};

struct HeatmapPicture {
  enum class Phase : std::uint8_t { computing, done, failed, cancelled };
  std::uint64_t id = 0;
  HeatmapRequest asked;
  Phase phase = Phase::computing;
  std::string why;                     // failed: why
  core::Texels texels;                 // of the whole window; those that are not known yet have no flags
  std::size_t sampled = 0, exact = 0;  // texels known by a sample, and exactly
  std::uint64_t task = 0;              // in the list of tasks
  Moment begun;
  bool own = true;  // the bytes were the tensor's own then

  [[nodiscard]] bool computing() const { return phase == Phase::computing; }
  [[nodiscard]] bool covers() const { return sampled >= texels.flags.size() || exact >= texels.flags.size(); }
  [[nodiscard]] bool is_exact() const { return exact >= texels.flags.size(); }
};
using HeatmapPicturePtr = std::shared_ptr<const HeatmapPicture>;

class HeatmapStore {
 public:
  // What is on the screen from here on. process: Timeline's. The task of what nobody waits for any more; 0: there is none.
  [[nodiscard]] std::uint64_t show(const IndexPtr& index, std::uint64_t process);
  [[nodiscard]] const IndexPtr& index() const { return index_; }

  // Another picture of a tensor of the index takes the place of the one that is being worked out, whose task is returned with its id.
  struct Begun {
    std::uint64_t id = 0;
    std::uint64_t dropped_task = 0;
  };
  [[nodiscard]] Begun begin(HeatmapRequest request, const Moment& now, bool own);
  // About a picture that was dropped since: ignored.
  void note_task(std::uint64_t id, std::uint64_t task);
  void take(std::uint64_t id, const core::Texels& part);
  void end(std::uint64_t id, HeatmapPicture::Phase how, std::string why);

  // Null: there is none. The newest is the one that was begun last.
  [[nodiscard]] HeatmapPicturePtr newest() const { return newest_; }
  [[nodiscard]] HeatmapPicturePtr shown() const { return shown_; }        // the last of which every texel is known
  [[nodiscard]] HeatmapPicturePtr overview() const { return overview_; }  // the last such one of the whole table of cells
  // Rises with every change of a texel.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }

 private:
  [[nodiscard]] HeatmapPicture* with_id(std::uint64_t id);
  void drop();

  IndexPtr index_;
  std::uint64_t process_ = 0, last_id_ = 0, revision_ = 0;
  std::shared_ptr<HeatmapPicture> newest_, shown_, overview_;
};

}  // namespace dlscope::app
