#include "core/files/npy_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "core/tensor/layout.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kMaxHeaderBytes = std::uint64_t{1} << 20;  // NumPy's own default limit is 10 000
constexpr std::string_view kMagic = "\x93NUMPY";
constexpr int kMaxNesting = 16;

std::unexpected<Error> malformed(std::string_view what) { return fail(ErrorKind::invalid, fmt::format("its header {}", what)); }

// A Python literal of the kinds that occur in headers.
struct Literal {
  enum class Kind : std::uint8_t { text, number, truth, sequence } kind = Kind::number;
  std::string text;
  std::int64_t number = 0;  // of a bool: 0 or 1
  std::vector<Literal> items;
  bool is_list = false;
};

class LiteralParser {
 public:
  explicit LiteralParser(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool at(char c) {
    skip_blanks();
    return !rest_.empty() && rest_.front() == c;
  }
  bool take(char c) {
    if (!at(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  [[nodiscard]] bool ended() {
    skip_blanks();
    return rest_.empty();
  }

  [[nodiscard]] std::optional<Literal> value(int depth = 0) {
    if (depth > kMaxNesting) return std::nullopt;
    if (at('\'') || at('"')) return text();
    if (at('(') || at('[')) return sequence(depth);
    for (const auto& [word, truth] : {std::pair{std::string_view("True"), 1}, {std::string_view("False"), 0}}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      Literal out;
      out.kind = Literal::Kind::truth;
      out.number = truth;
      return out;
    }
    return number();
  }

 private:
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n\f"), rest_.size())); }

  // Escapes are not decoded: they do not occur in dtypes, and a field's name is only shown.
  [[nodiscard]] std::optional<Literal> text() {
    const char quote = rest_.front();
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) return std::nullopt;
    Literal out;
    out.kind = Literal::Kind::text;
    out.text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return out;
  }

  [[nodiscard]] std::optional<Literal> sequence(int depth) {
    Literal out;
    out.kind = Literal::Kind::sequence;
    out.is_list = rest_.front() == '[';
    const char close = out.is_list ? ']' : ')';
    rest_.remove_prefix(1);
    while (!take(close)) {
      auto item = value(depth + 1);
      if (!item) return std::nullopt;
      out.items.push_back(std::move(*item));
      if (!take(',') && !at(close)) return std::nullopt;
    }
    return out;
  }

  [[nodiscard]] std::optional<Literal> number() {
    Literal out;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out.number);
    if (error != std::errc{}) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (rest_.starts_with('L')) rest_.remove_prefix(1);  // Python 2 wrote long integers so
    return out;
  }

  std::string_view rest_;
};

struct Fields {
  std::optional<Literal> descr, fortran_order, shape;
};

Result<Fields> parse_fields(std::string_view text) {
  LiteralParser parser(text);
  Fields fields;
  if (!parser.take('{')) return malformed("is not a dictionary");
  while (!parser.take('}')) {
    auto key = parser.value();
    if (!key || key->kind != Literal::Kind::text || !parser.take(':')) return malformed("is not a dictionary");
    auto value = parser.value();
    if (!value) return malformed(fmt::format("has a value of '{:.40}' that cannot be read", key->text));
    std::optional<Literal>* const field = key->text == "descr"           ? &fields.descr
                                          : key->text == "fortran_order" ? &fields.fortran_order
                                          : key->text == "shape"         ? &fields.shape
                                                                         : nullptr;
    if (field == nullptr || field->has_value())
      return malformed(fmt::format("has an unknown or repeated key '{:.40}'", key->text));
    *field = std::move(*value);
    if (!parser.take(',') && !parser.at('}')) return malformed("is not a dictionary");
  }
  if (!parser.ended()) return malformed("goes on after its dictionary");
  if (!fields.descr || !fields.fortran_order || !fields.shape) return malformed("lacks descr, fortran_order or shape");
  return fields;
}

NpyType refused(std::string why, std::uint64_t item_bytes = 0) { return {std::nullopt, std::move(why), item_bytes}; }

}  // namespace

NpyType npy_type(std::string_view descr, bool is_list) {
  if (is_list) return refused("structured arrays have no DLPack dtype");
  const auto unknown = [&] { return refused(fmt::format("dlscope does not know the dtype '{:.40}'", descr)); };
  if (descr.size() < 2) return unknown();
  const bool has_order = std::string_view("<>|=").find(descr.front()) != std::string_view::npos;
  const char order = has_order ? descr.front() : '|';
  if (has_order) descr.remove_prefix(1);
  if (descr.empty()) return unknown();
  const char kind = descr.front();
  if (kind == 'O') return refused("it holds pickled Python objects, and dlscope runs no code from a file");
  std::uint64_t size = 0;
  const auto [end, error] = std::from_chars(descr.data() + 1, descr.data() + descr.size(), size);
  if (error != std::errc{} || size == 0 || size > (std::uint64_t{1} << 31)) return unknown();
  if (kind == 'M' || kind == 'm') return refused("dates and times have no DLPack dtype", size);
  if (kind == 'U' || kind == 'S' || kind == 'a') return refused("text has no DLPack dtype", kind == 'U' ? size * 4 : size);
  if (kind == 'V') return refused("raw bytes have no DLPack dtype", size);
  if (end != descr.data() + descr.size()) return unknown();
  constexpr std::string_view kKinds = "iufcb";
  constexpr DTypeCode kCodes[] = {DTypeCode::int_, DTypeCode::uint, DTypeCode::float_, DTypeCode::complex, DTypeCode::bool_};
  const std::size_t index = kKinds.find(kind);
  if (index == std::string_view::npos || size > 16) return unknown();
  const DType dtype{static_cast<std::uint8_t>(kCodes[index]), static_cast<std::uint8_t>(size * 8), 1};
  if (!dtype_is_known(dtype)) return unknown();
  if (order == '>' && size > 1) return refused(fmt::format("big-endian {} has no DLPack dtype", dtype_name(dtype)), size);
  return {dtype, {}, size};
}

Result<NpyHeader> read_npy_header(const ReadBytes& read) {
  const auto start = read(0, 12);
  if (!start) return fail(ErrorKind::invalid, "it is not a .npy file: " + start.error().message);
  if (std::memcmp(start->data(), kMagic.data(), kMagic.size()) != 0) return fail(ErrorKind::invalid, "it is not a .npy file");
  const auto byte = [&](std::size_t i) { return static_cast<std::uint64_t>((*start)[i]); };
  if (byte(6) < 1 || byte(6) > 3 || byte(7) != 0) {
    return fail(ErrorKind::unsupported,
                fmt::format("it has version {}.{} of the .npy format; 1.0 to 3.0 are known", byte(6), byte(7)));
  }
  const bool is_short = byte(6) == 1;
  const std::uint64_t length = is_short ? byte(8) | byte(9) << 8 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  const std::uint64_t begin = is_short ? 10 : 12;
  if (length > kMaxHeaderBytes) return malformed(fmt::format("claims to have {} bytes", length));
  const auto bytes = read(begin, length);
  if (!bytes) return malformed("is cut off");
  const auto fields = parse_fields({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  if (!fields) return std::unexpected(fields.error());
  NpyHeader header;
  header.data_offset = begin + length;
  if (fields->fortran_order->kind != Literal::Kind::truth) return malformed("has a fortran_order other than True or False");
  header.fortran_order = fields->fortran_order->number != 0;
  const Literal& shape = *fields->shape;
  if (shape.kind != Literal::Kind::sequence || shape.items.size() > static_cast<std::size_t>(kMaxRank))
    return malformed(fmt::format("has a shape that is not a tuple of at most {} numbers", kMaxRank));
  for (const Literal& n : shape.items) {
    if (n.kind != Literal::Kind::number || n.number < 0) return malformed("has a shape with an invalid size");
    header.shape.push_back(n.number);
  }
  const Literal& descr = *fields->descr;
  const bool is_list = descr.kind == Literal::Kind::sequence && descr.is_list;
  if (descr.kind != Literal::Kind::text && !is_list) return malformed("has a descr that is not a dtype");
  header.type = npy_type(descr.text, is_list);
  return header;
}

}  // namespace dlscope::core
