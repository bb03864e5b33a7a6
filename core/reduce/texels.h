// Texels: a table of cells (cell_axes.h) reduced to a picture: of each texel the min, the max and the mean finite value of its
// cells, and what else there is among them. Every special value is noted, however many cells a texel has. Of an image each channel by
// itself.
#pragma once

#include <cstdint>
#include <vector>

namespace dlscope::core {

enum TexelFlag : std::uint8_t {
  kTexelFinite = 1,
  kTexelNan = 2,
  kTexelPosInf = 4,
  kTexelNegInf = 8,
  kTexelUnread = 16,   // of a sample: some of the memory could not be read
  kTexelUnequal = 32,  // of two tensors: some of the values are different
};
inline constexpr std::uint8_t kTexelSpecial = kTexelNan | kTexelPosInf | kTexelNegInf;

enum class TexelMethod : std::uint8_t { sample, exact };

// A rectangle of texels, row by row.
struct TexelRect {
  std::uint32_t row = 0, column = 0;  // of the window's texels
  std::uint32_t rows = 0, columns = 0;
  [[nodiscard]] std::size_t size() const { return std::size_t{rows} * columns; }
  friend bool operator==(const TexelRect&, const TexelRect&) = default;
};

struct Texels {
  TexelRect rect;
  std::uint32_t channels = 1;  // the arrays below hold all texels of the first one, then all of the next ...
  TexelMethod method = TexelMethod::sample;
  std::vector<double> min, max, mean;  // of the finite values: valid with kTexelFinite
  std::vector<std::uint8_t> flags;            // 0: no value is known, or there is none
  // Every texel row of the window is like these, every column: memory that repeats is read and sent once.
  bool repeats_down = false, repeats_across = false;

  [[nodiscard]] std::size_t size() const { return rect.size() * channels; }
  void resize(TexelRect to, std::uint32_t of_channels = 1) {
    rect = to;
    channels = of_channels;
    min.assign(size(), 0);
    max.assign(size(), 0);
    mean.assign(size(), 0);
    flags.assign(size(), 0);
  }
};

// Texels of one window at most, whatever channels they have, and one way: what the viewer and the host keep of a window is a few megabytes.
inline constexpr std::int64_t kMaxTexels = 200'000, kMaxTexelsOneWay = 16'384;

// False: it does not lie inside, or its arrays have other sizes: a part that somebody else sent.
[[nodiscard]] bool fits(const Texels& part, const Texels& window);

}  // namespace dlscope::core
