#include "core/wire/reduce_payload.h"

#include <cmath>

#include "core/tensor/layout.h"

namespace dlscope::core::wire {
namespace {

constexpr std::size_t kTexelBytes = 3 * sizeof(double) + 1;

void put_axes(PayloadWriter& out, const std::vector<std::uint8_t>& axes) {
  out.number(static_cast<std::uint8_t>(axes.size()));
  out.numbers(std::span<const std::uint8_t>(axes));
}
void get_axes(PayloadReader& in, std::vector<std::uint8_t>& axes) {
  const auto count = in.number<std::uint8_t>();
  if (count > kMaxRank) return in.fail();
  axes.resize(count);
  in.numbers(std::span<std::uint8_t>(axes));
}

}  // namespace

void put(PayloadWriter& out, const CellAxes& axes) {
  for (const auto* const list : {&axes.down, &axes.across}) put_axes(out, *list);
  out.number(static_cast<std::uint8_t>(axes.reduced.size()));
  for (const ReducedAxis& reduced : axes.reduced) {
    out.number(reduced.axis);
    out.number(static_cast<std::uint8_t>(reduced.value));
  }
  out.number(static_cast<std::uint8_t>(axes.lanes));
  out.flag(axes.channel.has_value());
  out.number(axes.channel.value_or(0));
  out.number(static_cast<std::uint8_t>(axes.at.size()));
  out.numbers(std::span<const std::int64_t>(axes.at));
}
void get(PayloadReader& in, CellAxes& axes) {
  for (auto* const list : {&axes.down, &axes.across}) get_axes(in, *list);
  const auto reduced = in.number<std::uint8_t>();
  if (reduced > kMaxRank) return in.fail();
  axes.reduced.resize(reduced);
  for (ReducedAxis& one : axes.reduced) one = {in.number<std::uint8_t>(), in.choice(CellValue::max)};
  axes.lanes = in.choice(CellValue::max);
  const bool has_channels = in.flag();
  const auto channel = in.number<std::uint8_t>();
  axes.channel = has_channels ? std::optional(channel) : std::nullopt;
  const auto rank = in.number<std::uint8_t>();
  if (rank > kMaxRank) return in.fail();
  axes.at.resize(rank);
  in.numbers(std::span<std::int64_t>(axes.at));
}

void put(PayloadWriter& out, const CellWindow& w) {
  for (const std::int64_t number : {w.row, w.column, w.rows, w.columns, w.row_step, w.column_step}) out.number(number);
}
void get(PayloadReader& in, CellWindow& w) {
  for (std::int64_t* const number : {&w.row, &w.column, &w.rows, &w.columns, &w.row_step, &w.column_step})
    *number = in.number<std::int64_t>();
  if (w.row < 0 || w.column < 0 || w.rows < 0 || w.columns < 0 || w.row_step < 1 || w.column_step < 1) in.fail();
}

void put(PayloadWriter& out, const Texels& m) {
  for (const std::uint32_t number : {m.rect.row, m.rect.column, m.rect.rows, m.rect.columns}) out.number(number);
  out.number(m.channels);
  out.number(static_cast<std::uint8_t>(m.method));
  out.flag(m.repeats_down);
  out.flag(m.repeats_across);
  for (const auto* const values : {&m.min, &m.max, &m.mean}) out.numbers(std::span<const double>(*values));
  out.numbers(std::span<const std::uint8_t>(m.flags));
}
void get(PayloadReader& in, Texels& m) {
  TexelRect rect;
  for (std::uint32_t* const number : {&rect.row, &rect.column, &rect.rows, &rect.columns}) *number = in.number<std::uint32_t>();
  const auto channels = in.number<std::uint32_t>();
  const auto method = in.choice(TexelMethod::exact);
  m.repeats_down = in.flag();
  m.repeats_across = in.flag();
  const bool fits =
      rect.rows <= kMaxTexelsOneWay && rect.columns <= kMaxTexelsOneWay && channels >= 1 && channels <= kMaxChannels;
  if (!fits || in.left() < rect.size() * channels * kTexelBytes) return in.fail();
  m.resize(rect, channels);
  m.method = method;
  for (auto* const values : {&m.min, &m.max, &m.mean}) in.numbers(std::span<double>(*values));
  in.numbers(std::span<std::uint8_t>(m.flags));
  // The drawing code does arithmetic with these.
  for (std::size_t i = 0; i < m.size(); ++i) {
    if (!std::isfinite(m.min[i]) || !std::isfinite(m.max[i]) || !std::isfinite(m.mean[i])) return in.fail();
  }
}

}  // namespace dlscope::core::wire
