#include "app/models/layout/axis_view.h"

#include <algorithm>
#include <cmath>

namespace dlscope::app {
namespace {

constexpr double kMargin = 0.12;  // margin of show(), as a part of what it shows

double fitting_px(const AxisLimits& limits) {
  const double all = limits.room / static_cast<double>(std::max<std::int64_t>(limits.length, 1));
  return std::min(all, limits.natural_px);
}

}  // namespace

void AxisView::fit(const AxisLimits& limits) {
  first_ = 0;
  part_ = 0;
  px_ = fitting_px(limits);
  fitted_ = true;
}

void AxisView::settle(const AxisLimits& limits) {
  if (fitted_ || px_ <= 0)
    fit(limits);
  else
    clamp(limits);
}

void AxisView::clamp(const AxisLimits& limits) {
  const double least = fitting_px(limits);
  px_ = std::clamp(px_, least, std::max(least, limits.most_px));
  const double seen = limits.room / px_;  // units
  const double spare = static_cast<double>(limits.length) - seen;
  if (spare <= 0) {
    first_ = 0;
    part_ = 0;
  } else {
    // Counted back from the end in integers, because near 2^60 a double is not exact.
    const auto whole = static_cast<std::int64_t>(std::ceil(seen));
    const std::int64_t last = limits.length - whole;
    const double last_part = static_cast<double>(whole) - seen;
    if (first_ > last || (first_ == last && part_ > last_part)) {
      first_ = last;
      part_ = last_part;
    }
    if (first_ < 0) {
      first_ = 0;
      part_ = 0;
    }
  }
  fitted_ = px_ <= least * (1 + 1e-9);
}

void AxisView::zoom(const AxisLimits& limits, double x, double factor) {
  const double least = fitting_px(limits);
  const double next = std::clamp(px_ * factor, least, std::max(least, limits.most_px));
  const double under = part_ + x / px_;  // units from first_ to the pixel
  px_ = next;
  const double left = under - x / px_;
  const double whole = std::floor(left);
  first_ += static_cast<std::int64_t>(whole);
  part_ = left - whole;
  clamp(limits);
}

void AxisView::one_to_one(const AxisLimits& limits, double x) { zoom(limits, x, limits.natural_px / px_); }

void AxisView::pan(const AxisLimits& limits, double pixels) {
  const double left = part_ - pixels / px_;
  const double whole = std::floor(left);
  first_ += static_cast<std::int64_t>(std::clamp(whole, -9e18, 9e18));
  part_ = left - whole;
  clamp(limits);
}

void AxisView::show(const AxisLimits& limits, std::int64_t begin, std::int64_t end) {
  const double units = static_cast<double>(std::max<std::int64_t>(end - begin, 1)) * (1 + 2 * kMargin);
  px_ = limits.room / units;
  px_ = std::clamp(px_, fitting_px(limits), std::max(fitting_px(limits), limits.most_px));
  const double spare = limits.room / px_ - static_cast<double>(end - begin);  // centred
  const double left = -spare * 0.5;
  const double whole = std::floor(left);
  first_ = begin + static_cast<std::int64_t>(whole);
  part_ = left - whole;
  clamp(limits);
}

void AxisView::reveal(const AxisLimits& limits, std::int64_t begin, std::int64_t units) {
  if (fitted_) return;
  const double from = x_of(begin), to = x_of(begin + units);
  if (from >= 0 && to <= limits.room) return;
  // A near target stays near that edge; a far one comes to the middle.
  const bool near = from > -limits.room * 0.5 && to < limits.room * 1.5;
  const double wanted =
      near ? std::clamp(from, 0.0, std::max(0.0, limits.room - (to - from))) : (limits.room - (to - from)) * 0.5;
  const double left = -wanted / px_;
  const double whole = std::floor(left);
  first_ = begin + static_cast<std::int64_t>(whole);
  part_ = left - whole;
  clamp(limits);
}

double AxisView::x_of(std::int64_t unit) const { return (static_cast<double>(unit - first_) - part_) * px_; }

std::int64_t AxisView::unit_at(double x) const {
  const double units = std::floor(part_ + x / px_);
  return first_ + static_cast<std::int64_t>(std::clamp(units, -4e18, 4e18));
}

}  // namespace dlscope::app
