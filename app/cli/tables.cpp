#include "app/cli/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/plain_text.h"
#include "app/models/exchange/exchange_text.h"
#include "app/models/exchange/verdict_text.h"
#include "app/models/tensors/badges.h"
#include "app/models/tensors/refusal_advice.h"
#include "app/models/tensors/scan_limits.h"
#include "app/models/tensors/unpaired.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "core/inventory/relation.h"
#include "core/report/report.h"

namespace dlscope::app {

using core::Snapshot;
using core::TensorRecord;
using core::Tri;

namespace {

constexpr std::size_t kNameColumns = 44;    // of a tensor's name, in every table
constexpr std::size_t kEntryColumns = 28;   // of shape and strides
constexpr std::size_t kRemarkColumns = 70;  // of a tensor's remarks; the first one is whole in any case
constexpr std::size_t kWhole = 4096;        // columns of a sentence: wrapped by the terminal, cut only where it is hostile

enum class Align { left, right };

struct Column {
  const char* title;
  std::size_t widest;  // longer cells are cut in the middle
  Align align = Align::left;
};

class TextTable {
 public:
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {
    for (const Column& column : columns_) widths_.push_back(columns_of(column.title));
  }

  void add(std::vector<std::string> cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      cells[i] = cut_middle(plain_text(cells[i]), columns_[i].widest);
      widths_[i] = std::max(widths_[i], columns_of(cells[i]));
    }
    rows_.push_back(std::move(cells));
  }

  [[nodiscard]] std::string text() const {
    std::vector<std::string> titles;
    for (const Column& column : columns_) titles.emplace_back(column.title);
    std::string out = line(titles);
    for (const auto& row : rows_) out += line(row);
    return out;
  }

 private:
  [[nodiscard]] std::string line(const std::vector<std::string>& cells) const {
    std::string out;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string padding(widths_[i] - columns_of(cells[i]), ' ');
      out += i == 0 ? "  " : "   ";
      out += columns_[i].align == Align::right ? padding + cells[i] : cells[i] + padding;
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out + "\n";
  }

  std::vector<Column> columns_;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
};

std::string number_or_unknown(std::uint64_t value) { return value == core::kUnknown64 ? "?" : grouped(value); }

std::string and_more(std::size_t all, std::size_t shown, const char* what) {
  if (all <= shown) return {};
  return fmt::format("  ... and {} more {}; --report has all of them\n", grouped(all - shown), what);
}

// Why no protocol could describe it: advice for a known reason, else the library's own message. DLPack is asked first, and
// what the others said of a tensor of another kind explains less.
std::string refusal_text(const Snapshot& snapshot, const TensorRecord& tensor) {
  const auto refusals = Snapshot::slice(snapshot.refusals, tensor.refusals);
  if (refusals.empty()) return {};
  const core::RefusalRecord& first = refusals.front();
  const std::string_view message = snapshot.str(first.message);
  if (first.protocol == core::Protocol::file) return std::string(message);  // our own words already
  const RefusalAdvice advice = advice_on(snapshot.str(tensor.library), snapshot.str(first.type), message);
  return std::string(advice.reason.empty() ? message : advice.reason);
}

// Whole remarks, from the first on, and how many do not fit.
std::string remarks_text(const std::vector<std::string>& remarks) {
  std::string out;
  for (std::size_t i = 0; i < remarks.size(); ++i) {
    const std::size_t left = remarks.size() - i;
    const std::string more = fmt::format(" and {} more", left - 1);
    const std::size_t width = columns_of(out) + columns_of(remarks[i]) + 2 + (left > 1 ? columns_of(more) : 0);
    if (i > 0 && width > kRemarkColumns) return fmt::format("{} and {} more", out, left);
    out += (i > 0 ? ", " : "") + remarks[i];
  }
  return out;
}

// The remarks, worded as the window's badges, and the names of problems.
std::string remarks_of(const Snapshot& snapshot, const TensorRecord& tensor) {
  std::vector<std::string> notes;
  std::vector<Badge> badges;
  append_own_badges(snapshot, tensor, badges);
  for (const Badge& badge : badges) notes.push_back(badge.text);
  for (const core::RemarkRecord& remark : Snapshot::slice(snapshot.remarks, tensor.remarks)) {
    if (core::remark_kind(remark.code) == core::RemarkKind::problem) notes.emplace_back(core::remark_code_name(remark.code));
  }
  if (tensor.protocol == core::Protocol::none) {
    const std::string why = refusal_text(snapshot, tensor);
    if (!why.empty() && !notes.empty()) notes.front() += ": " + why;
  }
  for (std::string& note : notes) note = plain_text(note);
  return remarks_text(notes);
}

// Shortened by whole segments: cut in the middle, the tensors of a model would all look the same.
std::string name_text(std::string_view name, std::size_t columns = kNameColumns) {
  const std::string whole = plain_text(name);
  return fit_path(whole, static_cast<float>(columns), [](std::string_view text) { return static_cast<float>(columns_of(text)); })
      .str();
}

// A number cut in the middle would be another number: whole entries, from the first on.
std::string entries_text(const std::string& all) {
  const bool brackets = all.ends_with(')');
  const auto columns = [](std::string_view text) { return static_cast<float>(columns_of(text)); };
  if (columns_of(all) <= kEntryColumns) return all;
  return fit_entries(all, ", ", static_cast<float>(kEntryColumns - (brackets ? 1 : 0)), columns).str() + (brackets ? ")" : "");
}

std::vector<std::string> tensor_row(const Snapshot& snapshot, const TensorRecord& tensor) {
  const std::string others = tensor.names.count > 1 ? fmt::format(" (+{})", tensor.names.count - 1) : std::string();
  const std::string name = name_text(snapshot.name(tensor), kNameColumns - others.size()) + others;
  const bool shares = tensor.group != core::kNone32 && snapshot.groups[tensor.group].members.count > 1;
  const std::string group = shares ? std::to_string(tensor.group) : "-";
  const auto library = snapshot.str(tensor.library);
  if (!tensor.has_metadata)
    return {name, std::string{library}, "?", "?", "?", "?", "?", "?", group, remarks_of(snapshot, tensor)};
  const std::string strides = tensor.has_layout ? entries_text(strides_text(snapshot.layout(tensor), core::kMaxRank)) : "?";
  return {name,
          std::string{library},
          snapshot.dtype_name(tensor),
          entries_text(tuple_text(snapshot.shape(tensor))),
          tensor.rank == 0 ? "-" : strides,
          core::device_name(tensor.device),
          number_or_unknown(tensor.nbytes),
          core::has_known_address(tensor) ? core::hex(tensor.address) : "?",
          group,
          remarks_of(snapshot, tensor)};
}

std::vector<std::string> pair_row(const Snapshot& snapshot, const core::PairRecord& pair) {
  const bool known = pair.relation != core::Relation::unknown;
  const bool witness = known && pair.shared_bytes > 0;
  const std::string relation = core::relation_name(pair.relation);
  return {name_text(snapshot.name(snapshot.tensors[pair.a])),
          known ? relation : fmt::format("{}, {}", relation, core::unknown_why_name(pair.why)),
          name_text(snapshot.name(snapshot.tensors[pair.b])),
          number_or_unknown(pair.shared_bytes),
          witness ? core::hex(pair.witness) : "-",
          known ? core::overlap_method_name(pair.method) : "-"};
}

// none: there is no such number, for the reason that no_number_text() gives.
std::string number_text(const core::Number& number, const char* none) {
  using core::ValueKind;
  if (number.kind == ValueKind::signed_integer) return std::to_string(number.as_signed);
  if (number.kind == ValueKind::unsigned_integer) return std::to_string(number.as_unsigned);
  if (number.kind == ValueKind::boolean) return number.as_unsigned != 0 ? "True" : "False";
  return number.kind == ValueKind::real ? fmt::format("{:.6g}", number.real) : none;
}

// In place of a minimum, maximum, mean or standard deviation that the summary does not have.
const char* no_number_text(const core::ValueSummary& summary) {
  if (summary.count == 0) return "empty";
  if (summary.seen == 0) return "none seen";
  // Of complex values none is computed.
  return summary.nan + summary.pos_inf + summary.neg_inf < summary.seen ? "not computed" : "none finite";
}

// "none seen": a sample cannot prove that there are none.
const char* none_text(const core::ValueSummary& summary) {
  return summary.method == core::StatisticsMethod::sample ? "none seen" : "none";
}

std::string count_text(const core::ValueSummary& summary, std::uint64_t count) {
  if (count == 0) return none_text(summary);
  return grouped(count) + (summary.method == core::StatisticsMethod::sample ? " seen" : "");
}

// "-": the dtype has neither NaN nor infinity.
std::vector<std::string> statistics_row(const Snapshot& snapshot, const TensorRecord& tensor, const core::ValueSummary& s) {
  const char* const no_number = no_number_text(s);
  const auto real = [&](double value) { return std::isnan(value) ? std::string(no_number) : fmt::format("{:.6g}", value); };
  const bool integral = s.min.kind != core::ValueKind::bits && s.min.kind != core::ValueKind::real;
  const bool special = s.first_special.index != core::kNoIndex;
  return {
      name_text(snapshot.name(tensor)),
      s.method == core::StatisticsMethod::sample ? fmt::format("{} of {}", grouped(s.seen), grouped(s.count)) : grouped(s.count),
      number_text(s.min, no_number),
      number_text(s.max, no_number),
      real(s.mean),
      real(s.std),
      count_text(s, s.zero),
      integral ? "-" : count_text(s, s.nan),
      integral ? "-" : count_text(s, s.pos_inf + s.neg_inf),
      special    ? index_text(snapshot.layout(tensor), s.first_special.index)
      : integral ? "-"
                 : none_text(s)};
}

std::string no_tensors_text(const Snapshot& snapshot) {
  const std::string_view function = snapshot.str(snapshot.info.last_function);
  if (!function.empty())
    return fmt::format(
        "No tensors among the names that the script left. What was local to a function is gone when it has returned: --at "
        "{}:return\nscans just before {}() returns, while its names are there.\n",
        function, function);
  return snapshot.info.functions_returned
             ? "No tensors among the names that the script left. What was local to a function is gone when it has returned: "
               "--at LINE\nscans before a line of the function runs, while its names are there.\n"
             : "No tensors among the script's names.\n";
}

}  // namespace

std::string tensor_table(const Snapshot& snapshot, std::size_t most_rows) {
  const std::size_t all = snapshot.tensors.size();
  if (all == 0) return no_tensors_text(snapshot) + limits_reached(snapshot);
  TextTable table({{"name", kNameColumns},
                   {"library", 16},
                   {"dtype", 18},
                   {"shape", kEntryColumns},
                   {"strides", kEntryColumns},
                   {"device", 12},
                   {"bytes", 18, Align::right},
                   {"address", 18},
                   {"group", 8, Align::right},
                   {"remarks", kWhole}});
  const std::size_t shown = std::min(all, most_rows);
  for (std::size_t i = 0; i < shown; ++i) table.add(tensor_row(snapshot, snapshot.tensors[i]));
  return fmt::format("{} (strides in elements; tensors of one group share bytes, directly or through others)\n{}{}{}",
                     counted(all, "tensor", "tensors"), table.text(), and_more(all, shown, "tensors"), limits_reached(snapshot));
}

std::string sharing_table(const Snapshot& snapshot, std::size_t most_rows) {
  const std::size_t all = snapshot.pairs.size();
  if (all == 0) return no_pairs_sentence(snapshot, core::count_bytes_unknown(snapshot)) + "\n";
  TextTable table({{"a", kNameColumns},
                   {"relation", 24},
                   {"b", kNameColumns},
                   {"shared bytes", 18, Align::right},
                   {"lowest shared", 18},
                   {"decided by", 10}});
  const std::size_t shown = std::min(all, most_rows);
  for (std::size_t i = 0; i < shown; ++i) table.add(pair_row(snapshot, snapshot.pairs[i]));
  const std::string cut_short = cut_short_sentence(snapshot);
  return fmt::format("{} whose extents meet\n{}{}{}{}", counted(all, "pair", "pairs"), table.text(),
                     and_more(all, shown, "pairs"), cut_short, cut_short.empty() ? "" : "\n");
}

std::string proof_table(const core::Proof& proof, std::size_t most_rows) {
  TextTable table({{"from", kNameColumns},
                   {"to", kNameColumns},
                   {"verdict", 14},
                   {"shared bytes", 18, Align::right},
                   {"first elements", 42},
                   {"probe", 14},
                   {"why", kWhole}});
  const std::size_t all = proof.steps.size(), shown = std::min(all, most_rows);
  const auto address = [](const std::optional<core::Address>& at) { return at ? core::hex(*at) : std::string("?"); };
  for (std::size_t i = 0; i < shown; ++i) {
    const core::ProofStep& step = proof.steps[i];
    table.add({name_text(step.from), name_text(step.to), core::hand_over_name(step.verdict),
               step.shared_bytes == core::kUnknown64 ? std::string("?") : grouped(step.shared_bytes),
               fmt::format("{}, {}", address(step.from_address), address(step.to_address)), core::probe_name(step.probe),
               step.why});
  }
  std::string warnings;
  for (const core::ProofStep& step : proof.steps) {
    if (const std::string warning = unlike_writability(step); !warning.empty()) warnings += plain_text(warning) + "\n";
  }
  return fmt::format("Proof: {} over {}\n{}{}{}", core::hand_over_name(proof.verdict), counted(all, "step", "steps"), table.text(),
                     and_more(all, shown, "steps"), warnings);
}

std::string proof_evidence(const core::Proof& proof, std::size_t most_rows) {
  // These are columns of proof_table().
  static constexpr std::string_view kInTable[] = {"why", "first element", "shared bytes", "write probe"};
  std::string text;
  const std::size_t shown = std::min(proof.steps.size(), most_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    std::string lines;
    for (const auto& [label, message] : evidence_of(proof.steps[i], plain_address)) {
      if (std::ranges::find(kInTable, label) == std::end(kInTable)) lines += fmt::format("  {:<15}{}\n", label, message);
    }
    if (!lines.empty()) text += fmt::format("{} → {}\n{}", name_text(proof.steps[i].from), name_text(proof.steps[i].to), lines);
  }
  return text;
}

std::string statistics_table(const Snapshot& snapshot, std::size_t most_rows) {
  const std::size_t all = snapshot.statistics.size();
  if (all == 0) return "No tensor's values could be read.\n";
  TextTable table({{"name", kNameColumns},
                   {"values", 32, Align::right},
                   {"min", 22, Align::right},
                   {"max", 22, Align::right},
                   {"mean", 14, Align::right},
                   {"std", 14, Align::right},
                   {"zero", 20, Align::right},
                   {"NaN", 20, Align::right},
                   {"inf", 20, Align::right},
                   {"first NaN or inf", 28}});
  const std::size_t shown = std::min(all, most_rows);
  bool sampled = false;
  for (std::size_t i = 0; i < shown; ++i) {
    const core::StatisticsRecord& row = snapshot.statistics[i];
    table.add(statistics_row(snapshot, snapshot.tensors[row.tensor], row.summary));
    sampled = sampled || row.summary.method == core::StatisticsMethod::sample;
  }
  return fmt::format("Values of {} (min, max, mean and std over the finite ones{})\n{}{}", counted(all, "tensor", "tensors"),
                     sampled ? "; \"of\": a sample of them" : "", table.text(), and_more(all, shown, "tensors"));
}

}  // namespace dlscope::app
