// A history of looks at a program that changes at random, packed as the window packs it.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "app/models/history/moment_history.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {

// A program whose tensors come, go, move, grow and change their names, at random.
class ChangingProgram {
 public:
  // places: where a tensor may lie; few of them make many that share.
  ChangingProgram(unsigned seed, int count, int places = 4000) : random_(seed), places_(places) {
    for (int i = 0; i < count; ++i) tensors_.push_back(fresh());
  }

  core::SnapshotPtr look() { return snapshot_of(tensors_, ++run_); }

  void change(int edits) {
    for (int i = 0; i < edits; ++i) {
      const auto at = static_cast<std::size_t>(pick(static_cast<int>(tensors_.size())));
      switch (pick(8)) {
        case 0:
          tensors_.insert(tensors_.begin() + static_cast<std::ptrdiff_t>(at), fresh());
          break;
        case 1:
          if (tensors_.size() > 1) tensors_.erase(tensors_.begin() + static_cast<std::ptrdiff_t>(at));
          break;
        case 2:
          tensors_[at].address = place();
          break;
        case 3:
          tensors_[at].shape = {pick(4), pick(4)};
          break;
        case 4:
          tensors_[at].name = fmt::format("renamed{}", ++names_);
          break;
        case 5:
          tensors_[at].more_names.push_back(fmt::format("alias{}", ++names_));
          break;
        case 6:
          std::swap(tensors_[at], tensors_[static_cast<std::size_t>(pick(static_cast<int>(tensors_.size())))]);
          break;
        default:
          tensors_[at].dtype = pick(2) == 0 ? "int8" : "float64";
      }
    }
  }

  [[nodiscard]] std::vector<SampleTensor>& tensors() { return tensors_; }

  // A few tensors at the front leave, and so many come that are new.
  void restart(int count) {
    for (int i = 0; i < count; ++i) tensors_[static_cast<std::size_t>(i)] = fresh();
  }

 private:
  int pick(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  core::Address place() { return 0x558120000000 + static_cast<core::Address>(pick(places_)) * 8; }
  SampleTensor fresh() {
    return {.name = fmt::format("model['layer{}'].weight", ++names_), .address = place(), .shape = {pick(3) + 1, 4}};
  }

  std::mt19937 random_;
  int places_;
  std::vector<SampleTensor> tensors_;
  int names_ = 0;
  std::uint64_t run_ = 0;
};

// What the window has a job do after each look, until there is nothing to do.
inline void pack_all(app::MomentHistory& history) {
  while (true) {
    app::KeptMoments dropped = history.take_dropped();
    const app::KeptMoments whole = history.to_pack();
    if (dropped.empty() && whole.empty()) return;
    dropped.clear();
    for (const app::KeptMomentPtr& moment : whole) moment->pack(history.store());
    history.count_again();
  }
}

}  // namespace dlscope::tests
