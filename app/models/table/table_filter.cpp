#include "app/models/table/table_filter.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "app/models/tensors/memory_place.h"
#include "app/models/tensors/sharing_text.h"
#include "app/models/tensors/unpaired.h"
#include "app/models/text/address_text.h"
#include "app/models/text/characters.h"
#include "app/models/text/format.h"

namespace dlscope::app {
namespace {

using Place = FilterTerm::Place;

constexpr std::pair<std::string_view, Place> kPlaces[] = {
    {"name", Place::name},   {"library", Place::library}, {"lib", Place::library},
    {"dtype", Place::dtype}, {"device", Place::device},   {"badge", Place::badge},
    {"shape", Place::shape}, {"shares", Place::shares},   {"at", Place::at}};
constexpr const char* kPlaceList = "name: lib: dtype: device: shape: badge: shares: at:";
constexpr std::size_t kQuotedLength = 24;
constexpr std::string_view kEscapedQuote = "\\\"";

bool contains_folded(std::string_view text, std::string_view what) {
  return what.empty() || !std::ranges::search(text, what, {}, lower).empty();
}

// "int8" must not find uint8; "8" finds both.
bool dtype_matches(const std::string& dtype, std::string_view what) {
  const bool number = !what.empty() && std::isdigit(static_cast<unsigned char>(what.front())) != 0;
  return number ? dtype.find(what) != std::string::npos : dtype.starts_with(what);
}

// Whether four digits follow a blank: the next group of an address as the window writes it, "0x5581 2e40 4a80".
bool is_next_group(std::string_view rest) {
  constexpr std::size_t kGroup = 4;
  if (rest.size() <= kGroup || rest.front() != ' ' || (rest.size() > kGroup + 1 && rest[kGroup + 1] != ' ')) return false;
  return std::ranges::all_of(rest.substr(1, kGroup), [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; });
}

// Parses the filter word by word; the complaint is the first error.
class FilterReader {
 public:
  explicit FilterReader(std::string_view text) : text_(text) {}

  TableFilter read() {
    while (skip_spaces()) read_term();
    return std::move(out_);
  }

 private:
  bool skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size();
  }

  void read_term() {
    FilterTerm term;
    if (text_[at_] == '-' && at_ + 1 < text_.size() && text_[at_ + 1] != ' ') {
      term.negated = true;
      ++at_;
    }
    const std::size_t colon = place_ends();
    if (colon != std::string_view::npos) {
      const std::string_view key = text_.substr(at_, colon - at_);
      const std::string key_folded = lowered(key);
      const auto known = std::ranges::find(kPlaces, key_folded, [](const auto& p) { return p.first; });
      if (known != std::end(kPlaces)) {
        term.place = known->second;
        at_ = colon + 1;
      } else {
        complain(fmt::format("There is no “{}:” to search in, so it is searched for as typed. There are: {}", key, kPlaceList));
      }
    }
    const bool is_quoted = at_ < text_.size() && text_[at_] == '"';
    std::string word = read_word();
    if (term.place == Place::at && !is_quoted && parse_address(word)) read_groups(word);
    if (word.empty()) {
      if (term.place != Place::anywhere) complain("A word is missing after the colon at the end.");
      return;
    }
    term.text = term.place == Place::shares ? word : lowered(word);
    if (term.place == Place::at) {
      const auto address = parse_number(trimmed(word));
      if (!address)
        return complain(fmt::format("“{}” is not an address: write at:0x55812e404a80.", shortened(word, kQuotedLength)));
      term.address = *address;
    }
    out_.terms.push_back(std::move(term));
  }

  // The colon after a leading word of letters; npos: there is none.
  [[nodiscard]] std::size_t place_ends() const {
    std::size_t i = at_;
    while (i < text_.size() && std::isalpha(static_cast<unsigned char>(text_[i])) != 0) ++i;
    return i > at_ && i < text_.size() && text_[i] == ':' ? i : std::string_view::npos;
  }

  std::string read_word() {
    if (at_ < text_.size() && text_[at_] == '"') return read_quoted();
    const std::size_t begin = at_;
    at_ = std::min(text_.find(' ', begin), text_.size());
    return std::string(text_.substr(begin, at_ - begin));
  }

  void read_groups(std::string& word) {
    constexpr std::size_t kMaxDigits = 16;
    for (std::size_t digits = word.size() - 2; digits < kMaxDigits && is_next_group(text_.substr(at_)); digits += 4) {
      word += text_.substr(at_, 5);
      at_ += 5;
    }
  }

  std::string read_quoted() {
    std::string word;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        ++at_;
        return word;
      }
      if (text_.substr(at_).starts_with(kEscapedQuote)) ++at_;
      word += text_[at_];
    }
    complain("The last quote is not closed: everything after it is searched for.");
    return word;
  }

  void complain(std::string text) {
    if (out_.complaint.empty()) out_.complaint = std::move(text);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  TableFilter out_;
};

}  // namespace

TableFilter parse_filter(std::string_view text) { return FilterReader(text).read(); }

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"')
      out += kEscapedQuote;
    else
      out += c;
  }
  return out + "\"";
}

RowFilter::RowFilter(const SnapshotIndex& index, std::string_view text) : index_(index), filter_(parse_filter(text)) {
  for (const FilterTerm& term : filter_.terms) {
    needs_badges_ = needs_badges_ || term.place == Place::badge || term.place == Place::anywhere;
    find_partners(term);
  }
}

// Marks the tensors that share bytes with the tensor of that name, or else with those whose names contain it.
void RowFilter::find_partners(const FilterTerm& term) {
  std::vector<bool>& partners = partners_.emplace_back();
  if (term.place != Place::shares) return;
  const core::Snapshot& snapshot = *index_.snapshot;
  partners.resize(index_.size(), false);
  std::vector<std::uint32_t> targets;
  if (const auto exact = index_.find(term.text)) {
    targets.push_back(*exact);
  } else {
    const std::string text = lowered(term.text);
    for (std::uint32_t id = 0; id < index_.size(); ++id) {
      if (contains_folded(snapshot.name(index_.tensor(id)), text)) targets.push_back(id);
    }
  }
  if (targets.empty() && filter_.complaint.empty())
    filter_.complaint = fmt::format("No tensor is called “{}”.", shortened(term.text, kQuotedLength));
  for (const std::uint32_t target : targets) {
    for (const std::uint32_t pair : index_.pairs_of(target)) {
      if (!shares_bytes(index_.pair(pair))) break;  // pairs that share come first
      partners[partner_of(index_.pair(pair), target)] = true;
    }
  }
  if (const std::string cut_short = cut_short_sentence(snapshot); filter_.complaint.empty() && !cut_short.empty())
    filter_.complaint = cut_short + " More tensors may share than are shown.";
}

bool RowFilter::keeps(std::uint32_t tensor) { return keeps({*index_.snapshot, index_.tensor(tensor), tensor}, nullptr); }

bool RowFilter::keeps_gone(const GoneTensor& gone) {
  const core::Snapshot& before = *index_.marks.before;
  return keeps({before, before.tensors[gone.id], core::kNone32}, &gone);
}

bool RowFilter::keeps(const Row& row, const GoneTensor* gone) {
  matched_name_.reset();
  if (filter_.terms.empty()) return true;
  if (needs_badges_) fill_badges(row, gone);
  for (std::size_t i = 0; i < filter_.terms.size(); ++i) {
    if (matches(row, i) == filter_.terms[i].negated) return false;
  }
  return true;
}

void RowFilter::fill_badges(const Row& row, const GoneTensor* gone) {
  badges_.clear();
  if (gone != nullptr)
    append_gone_badge(index_, *gone, badges_);
  else
    append_badges(index_, row.id, badges_, BadgeDetail::name_only);
}

bool RowFilter::matches(const Row& row, std::size_t number) {
  const FilterTerm& term = filter_.terms[number];
  const auto& [snapshot, tensor, id] = row;
  const bool anywhere = term.place == Place::anywhere;
  if (term.place == Place::shares) return id != core::kNone32 && partners_[number][id];
  if (term.place == Place::at)
    return has_place(tensor) && tensor.extent.contains(term.address);
  if (anywhere || term.place == Place::name) {
    const auto names = core::Snapshot::slice(snapshot.names, tensor.names);
    const auto found = std::ranges::find_if(names, [&](auto n) { return contains_folded(snapshot.str(n), term.text); });
    if (found != names.end() && found != names.begin() && !term.negated)
      matched_name_ = static_cast<std::uint32_t>(found - names.begin());
    if (found != names.end()) return true;
  }
  if (anywhere || term.place == Place::library) {
    if (contains_folded(snapshot.str(tensor.library), term.text) || contains_folded(snapshot.str(tensor.type), term.text))
      return true;
  }
  if (tensor.has_metadata) {
    if (anywhere && contains_folded(snapshot.dtype_name(tensor), term.text)) return true;
    if (term.place == Place::dtype && dtype_matches(snapshot.dtype_name(tensor), term.text)) return true;
    if ((anywhere || term.place == Place::device) && contains_folded(core::device_name(tensor.device), term.text)) return true;
    if (term.place == Place::shape && contains_folded(tuple_text(snapshot.shape(tensor)), term.text)) return true;
  }
  return (anywhere || term.place == Place::badge) && badge_matches(row, term.text);
}

bool RowFilter::badge_matches(const Row& row, std::string_view text) const {
  if (row.tensor.has_layout && contains_folded(contiguity_text(row.tensor.contiguity), text)) return true;
  return std::ranges::any_of(badges_, [&](const Badge& b) { return contains_folded(b.text, text); });
}

}  // namespace dlscope::app
