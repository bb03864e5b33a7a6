// How long the texels of a picture take from a task to the view through the ring of messages, step by step, and how long a copy of
// the same bytes through memory takes in the same run: what slots of their own in the shared region could gain at most.
//   parts_bench [ROUNDS=50]
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <variant>
#include <vector>

#include "core/wire/messages.h"
#include "core/wire/region.h"
#include "tests/bench/timing.h"

namespace {

using namespace dlscope::core;
using dlscope::bench::median;
using dlscope::bench::cpu_seconds;

Texels some_texels(std::uint32_t rows, std::uint32_t columns) {
  Texels texels;
  texels.resize({0, 0, rows, columns});
  texels.method = TexelMethod::exact;
  for (std::size_t i = 0; i < texels.size(); ++i) {
    texels.min[i] = static_cast<double>(i);
    texels.max[i] = static_cast<double>(i) + 1;
    texels.mean[i] = static_cast<double>(i) + 0.5;
    texels.flags[i] = static_cast<std::uint8_t>(i);
  }
  return texels;
}

[[noreturn]] void wrong(const char* what) {
  fmt::print(stderr, "wrong: {}\n", what);
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 50;
  const auto made = wire::Region::create(1u << 20);
  if (!made) wrong(made.error().message.c_str());
  wire::RingWriter writer = (*made)->to_viewer_writer();
  wire::RingReader reader = (*made)->to_viewer_reader();
  const wire::ToViewer part = wire::Part{7, some_texels(256, 256)};
  std::vector<double> encode, write, read, decode, copy;
  std::size_t bytes = 0;
  for (int round = 0; round < rounds; ++round) {
    wire::RawMessage sent, got;
    encode.push_back(cpu_seconds([&] { sent = wire::encode(part); }));
    bool written = false, found = false;
    write.push_back(cpu_seconds([&] { written = writer.write(sent.kind, sent.payload); }));
    read.push_back(cpu_seconds([&] { found = reader.read(got).value_or(false); }));
    if (!written || !found || got.payload != sent.payload) wrong("another message was read than was written");
    Result<wire::ToViewer> message = fail(ErrorKind::invalid, {});
    decode.push_back(cpu_seconds([&] { message = wire::decode_to_viewer(got); }));
    const auto* const arrived = message ? std::get_if<wire::Part>(&*message) : nullptr;
    const auto* const texels = arrived != nullptr ? std::get_if<Texels>(&arrived->part) : nullptr;
    const auto& sent_texels = std::get<Texels>(std::get<wire::Part>(part).part);
    if (texels == nullptr || texels->mean != sent_texels.mean || texels->flags != sent_texels.flags)
      wrong("other texels arrived");
    bytes = sent.payload.size();
    std::vector<std::byte> slot(bytes), taken(bytes);
    copy.push_back(cpu_seconds([&] {
      std::memcpy(slot.data(), sent.payload.data(), bytes);
      std::memcpy(taken.data(), slot.data(), bytes);
    }));
  }
  const auto ms = [](std::vector<double>& times) { return median(times) * 1e3; };
  const double all = ms(encode) + ms(write) + ms(read) + ms(decode);
  fmt::print("a part of {} texels, {:.1f} MB, medians of {} rounds, ms of CPU time:\n", 256 * 256,
             static_cast<double>(bytes) / 1e6, rounds);
  fmt::print("  encode {:.2f}  write {:.2f}  read {:.2f}  decode and check {:.2f}  together {:.2f}\n", ms(encode), ms(write),
             ms(read), ms(decode), all);
  fmt::print("  copied into a slot and out of it {:.2f}: slots would save at most {:.2f} ms a part\n", ms(copy),
             ms(write) + ms(read) - ms(copy));
  return 0;
}
