// What the statistics of a tensor say, as a person reads them: the lines of the panel, what they are about, and cells of the table.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/models/statistics/statistics_store.h"
#include "app/models/tensors/badges.h"

namespace dlscope::app {

// Read without being asked for: it takes a moment. More is read when somebody says so.
inline constexpr std::uint64_t kReadAtOnce = std::uint64_t{64} << 20;

// Bytes that the statistics of this tensor read: memory that several elements share once.
[[nodiscard]] std::uint64_t bytes_to_read(const core::Snapshot& snapshot, const core::TensorRecord& tensor);
// "Read all 4.0 GiB", and how long that may take: "about 2 s". rate: bytes per second; 0: not known.
[[nodiscard]] std::string reading_time(std::uint64_t bytes, double rate);
// Why a tensor has no statistics, as a sentence; "" when it has.
[[nodiscard]] std::string why_no_statistics(const core::Snapshot& snapshot, const core::TensorRecord& tensor);

// What the numbers are about: "All 3 000 000 values." or that of a sample, with what follows from it.
struct Coverage {
  std::string text;
  std::string meaning;
  bool is_sample = false;
};
[[nodiscard]] Coverage coverage(const core::ValueSummary& summary);
// When they were read, and what has happened since: "Read at 14:03:12." plus what makes them doubtful; `stale` says that something does.
struct ReadWhen {
  std::string text;
  bool stale = false;
};
[[nodiscard]] ReadWhen read_when(const TensorStatistics& statistics, const Moment& now);

struct StatisticsFact {
  std::string label, text;
  std::string meaning;  // for a tooltip
  Tone tone = Tone::plain;
  std::optional<std::uint64_t> element{};  // where to find it: a C-order number, one of the tensor's
};
// One line each, in the order of the panel. The statistics are of a tensor of the snapshot.
[[nodiscard]] std::vector<StatisticsFact> statistics_facts(const core::Snapshot& snapshot, const core::TensorRecord& tensor,
                                                           const core::Statistics& statistics);

// "-0.5": exactly, in the words of the dtype; "" for none.
[[nodiscard]] std::string number_description(core::DType dtype, const core::Number& number);

// Cells of the table. "" where nothing is known.
[[nodiscard]] std::string nan_cell(const core::ValueSummary& summary);
[[nodiscard]] std::string least_cell(const core::ValueSummary& summary, core::DType dtype);
[[nodiscard]] std::string greatest_cell(const core::ValueSummary& summary, core::DType dtype);
// "NaN 3", "Inf 2": nothing where there are none.
void append_value_badges(const core::ValueSummary& summary, std::vector<Badge>& out);

}  // namespace dlscope::app
