// ReduceTask: the picture of a part of a tensor as a Task (core/tasks/task.h): a sample of every texel first, then, where that was
// asked for, every value; by several threads where that is of use, which does not change a texel. Cells that repeat the same memory (a
// broadcast) are read once. The channels of an image go on side by side.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/memory/memory_reader.h"
#include "core/reduce/line_pass.h"
#include "core/statistics/statistics.h"
#include "core/tasks/task.h"

namespace dlscope::core {

// Values that a window stands for, and those of them that an exact picture reads: what repeats in memory once. Both saturate.
struct WindowValues {
  std::uint64_t shown = 0, to_read = 0;
};
[[nodiscard]] WindowValues count_values(const TensorValues& values, const CellAxes& axes, const CellWindow& window);

// The part of the table that is read for a window where all rows, or all columns, are the same values.
[[nodiscard]] CellWindow without_repeats(CellWindow window, bool down, bool across);

// A picture that is to be made, of one tensor or of several.
struct PicturePlan {
  std::shared_ptr<const void> owner;  // keeps what is read, and what reads it
  CellWindow asked, read;             // read: without_repeats()
  std::uint64_t places = 0;           // values to read for an exact picture
  std::uint64_t most_exact = 0;
  // Of each channel, or of all there is; called by any thread, while `owner` is kept. None: the window is empty.
  std::vector<LinePass::MakeReading> samples, exact;
};
// Fails in words where the axes or the window do not fit the tensor, or there are more than kMaxTexels.
[[nodiscard]] Result<void> check_picture(LayoutView layout, const CellAxes& axes, const CellWindow& window);

class ReduceTask final : public Task {
 public:
  // What the layout of `values` lies in is kept alive by `owner`; it is read through `reader`. most_exact: windows with at most so
  // many values to read become exact, others stay a sample. Fails in words where the dtype is no number, or axes or window do not
  // fit the tensor, or there are more than kMaxTexels. threads: that a step may use; 0: as many as are of use.
  [[nodiscard]] static Result<std::unique_ptr<ReduceTask>> make(const TensorValues& values, const CellAxes& axes,
                                                                const CellWindow& window, std::uint64_t most_exact,
                                                                std::shared_ptr<const void> owner,
                                                                std::shared_ptr<const MemoryReader> reader, unsigned threads = 0);

  explicit ReduceTask(PicturePlan plan, unsigned threads = 0);

  // A sample of single values first where all of them would take longer. Fails in words where a byte of an exact picture cannot be read;
  // the sample stays.
  [[nodiscard]] Result<State> step() override;
  [[nodiscard]] TaskProgress progress() const override;  // values
  // What was worked out since the last call, at most `most` texels (but a whole line); nullopt: nothing. Before the end of a task that
  // is done, every texel has been taken as an exact one, where it became that.
  [[nodiscard]] std::optional<Texels> take(std::size_t most);

 private:
  [[nodiscard]] Result<State> step_sample();
  [[nodiscard]] Result<State> step_exact();
  void begin_samples();
  [[nodiscard]] Texels cut(const TexelRect& rect, TexelMethod method) const;

  PicturePlan plan_;
  bool becomes_exact_ = false;
  unsigned threads_;
  std::vector<Texels> texels_;  // of each channel: of plan_.read
  std::optional<LinePass> sample_, exact_;
  std::optional<Error> failed_;  // the exact pass, before there was a sample
  std::int64_t taken_ = 0;       // lines of the sample, then of the exact pass
  bool taking_exact_ = false;
};

}  // namespace dlscope::core
