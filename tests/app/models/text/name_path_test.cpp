#include "app/models/text/name_path.h"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace dlscope::app {
namespace {

float characters(std::string_view text) {
  float count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1.0F : 0.0F;
  return count;
}

std::vector<std::string> segments(std::string_view name) {
  const auto starts = segment_starts(name);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < starts.size(); ++i)
    out.emplace_back(name.substr(starts[i], i + 1 < starts.size() ? starts[i + 1] - starts[i] : std::string_view::npos));
  return out;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("a name path falls into segments, and brackets keep what is in them", "[app][models]") {
  CHECK(segments("").empty());
  CHECK(segments("x") == Words{"x"});
  CHECK(segments("net.layers[0].weight") == Words{"net", ".layers", "[0]", ".weight"});
  CHECK(segments("d['a.b]['][(1, 2)].x") == Words{"d", "['a.b][']", "[(1, 2)]", ".x"});
  CHECK(segments("s<0>[1]") == Words{"s", "<0>", "[1]"});
  CHECK(segments("main().x") == Words{"main()", ".x"});
  CHECK(segments("f()#2.x") == Words{"f()#2", ".x"});
  CHECK(segments("x[::-1]") == Words{"x", "[::-1]"});
  CHECK(segments("a]b[") == Words{"a]b", "["});
  CHECK(segments("net..x") == Words{"net", ".", ".x"});  // an attribute whose name is empty
  CHECK(without_dot(".x") == "x");
  CHECK(without_dot(".") == ".");
  CHECK(segments(std::string(5000, '.')).size() == kMaxSegments);
}

TEST_CASE("a name gives way by whole segments, its end last", "[app][models]") {
  const std::string name = "net.layers[2].norm2.weight";
  const auto fitted = [&](float room) { return fit_path(name, room, characters).str(); };
  CHECK(fitted(26) == name);
  CHECK(fitted(25) == "net…[2].norm2.weight");
  CHECK(fitted(20) == "net…[2].norm2.weight");
  CHECK(fitted(19) == "…[2].norm2.weight");  // of which layer says more than of which model
  CHECK(fitted(17) == "…[2].norm2.weight");
  CHECK(fitted(16) == "net…norm2.weight");
  CHECK(fitted(13) == "…norm2.weight");
  CHECK(fitted(12) == "[2]…weight");  // of which layer also says more than nothing
  CHECK(fitted(10) == "[2]…weight");
  CHECK(fitted(9) == "…weight");
  CHECK(fitted(7) == "…weight");
  CHECK(fitted(6) == "…eight");  // never without the ellipsis: that would be the whole name of another tensor
  CHECK(fitted(0).empty());
  for (float room = 0; room < 30; ++room) CHECK(characters(fitted(room)) <= room);
}

TEST_CASE("a number that is no index of the path is not put before the last segment", "[app][models]") {
  CHECK(fit_path("net[2].weight", 10, characters).str() == "…weight");  // nothing lies between: "[2]…weight" would say so
  CHECK(fit_path("state['a key'].more.x", 9, characters).str() == "…more.x");
  CHECK(fit_path("state['a key'].more.x", 6, characters).str() == "…x");
  CHECK(fit_path("a[12].bbbb.c", 6, characters).str() == "[12]…c");
}

TEST_CASE("a name in a sentence loses whole segments, never the number of its layer for the first letters", "[app][models]") {
  const std::string name = "net.encoder.layers[3].self_attn.in_proj_weight";
  CHECK(shortened_name(name, 60) == name);
  CHECK(shortened_name(name, 40) == "net…layers[3].self_attn.in_proj_weight");
  CHECK(shortened_name(name, 30) == "…[3].self_attn.in_proj_weight");
  CHECK(shortened_name("d['ключ'].x", 11) == "d['ключ'].x");  // code points, not bytes
  CHECK(shortened_name("", 40).empty());
}

TEST_CASE("an item of a list whose path has no room is not written as if it were the whole name", "[app][models]") {
  const auto fitted = [](float room) { return fit_path("optimizer.param_groups[0]['params'][25]", room, characters); };
  CHECK(fitted(5).str() == "…[25]");
  CHECK(fitted(4).str() == "…25]");
  CHECK(fitted(4).cut);
  CHECK(fit_path("x.\xad", 0, characters).str().empty());  // half a character, which takes no room
  for (float room = 1; room < 40; ++room) CHECK((fitted(room).cut || fitted(room).str().empty() || room >= 39));
}

TEST_CASE("a small label says a whole segment, or nothing that could not be told from others", "[app][models]") {
  const auto fitted = [](std::string_view name, float room) { return fit_short_path(name, room, characters).str(); };
  CHECK(fitted("net.weight", 10) == "net.weight");
  CHECK(fitted("net.weight", 7) == "…weight");
  CHECK(fitted("net.weight", 6) == "weight");
  CHECK(fitted("net.weight", 5).empty());
  CHECK(fitted("s['exp_avg']", 12) == "s['exp_avg']");
  CHECK(fitted("s['exp_avg']", 11) == "exp_avg");
  CHECK(fitted("s['exp_avg']", 7) == "exp_avg");
  CHECK(fitted("s['exp_avg']", 6).empty());
  CHECK(fitted("s[\"a\"]", 1) == "a");
  CHECK(fitted("net[12]", 5) == "…[12]");
  CHECK(fitted("net[12]", 4).empty());
  CHECK(fitted("rows[0, 1]", 10) == "rows[0, 1]");
  CHECK(fitted("rows[0, 1]", 9) == "…[0, 1]");
  CHECK(fitted("rows[0, 1]", 6).empty());  // "[0, 1]" would not be seen to be cut
  CHECK(fitted("[0, 1]", 6) == "[0, 1]");    // all of its name
  CHECK(fitted("activations_of_the_last", 9) == "acti…last");
  CHECK(fitted("activations_of_the_last", 6).empty());
  CHECK(fitted("", 5).empty());
  for (float room = 0; room < 30; ++room) CHECK(characters(fitted("net.layers[2]['a key'].norm2", room)) <= room);
}

TEST_CASE("shapes give way by whole entries at the end, never within a number", "[app][models]") {
  const auto fitted = [](float room) { return fit_entries("128 × 64 × 32", " × ", room, characters).str(); };
  CHECK(fitted(13) == "128 × 64 × 32");
  CHECK(fitted(12) == "128 × 64 × …");
  CHECK(fitted(11) == "128 × …");
  CHECK(fitted(7) == "128 × …");
  CHECK(fitted(6) == "…");
}

}  // namespace dlscope::app
