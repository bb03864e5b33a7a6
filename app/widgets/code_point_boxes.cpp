#include "app/widgets/code_point_boxes.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace dlscope::app {
namespace {

constexpr int kMaxRemembered = 64;

// State of one source of one face; owned by the source.
struct Boxes {
  std::array<ImWchar, kMaxRemembered> missing{};
  int missing_count = 0;
  bool replaced = false;  // a later source has replaced it
};

// The digits 0 to F, three dots wide and five high, a bit per dot from the top left.
constexpr std::array<std::uint16_t, 16> kDigits = {
    0b111'101'101'101'111, 0b010'110'010'010'111, 0b111'001'111'100'111, 0b111'001'111'001'111,
    0b101'101'111'001'001, 0b111'100'111'001'111, 0b111'100'111'101'111, 0b111'001'010'010'010,
    0b111'101'111'101'111, 0b111'101'111'001'111, 0b111'101'111'101'101, 0b110'101'110'101'110,
    0b111'100'100'100'111, 0b110'101'101'101'110, 0b111'100'111'100'111, 0b111'100'111'100'100,
};
constexpr int kDigitWidth = 3, kDigitHeight = 5;

// Joiners, direction marks and variation selectors have no shape. (Unicode: Default_Ignorable_Code_Point)
bool has_no_shape(ImWchar c) {
  return (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) ||
         (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF || c == 0xAD || (c >= 0xE0000 && c <= 0xE0FFF);
}

// In dots: a frame, a dot of space, two rows of digits.
struct BoxShape {
  int columns = 2;  // digits in a row
  int dot = 1;      // pixels
  [[nodiscard]] int width() const { return columns * (kDigitWidth + 1) - 1 + 4; }
  [[nodiscard]] static int height() { return 2 * kDigitHeight + 1 + 4; }
};

BoxShape shape_of(ImWchar c, float pixels_high) {
  return {.columns = c > 0xFFFF ? 3 : 2,
          .dot = std::max(1, static_cast<int>(pixels_high / static_cast<float>(BoxShape::height())))};
}

// One byte per pixel, 0 or 255.
void draw_box(const BoxShape& shape, ImWchar c, unsigned char* pixels) {
  const int dot = shape.dot, pitch = shape.width() * dot;
  const auto set = [&](int x, int y) {
    for (int row = 0; row < dot; ++row)
      std::memset(pixels + (y * dot + row) * pitch + x * dot, 0xFF, static_cast<std::size_t>(dot));
  };
  for (int x = 0; x < shape.width(); ++x) {
    set(x, 0);
    set(x, BoxShape::height() - 1);
  }
  for (int y = 0; y < BoxShape::height(); ++y) {
    set(0, y);
    set(shape.width() - 1, y);
  }
  for (int place = 0; place < 2 * shape.columns; ++place) {
    const unsigned digit = c >> (4 * (2 * shape.columns - 1 - place)) & 0xF;
    const int left = 2 + place % shape.columns * (kDigitWidth + 1), top = 2 + place / shape.columns * (kDigitHeight + 1);
    for (int bit = 0; bit < kDigitWidth * kDigitHeight; ++bit) {
      if ((kDigits[digit] >> (kDigitWidth * kDigitHeight - 1 - bit) & 1) != 0)
        set(left + bit % kDigitWidth, top + bit / kDigitWidth);
    }
  }
}

bool begin(ImFontAtlas*, ImFontConfig* source) {
  source->FontLoaderData = IM_NEW(Boxes);
  return true;
}

void end(ImFontAtlas*, ImFontConfig* source) {
  IM_DELETE(static_cast<Boxes*>(source->FontLoaderData));
  source->FontLoaderData = nullptr;
}

// The code point is the glyph number; 0: none. Control characters are drawn by the views; U+FFFD means broken text.
int glyph_of(ImFontAtlas*, ImFontConfig* source, ImWchar c) {
  const auto* boxes = static_cast<const Boxes*>(source->FontLoaderData);
  return boxes->replaced || c < 0x20 || c == 0xFFFD || c > 0x10FFFF ? 0 : static_cast<int>(c);
}

void remember(Boxes& boxes, ImWchar c) {
  const auto seen = boxes.missing.begin() + boxes.missing_count;
  if (boxes.missing_count < kMaxRemembered && std::find(boxes.missing.begin(), seen, c) == seen)
    boxes.missing[static_cast<std::size_t>(boxes.missing_count++)] = c;
}

// Implements ImFontLoader::FontBakedLoadGlyph: computes only the advance, or the glyph with its pixels.
bool load(ImFontAtlas* atlas, ImFontConfig* source, ImFontBaked* baked, void*, int glyph, ImFontGlyph* out, float* advance) {
  const auto c = static_cast<ImWchar>(glyph);
  const bool shapeless = has_no_shape(c);
  const float density = source->RasterizerDensity * baked->RasterizerDensity;
  const BoxShape shape = shape_of(c, baked->Size * density);
  const float width = static_cast<float>(shape.width() * shape.dot) / density,
              height = static_cast<float>(BoxShape::height() * shape.dot) / density;
  const float step = shapeless ? 0 : width + static_cast<float>(shape.dot) / density;
  if (!shapeless) remember(*static_cast<Boxes*>(source->FontLoaderData), c);
  if (advance != nullptr) {
    *advance = step;
    return true;
  }
  out->AdvanceX = step;
  if (shapeless) return true;
  const ImFontAtlasRectId id = ImFontAtlasPackAddRect(atlas, shape.width() * shape.dot, BoxShape::height() * shape.dot);
  if (id == ImFontAtlasRectId_Invalid) return false;
  ImTextureRect* const place = ImFontAtlasPackGetRect(atlas, id);
  ImVector<unsigned char>& pixels = atlas->Builder->TempBuffer;
  pixels.resize(place->w * place->h);
  std::memset(pixels.Data, 0, static_cast<std::size_t>(pixels.Size));
  draw_box(shape, c, pixels.Data);
  out->X0 = 0;
  out->X1 = width;
  out->Y0 = std::floor((baked->Ascent - baked->Descent - height) / 2);  // in the middle of the line
  out->Y1 = out->Y0 + height;
  out->Visible = true;
  out->PackId = id;
  ImFontAtlasBakedSetFontGlyphBitmap(atlas, baked, source, out, place, pixels.Data, ImTextureFormat_Alpha8, place->w);
  return true;
}

const ImFontLoader* loader() {
  static const ImFontLoader kLoader = [] {
    ImFontLoader made;
    made.Name = "code points";
    made.FontSrcInit = begin;
    made.FontSrcDestroy = end;
    made.FontSrcGetGlyphIndexFromCodepoint = glyph_of;
    made.FontBakedLoadGlyph = load;
    return made;
  }();
  return &kLoader;
}

template <class Each>
void for_each_boxes(const ImFont* face, Each each) {
  for (const ImFontConfig* source : face->Sources) {
    if (source->FontLoader == loader()) each(*static_cast<Boxes*>(source->FontLoaderData));
  }
}

}  // namespace

void add_code_point_boxes(ImFont* face) {
  for_each_boxes(face, [](Boxes& boxes) { boxes.replaced = true; });
  ImFontConfig config;
  config.MergeMode = true;
  config.DstFont = face;
  config.FontLoader = loader();
  ImGui::GetIO().Fonts->AddFont(&config);
}

std::vector<ImWchar> take_missing_code_points(const ImFont* face) {
  std::vector<ImWchar> out;
  for_each_boxes(face, [&](Boxes& boxes) {
    out.insert(out.end(), boxes.missing.begin(), boxes.missing.begin() + boxes.missing_count);
    boxes.missing_count = 0;
  });
  return out;
}

}  // namespace dlscope::app
