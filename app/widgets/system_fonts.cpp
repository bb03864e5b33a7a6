#include "app/widgets/system_fonts.h"

#include <dlfcn.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20;  // of a file; Noto's largest have 25 MiB
constexpr std::size_t kMaxFonts = 8;

// The used part of fontconfig's interface (fontconfig/fontconfig.h, stable since 2.8).
struct Fontconfig {
  struct FontSet {
    int count, room;
    void** fonts;
  };
  void* (*init)() = nullptr;
  void (*destroy_config)(void*) = nullptr;
  void* (*create_pattern)() = nullptr;
  void (*destroy_pattern)(void*) = nullptr;
  int (*add_bool)(void*, const char*, int) = nullptr;
  int (*add_charset)(void*, const char*, const void*) = nullptr;
  int (*substitute)(void*, void*, int) = nullptr;
  void (*substitute_default)(void*) = nullptr;
  FontSet* (*sort)(void*, void*, int, void**, int*) = nullptr;
  void (*destroy_set)(FontSet*) = nullptr;
  void* (*create_charset)() = nullptr;
  void (*destroy_charset)(void*) = nullptr;
  int (*add_char)(void*, char32_t) = nullptr;
  int (*has_char)(const void*, char32_t) = nullptr;
  int (*get_string)(const void*, const char*, int, unsigned char**) = nullptr;
  int (*get_integer)(const void*, const char*, int, int*) = nullptr;
  int (*get_bool)(const void*, const char*, int, int*) = nullptr;
  int (*get_charset)(const void*, const char*, int, void**) = nullptr;
};

std::optional<Fontconfig> load() {
  void* const library = ::dlopen("libfontconfig.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::nullopt;
  Fontconfig out;
  const auto find = [library](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    return function != nullptr;
  };
  const bool complete = find(out.init, "FcInitLoadConfigAndFonts") && find(out.destroy_config, "FcConfigDestroy") &&
                        find(out.create_pattern, "FcPatternCreate") && find(out.destroy_pattern, "FcPatternDestroy") &&
                        find(out.add_bool, "FcPatternAddBool") && find(out.add_charset, "FcPatternAddCharSet") &&
                        find(out.substitute, "FcConfigSubstitute") && find(out.substitute_default, "FcDefaultSubstitute") &&
                        find(out.sort, "FcFontSort") && find(out.destroy_set, "FcFontSetDestroy") &&
                        find(out.create_charset, "FcCharSetCreate") && find(out.destroy_charset, "FcCharSetDestroy") &&
                        find(out.add_char, "FcCharSetAddChar") && find(out.has_char, "FcCharSetHasChar") &&
                        find(out.get_string, "FcPatternGetString") && find(out.get_integer, "FcPatternGetInteger") &&
                        find(out.get_bool, "FcPatternGetBool") && find(out.get_charset, "FcPatternGetCharSet");
  if (!complete) return std::nullopt;
  return out;
}

// Only monochrome outlines can be drawn. A font without these properties is accepted if it has a charset.
bool can_be_drawn(const Fontconfig& fc, const void* font) {
  int outline = 1, colour = 0;
  fc.get_bool(font, "outline", 0, &outline);
  fc.get_bool(font, "color", 0, &colour);
  return outline != 0 && colour == 0;
}

std::optional<SystemFont> read_font(const Fontconfig& fc, const void* font) {
  unsigned char* path = nullptr;
  int number = 0;
  if (fc.get_string(font, "file", 0, &path) != 0) return std::nullopt;
  fc.get_integer(font, "index", 0, &number);
  SystemFont out;
  out.path = reinterpret_cast<const char*>(path);
  out.number = static_cast<std::uint32_t>(number) & 0xFFFF;  // higher bits: an instance of a variable font
  std::ifstream file(out.path, std::ios::binary | std::ios::ate);
  const auto size = file ? static_cast<std::streamoff>(file.tellg()) : 0;
  if (size <= 0 || static_cast<std::size_t>(size) > kMaxBytes) return std::nullopt;
  out.bytes.resize(static_cast<std::size_t>(size));
  file.seekg(0);
  if (!file.read(out.bytes.data(), size)) return std::nullopt;
  return out;
}

// The first usable font, in fontconfig's order, that has this character.
void* font_with(const Fontconfig& fc, const Fontconfig::FontSet& fonts, char32_t c) {
  for (int i = 0; i < fonts.count; ++i) {
    void* has = nullptr;
    void* const font = fonts.fonts[i];
    if (can_be_drawn(fc, font) && fc.get_charset(font, "charset", 0, &has) == 0 && fc.has_char(has, c) != 0) return font;
  }
  return nullptr;
}

}  // namespace

std::vector<SystemFont> system_fonts_for(std::vector<char32_t> code_points) {
  std::vector<SystemFont> out;
  const auto fc = load();
  if (!fc || code_points.empty()) return out;
  const std::unique_ptr<void, void (*)(void*)> config(fc->init(), fc->destroy_config);
  if (!config) return out;
  const std::unique_ptr<void, void (*)(void*)> pattern(fc->create_pattern(), fc->destroy_pattern);
  const std::unique_ptr<void, void (*)(void*)> wanted(fc->create_charset(), fc->destroy_charset);
  if (!pattern || !wanted) return out;
  for (const char32_t c : code_points) fc->add_char(wanted.get(), c);
  fc->add_charset(pattern.get(), "charset", wanted.get());
  fc->add_bool(pattern.get(), "scalable", 1);
  fc->substitute(config.get(), pattern.get(), 0);  // FcMatchPattern
  fc->substitute_default(pattern.get());
  int result = 0;
  const std::unique_ptr<Fontconfig::FontSet, void (*)(Fontconfig::FontSet*)> fonts(
      fc->sort(config.get(), pattern.get(), 0, nullptr, &result), fc->destroy_set);
  if (!fonts) return out;
  while (!code_points.empty() && out.size() < kMaxFonts) {
    void* const font = font_with(*fc, *fonts, code_points.front());
    void* has = nullptr;
    if (font == nullptr || fc->get_charset(font, "charset", 0, &has) != 0) {
      code_points.erase(code_points.begin());
      continue;
    }
    std::erase_if(code_points, [&](char32_t c) { return fc->has_char(has, c) != 0; });
    if (auto read = read_font(*fc, font)) out.push_back(std::move(*read));
  }
  return out;
}

}  // namespace dlscope::app
