#include "core/tensor/complex_text.h"

namespace dlscope::core {
namespace {

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Where the imaginary part begins: its sign is the last one that is not an exponent's. npos: there is none.
std::size_t last_sign(std::string_view text) {
  for (std::size_t at = text.size(); at-- > 0;) {
    const bool is_sign = text[at] == '+' || text[at] == '-';
    if (is_sign && (at == 0 || (text[at - 1] != 'e' && text[at - 1] != 'E'))) return at;
  }
  return std::string_view::npos;
}

// A sign may stand apart from its number: "1 - 2j".
std::string imaginary_part(std::string_view text) {
  std::string sign;
  if (text.starts_with('+') || text.starts_with('-')) {
    sign = text.front();
    text = without_spaces(text.substr(1));
  }
  return text.empty() ? sign + "1" : sign + std::string(text);  // "j" means 1j
}

}  // namespace

ComplexText split_complex(std::string_view text) {
  text = without_spaces(text);
  if (text.starts_with('(') && text.ends_with(')')) text = without_spaces(text.substr(1, text.size() - 2));
  if (!text.ends_with('j') && !text.ends_with('J')) return {std::string(text), "0"};
  text.remove_suffix(1);
  const std::size_t split = last_sign(text);
  const std::string_view real = split == std::string_view::npos ? std::string_view() : without_spaces(text.substr(0, split));
  if (real.empty()) return {"0", imaginary_part(without_spaces(text))};
  return {std::string(real), imaginary_part(text.substr(split))};
}

}  // namespace dlscope::core
