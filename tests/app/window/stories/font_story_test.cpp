// Text in any script: a font of the system where one has it, else the number of the code point in a box.
#include <imgui_internal.h>

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "app/widgets/system_fonts.h"
#include "tests/app/window/stories/story.h"

namespace dlscope::tests {
namespace {

constexpr ImWchar kOfNobody = 0xF1234;  // private use: no font has it
constexpr ImWchar kChinese = 0x4E2D, kJapanese = 0x3042, kKorean = 0xD55C;
constexpr ImWchar kSmile = 0x1F600;     // a face: DejaVu has it without colours
constexpr ImWchar kNewEmoji = 0x1FAE8;  // of 2022: in fonts with colours only
constexpr float kSize = 15;  // a dot of a box is a pixel

const ImFontGlyph* glyph(ImFont* font, ImWchar c) { return font->GetFontBaked(kSize)->FindGlyph(c); }

// The glyph's pixels as they lie in the atlas, a character each.
std::string picture_of(const ImFontGlyph& glyph) {
  const ImTextureData& texture = *ImGui::GetIO().Fonts->TexData;
  const auto left = static_cast<int>(glyph.U0 * static_cast<float>(texture.Width) + 0.5F);
  const auto top = static_cast<int>(glyph.V0 * static_cast<float>(texture.Height) + 0.5F);
  std::string out;
  for (int y = 0; y < static_cast<int>(glyph.Y1 - glyph.Y0); ++y) {
    for (int x = 0; x < static_cast<int>(glyph.X1 - glyph.X0); ++x) {
      const auto* pixel =
          texture.Pixels + (static_cast<std::ptrdiff_t>(top + y) * texture.Width + left + x) * texture.BytesPerPixel;
      out += pixel[texture.BytesPerPixel - 1] > 127 ? '#' : '.';
    }
    out += '\n';
  }
  return out;
}

// The source that a glyph comes from, by what was added last: boxes are added behind all others.
bool is_a_box(const ImFont* font, const ImFontGlyph& glyph) {
  return static_cast<int>(glyph.SourceIdx) == font->Sources.Size - 1;
}

}  // namespace

TEST_CASE("what no font has is a box with its code point; what only joins takes no room", "[window][fonts]") {
  Story story;
  story.app().load_text("", "x = '\xF3\xB1\x88\xB4'\n");
  story.frames(3);
  ImFont* const font = ImGui::GetIO().FontDefault;
  const ImFontGlyph* const box = glyph(font, kOfNobody);
  REQUIRE(box->Codepoint == kOfNobody);
  CHECK(is_a_box(font, *box));
  CHECK(picture_of(*box) ==
        "###############\n"
        "#.............#\n"
        "#.###.###..#..#\n"  // 0F1
        "#.#.#.#...##..#\n"
        "#.#.#.###..#..#\n"
        "#.#.#.#....#..#\n"
        "#.###.#...###.#\n"
        "#.............#\n"
        "#.###.###.#.#.#\n"  // 234
        "#...#...#.#.#.#\n"
        "#.###.###.###.#\n"
        "#.#.....#...#.#\n"
        "#.###.###...#.#\n"
        "#.............#\n"
        "###############\n");
  CHECK(glyph(font, 0x200D)->AdvanceX == 0);
  CHECK_FALSE(glyph(font, 0x200D)->Visible);
  CHECK_FALSE(is_a_box(font, *glyph(font, 'A')));
  story.app().finish_background_work();  // looked for, and not found: the box stays
  story.frames(2);
  CHECK(is_a_box(font, *glyph(font, kOfNobody)));
}

TEST_CASE("a font of the system takes the place of the box", "[window][fonts]") {
  if (app::system_fonts_for({kChinese}).empty()) SKIP("no font of this system has U+4E2D: scripts/test installs one");
  Story story;
  story.app().load_text("", "x = '\u4e2d\u3042\ud55c'\n");
  ImFont* const font = ImGui::GetIO().FontDefault;
  CHECK(is_a_box(font, *glyph(font, kChinese)));  // until it was looked for
  for (const ImWchar c : {kChinese, kJapanese, kKorean}) {
    INFO(std::hex << c);
    if (app::system_fonts_for({c}).empty()) continue;  // a font of this system may have Chinese and nothing else
    REQUIRE(story.wait_for([&] { return !is_a_box(font, *glyph(font, c)); }));
    CHECK(glyph(font, c)->Codepoint == c);
    CHECK(picture_of(*glyph(font, c)).find('#') != std::string::npos);
  }
  CHECK(is_a_box(font, *glyph(font, kOfNobody)));
}

TEST_CASE("an emoji is drawn from a font without colours, or is a box with its code point", "[window][fonts]") {
  Story story;
  story.app().load_text("", "x = '\U0001F600\U0001FAE8'\n");
  story.frames(3);
  ImFont* const font = ImGui::GetIO().FontDefault;
  for (const ImWchar c : {kSmile, kNewEmoji}) {
    INFO(std::hex << c);
    if (app::system_fonts_for({c}).empty()) {
      story.app().finish_background_work();
      story.frames(3);
      CHECK(is_a_box(font, *glyph(font, c)));
    } else {
      REQUIRE(story.wait_for([&] { return !is_a_box(font, *glyph(font, c)); }));
    }
    CHECK(glyph(font, c)->Codepoint == c);
    CHECK(glyph(font, c)->AdvanceX > 0);
    CHECK(picture_of(*glyph(font, c)).find('#') != std::string::npos);  // never nothing, never a lone mark
  }
}

TEST_CASE("fonts of the system: of nothing none, of a private code point none", "[window][fonts]") {
  CHECK(app::system_fonts_for({}).empty());
  CHECK(app::system_fonts_for({kOfNobody}).empty());
}

}  // namespace dlscope::tests
