// The command palette: the actions and tensors that match what was typed, best first. Actions are few and ranked at once; tensors
// may be many, so a worker searches them.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "app/models/actions/actions.h"
#include "app/models/focus/focus.h"
#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

// "View: Dark", "Run: Stop the script", "In the memory map: Fit".
[[nodiscard]] std::string palette_title(const Action& action);

// The last used actions, newest first, each once, at most kMax.
class RecentActions {
 public:
  static constexpr std::size_t kMax = 12;
  void used(ActionId id);
  [[nodiscard]] const std::deque<ActionId>& all() const { return ids_; }

 private:
  std::deque<ActionId> ids_;
};

// The matching ones, best first; for an empty query all of them, recent ones first.
[[nodiscard]] std::vector<ActionId> palette_actions(std::string_view query, const RecentActions& recent);

// The entry of the menu File with the files that were opened last.
inline constexpr const char* kOpenRecent = "Open Recent";
// Of the recent files those whose path contains every word of the query as it is (kOpenRecent counts as part of it), in the given
// order; for an empty query none, because the palette then lists every action.
[[nodiscard]] std::vector<std::string> palette_files(std::string_view query, std::span<const std::string> recent);

// A place to go to: a tensor, or an element of one.
struct FoundPlace {
  std::uint32_t tensor = core::kNone32;
  Focus focus;        // on the tensor or its element
  std::string message;  // "x[1, 2]   float32 3×4"
};
struct FoundPlaces {
  std::string query;
  IndexPtr index;
  std::vector<FoundPlace> places;  // best first, at most kMaxPlaces
  bool more = false;               // there are more
};
inline constexpr std::size_t kMaxPlaces = 50;

// Tensors whose name matches the query; "x[1, 2]": that element; "[1, 2]": that element of `selected`; "0x55d0": the tensor that
// contains this address. thread: a worker. Null when stopped.
[[nodiscard]] std::shared_ptr<const FoundPlaces> find_places(const IndexPtr& index, std::string query, std::uint32_t selected,
                                                             const std::stop_token& stop = {});

}  // namespace dlscope::app
