#include "app/models/hex/hex_rows.h"

namespace dlscope::app {
namespace {

core::Address back(core::Address from, core::Address first, std::uint64_t by) { return from - std::min(from - first, by); }
core::Address on(core::Address from, core::Address last, std::uint64_t by) { return from + std::min(last - from, by); }

}  // namespace

core::Address stepped(const HexRows& rows, core::Address cursor, HexStep step, std::uint64_t page) {
  cursor = rows.clamp(cursor);
  const unsigned column = HexRows::column_of(cursor, rows.width);
  // Steps of whole rows keep the column; near an end they go as far as whole rows fit.
  const auto rows_back = [&](std::uint64_t count) { return std::min(count, (cursor - rows.first) / rows.width) * rows.width; };
  const auto rows_on = [&](std::uint64_t count) { return std::min(count, (rows.last - cursor) / rows.width) * rows.width; };
  switch (step) {
    case HexStep::left:
      return back(cursor, rows.first, 1);
    case HexStep::right:
      return on(cursor, rows.last, 1);
    case HexStep::up:
      return cursor - rows_back(1);
    case HexStep::down:
      return cursor + rows_on(1);
    case HexStep::page_up:
      return cursor - rows_back(page);
    case HexStep::page_down:
      return cursor + rows_on(page);
    case HexStep::row_begin:
      return back(cursor, rows.first, column);
    case HexStep::row_end:
      return on(cursor, rows.last, rows.width - 1 - column);
    case HexStep::first:
      return rows.first;
    case HexStep::last:
      return rows.last;
  }
  return cursor;
}

}  // namespace dlscope::app
