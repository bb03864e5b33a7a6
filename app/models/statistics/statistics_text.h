// The statistics of a tensor as text: the lines of the panel, what they cover, and cells of the table. No I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/models/statistics/statistics_store.h"
#include "app/models/tensors/badges.h"

namespace dlscope::app {

// Up to this size values are read without being asked for (a moment); beyond it a person has to ask.
inline constexpr std::uint64_t kReadAtOnce = std::uint64_t{64} << 20;

// Bytes to read for the statistics of this tensor: of axes of stride 0 once, of overlapping windows as often as they overlap.
[[nodiscard]] std::uint64_t bytes_to_read(const core::Snapshot& snapshot, const core::TensorRecord& tensor);
// "Read all 4.0 GiB", and how long that may take: "about 2 s". rate: bytes per second; 0: unknown.
[[nodiscard]] std::string reading_time(std::uint64_t bytes, double rate);
// Why a tensor has no statistics, as a sentence; "": it has.
[[nodiscard]] std::string why_no_statistics(const core::Snapshot& snapshot, const core::TensorRecord& tensor);

// What the numbers cover: "All 3 000 000 values.", or that they are of a sample, and what follows from that.
struct Coverage {
  std::string text;
  std::string meaning;
  bool is_sample = false;
};
[[nodiscard]] Coverage coverage(const core::ValueSummary& summary);
// When the values were read, and what has happened since: "Read at 14:03:12." stale: something makes the numbers doubtful.
struct ReadWhen {
  std::string text;
  bool stale = false;
};
[[nodiscard]] ReadWhen read_when(const TensorStatistics& statistics, const Moment& now);

struct StatisticsFact {
  std::string label, text;
  std::string meaning;  // for a tooltip
  Tone tone = Tone::plain;
  std::optional<std::uint64_t> element{};  // an element that shows it, by C-order number
};
// One line each, in the order of the panel. The tensor must be one of the snapshot.
[[nodiscard]] std::vector<StatisticsFact> statistics_facts(const core::Snapshot& snapshot, const core::TensorRecord& tensor,
                                                           const core::Statistics& statistics);

// "-0.5": the exact number in the format of the dtype; "": none.
[[nodiscard]] std::string number_description(core::DType dtype, const core::Number& number);

// The counts that say whether something is wrong, on one line: "NaN 1   +Inf 0   -Inf 0   zero 12   subnormal 0" of floats and complex
// numbers, "zero 12   negative 3" of integers, "False 3" of bool; "in a sample: " before them where they are of one.
struct CountsLine {
  struct Part {
    std::string text;  // "   +Inf 1", with the space before it
    Tone tone = Tone::dim;
  };
  std::vector<Part> parts;  // of `text`, one count each: only the bad ones stand out
  std::string text;
  std::string brief;  // for little room: "NaN 1, Inf 0"; "": nothing is so important
  Tone tone = Tone::dim;
};
[[nodiscard]] CountsLine counts_line(const core::ValueSummary& summary, core::DType dtype);

// Cells of the table. "" where nothing is known.
[[nodiscard]] std::string nan_cell(const core::ValueSummary& summary);
[[nodiscard]] std::string least_cell(const core::ValueSummary& summary, core::DType dtype);
[[nodiscard]] std::string greatest_cell(const core::ValueSummary& summary, core::DType dtype);
// "NaN 3", "Inf 2"; adds nothing when there are none.
void append_value_badges(const core::ValueSummary& summary, std::vector<Badge>& out);

}  // namespace dlscope::app
