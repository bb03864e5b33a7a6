#include "core/files/npy_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "core/files/python_text.h"
#include "core/tensor/dtype_format.h"
#include "core/tensor/item_format.h"
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

  [[nodiscard]] std::optional<Literal> text() {
    auto taken = take_python_text(rest_);
    if (!taken) return std::nullopt;
    Literal out;
    out.kind = Literal::Kind::text;
    out.text = std::move(*taken);
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

NpyType refused(std::string why) { return {.dtype = std::nullopt, .why_not = std::move(why)}; }
NpyType refused_objects() { return refused("it holds pickled Python objects, and dlscope runs no code from a file"); }
NpyType item_type(ItemType item) {
  const DType dtype = dtype_of_item(item.bytes);
  return {.dtype = dtype, .item = std::make_shared<const ItemType>(std::move(item))};
}

// The order of a type of single bytes may be left out.
std::string with_order(std::string_view typestr) {
  const bool has_order = !typestr.empty() && std::string_view("<>|=").find(typestr.front()) != std::string_view::npos;
  return fmt::format("{}{}", has_order ? "" : "|", typestr);
}

bool is_object(std::string_view with_order) { return with_order.size() > 1 && with_order[1] == 'O'; }
bool has_objects(const std::vector<DescribedMember>& members) {
  return std::ranges::any_of(members, [](const DescribedMember& member) {
    return member.typestr.empty() ? has_objects(member.members) : is_object(member.typestr);
  });
}

bool add_shape(const Literal& shape, std::vector<std::uint32_t>& out) {
  for (const Literal& n : shape.items) {
    if (n.kind != Literal::Kind::number || n.number < 0 || n.number > kMaxItemBytes) return false;
    out.push_back(static_cast<std::uint32_t>(n.number));
  }
  return shape.kind == Literal::Kind::sequence && out.size() <= static_cast<std::size_t>(kMaxRank);
}

bool add_members(const Literal& list, std::vector<DescribedMember>& out);

// The type of a member: a typestr, a list of members, or a tuple of one of these and the shape of a sub-array.
bool describe_member(const Literal& type, DescribedMember& out) {
  if (type.kind == Literal::Kind::text) out.typestr = with_order(type.text);
  if (type.kind == Literal::Kind::text) return true;
  if (type.kind != Literal::Kind::sequence) return false;
  if (type.is_list) return add_members(type, out.members);
  return type.items.size() == 2 && add_shape(type.items[1], out.shape) && describe_member(type.items[0], out);
}

// [('a', '<i4'), ('', '|V4'), (('title', 'b'), [('x', '<f4')], (2, 3))]
bool add_members(const Literal& list, std::vector<DescribedMember>& out) {
  for (const Literal& entry : list.items) {
    const bool is_entry = entry.kind == Literal::Kind::sequence && (entry.items.size() == 2 || entry.items.size() == 3);
    if (!is_entry) return false;
    const Literal& name = entry.items[0].items.size() == 2 ? entry.items[0].items[1] : entry.items[0];
    DescribedMember& member = out.emplace_back();
    member.name = name.text;
    if (name.kind != Literal::Kind::text || (entry.items.size() == 3 && !add_shape(entry.items[2], member.shape)) ||
        !describe_member(entry.items[1], member))
      return false;
  }
  return true;
}

bool is_empty_text(std::string_view with_order) {
  return with_order.size() == 3 && std::string_view("SUVa").find(with_order[1]) != std::string_view::npos && with_order[2] == '0';
}
bool has_empty_texts(const std::vector<DescribedMember>& members) {
  return std::ranges::any_of(members, [](const DescribedMember& member) {
    return member.typestr.empty() ? has_empty_texts(member.members) : is_empty_text(member.typestr);
  });
}

// Of a record whose members follow one another. nullopt: one of them is not known, or they take more than an item may have.
std::optional<std::uint32_t> bytes_of(const std::vector<DescribedMember>& members) {
  std::uint64_t all = 0;
  for (const DescribedMember& member : members) {
    std::uint64_t bytes = 0;
    if (member.typestr.empty()) {
      const auto inner = bytes_of(member.members);
      if (!inner) return std::nullopt;
      bytes = *inner;
    } else if (!is_empty_text(member.typestr)) {
      const NpyType type = npy_type(member.typestr);
      if (!type.dtype) return std::nullopt;
      bytes = type.dtype->item_bits() / 8;
    }
    for (const std::uint32_t n : member.shape) bytes = std::min<std::uint64_t>(bytes * n, kMaxItemBytes + 1u);
    all += bytes;
    if (all > kMaxItemBytes) return std::nullopt;
  }
  return static_cast<std::uint32_t>(all);
}

NpyType record_type(const Literal& list) {
  std::vector<DescribedMember> members;
  if (!add_members(list, members)) return refused("dlscope cannot read the description of its records");
  if (has_objects(members)) return refused_objects();
  // NumPy has fields of 0 bytes, ItemType has not: plain bytes then, as for the same array in memory.
  if (const auto bytes = bytes_of(members); has_empty_texts(members) && bytes.value_or(0) > 0) return item_type(raw_item(*bytes));
  auto item = item_of_members(members);
  return item ? item_type(std::move(*item)) : refused("dlscope cannot read its records: " + item.error().message);
}

}  // namespace

NpyType npy_type(std::string_view typestr) {
  const std::string descr = with_order(typestr);
  if (is_object(descr)) return refused_objects();
  if (const auto number = dtype_of_typestr(descr); number && !is_long_double(*number)) return {.dtype = *number};
  auto item = item_of_typestr(descr);
  return item ? item_type(std::move(*item)) : refused(fmt::format("dlscope does not know the dtype '{:.40}'", typestr));
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
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  const auto fields = parse_fields(byte(6) < 3 ? utf8_of_latin1(text) : std::string(text));
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
  header.type = is_list ? record_type(descr) : npy_type(descr.text);
  return header;
}

}  // namespace dlscope::core
