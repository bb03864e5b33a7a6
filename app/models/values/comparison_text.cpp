#include "app/models/values/comparison_text.h"

#include <fmt/format.h>

#include <cmath>

#include "app/models/text/format.h"

namespace dlscope::app {
namespace {

// Of an error, which is not below 0. A whole number has all its digits as far as 64-bit integers differ; "≈": a double may have been
// rounded to hold it.
std::string number_text(double number) {
  constexpr double kExact = 9'007'199'254'740'992, kMost = 18'446'744'073'709'551'616.0;  // 2^53, 2^64
  if (number != std::floor(number) || number > kMost) return fmt::format("{:.6g}", number);
  if (number < kExact) return grouped(static_cast<std::uint64_t>(number));
  return "≈ " + grouped(number < kMost ? static_cast<std::uint64_t>(number) : ~std::uint64_t{0});
}

// "0.42 %"; never rounded to 0 % or 100 %.
std::string share_text(std::uint64_t part, std::uint64_t all) {
  if (part == all) return "all of them";
  const double percent = static_cast<double>(part) / static_cast<double>(all) * 100;
  return percent < 0.01 ? "less than 0.01 %" : percent > 99.99 ? "more than 99.99 %" : fmt::format("{:.2f} %", percent);
}

// " PyTorch means the conjugate of what is stored in B."; "" where both mean what is stored.
std::string meaning_of_signs(core::SignBits a, core::SignBits b) {
  const auto of = [](core::SignBits signs, const char* where) {
    const char* const meant = !signs.negate    ? "the conjugate"
                              : signs.conjugate ? "the negative conjugate"
                                                : "the negative";
    return fmt::format("{} of what is stored in {}", meant, where);
  };
  if (!a.any() && !b.any()) return {};
  if (a == b) return fmt::format(" PyTorch means {}.", of(a, "both"));
  return fmt::format(" PyTorch means {}{}{}.", a.any() ? of(a, "A") : "", a.any() && b.any() ? " and " : "",
                     b.any() ? of(b, "B") : "");
}

class Writer {
 public:
  Writer(const core::Comparison& found, core::LayoutView layout, core::Tolerance tolerance)
      : found_(found), layout_(layout), tolerance_(tolerance) {}

  [[nodiscard]] ComparisonText text(const ComparedType& a, const ComparedType& b) {
    const auto first = found_.first ? found_.first : found_.first_bits;
    if (first) out_.first = *first / found_.lanes;
    give_verdict(a, b);
    if (found_.values > 0) out_.verdict += meaning_of_signs(a.signs, b.signs);
    give_figures();
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool has_tolerance() const { return tolerance_ != core::Tolerance{}; }
  [[nodiscard]] std::string values(std::uint64_t count) const { return counted(count, "value", "values"); }
  [[nodiscard]] std::string place(std::uint64_t value) const { return index_text(layout_, value / found_.lanes); }

  [[nodiscard]] std::optional<std::uint64_t> element_of(std::optional<std::uint64_t> value) const {
    return value ? std::optional(*value / found_.lanes) : std::nullopt;
  }

  void give_verdict(const ComparedType& a, const ComparedType& b) {
    if (found_.values == 0) return verdict(Tone::good, "Both are empty.");
    // Sign bits, the byte order, a byte for each value of fewer than 8 bits.
    if (found_.bit_equal() && (a.signs != b.signs || a.dtype != b.dtype))
      return verdict(Tone::warn, fmt::format("Equal values, stored differently: {}.", values(found_.values)));
    if (found_.bit_equal()) return verdict(Tone::good, fmt::format("Bit-equal: {} with the same bits.", values(found_.values)));
    if (found_.different == 0 && found_.same_dtype)
      return verdict(Tone::warn,
                     fmt::format("Equal values, not equal bits: {} in bits only, the first at {}. Examples are 0 and -0, and NaN "
                                 "with different bits.",
                                 counted(found_.different_bits, "value differs", "values differ"), place(*found_.first_bits)));
    if (found_.different == 0)
      return verdict(Tone::good, fmt::format("Equal values: {} hold the same numbers as {} and as {}.", values(found_.values),
                                             a.dtype, b.dtype));
    const std::string differ = fmt::format("{} of {} differ ({})", grouped(found_.different), values(found_.values),
                                           share_text(found_.different, found_.values));
    if (has_tolerance() && found_.outside == 0)
      return verdict(Tone::good, fmt::format("Within the tolerance: {}, none by more than it allows.", differ));
    if (has_tolerance())
      return verdict(Tone::bad, fmt::format("Different: {}, {} of them by more than the tolerance; the first at {}.", differ,
                                            grouped(found_.outside), place(*found_.first)));
    verdict(Tone::bad, fmt::format("Different: {}, the first at {}.", differ, place(*found_.first)));
  }

  void verdict(Tone tone, std::string message) {
    out_.tone = tone;
    out_.verdict = std::move(message);
  }

  void give_figures() {
    const auto error = [&](const char* label, const core::WorstError& worst, const char* meaning) {
      if (worst.value) add(label, number_text(worst.size), *worst.value / found_.lanes, meaning);
    };
    add("values", grouped(found_.values), {}, "Compared: elements, and lanes of vector elements.");
    if (found_.different > 0)
      add("different", grouped(found_.different), element_of(found_.first), "As numbers. NaN equals NaN, 0 equals -0.");
    if (found_.same_dtype && found_.different_bits != found_.different)
      add("other bits", grouped(found_.different_bits), element_of(found_.first_bits),
          "Values whose bits differ, whether the numbers do or not.");
    if (has_tolerance())
      add("outside tolerance", grouped(found_.outside), {}, "|A - B| is more than absolute + relative · |B|, or one is NaN.");
    error("largest |A - B|", found_.absolute, "The largest absolute error, NaN left out.");
    error("largest |A - B| / |B|", found_.relative, "The largest error relative to B, NaN left out; infinite where B is 0.");
    error("largest ULP", found_.ulps, "Numbers of the dtype from the one to the other; finite values only.");
    if (found_.both_nan > 0) add("NaN in both", grouped(found_.both_nan), {}, "Counted as equal.");
    if (found_.one_nan > 0)
      add("NaN in one", grouped(found_.one_nan), {}, "Among the different ones; they have no error in numbers.");
    const char* const hash = "Of dtype, shape and bits, whatever the strides: equal content has equal hashes. Not cryptographic.";
    if (found_.hash_a) add("hash of A", fmt::format("{:016x}", *found_.hash_a), {}, hash);
    if (found_.hash_b) add("hash of B", fmt::format("{:016x}", *found_.hash_b), {}, hash);
  }

  void add(std::string label, std::string value, std::optional<std::uint64_t> element, std::string meaning) {
    out_.figures.push_back({std::move(label), std::move(value), element, std::move(meaning)});
  }

  const core::Comparison& found_;
  core::LayoutView layout_;
  core::Tolerance tolerance_;
  ComparisonText out_;
};

}  // namespace

ComparisonText comparison_text(const core::Comparison& found, core::LayoutView layout, core::Tolerance tolerance,
                               const ComparedType& a, const ComparedType& b) {
  return Writer(found, layout, tolerance).text(a, b);
}

}  // namespace dlscope::app
