// Files that somebody else wrote. Of tensors, as the window opens them: directory, headers, mapped and unpacked bytes, what is shown.
// Recordings of streams, to the verdict and its words. Programs and libraries, of which functions' names are read.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "app/models/inspector/inspector_model.h"
#include "app/models/tensors/group_colours.h"
#include "app/models/tensors/snapshot_index.h"
#include "core/files/elf_symbols.h"
#include "core/files/tensor_file.h"
#include "core/inventory/sanitise.h"
#include "core/memory/memory_reader.h"
#include "core/report/report.h"
#include "core/streams/stream_order.h"
#include "tests/core/files/elf_bytes.h"
#include "tests/core/files/file_bytes.h"
#include "tests/fuzz/fuzz_target.h"

namespace dlscope::fuzz {
namespace {

namespace fs = std::filesystem;
using core::test::npy;
using core::test::npy_with_header;
using core::test::safetensors;

// One file that every input is written into: in memory where that can be.
class InputFile {
 public:
  explicit InputFile(const char* suffix) {
    std::error_code error;
    const fs::path folder = fs::is_directory("/dev/shm", error) ? "/dev/shm" : fs::temp_directory_path();
    path_ = folder / ("dlscope-fuzz-" + std::to_string(::getpid()) + suffix);
  }
  ~InputFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  [[nodiscard]] std::string with(std::span<const std::byte> input) const {
    std::ofstream file(path_, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
    return path_.string();
  }

 private:
  fs::path path_;
};

// The bytes that a tensor of the file says it has lie in the file, or in what was unpacked: all of them can be read.
void check_readable(const core::Snapshot& snapshot) {
  static const auto reader = std::move(*core::process_reader(0));
  for (const core::TensorRecord& tensor : snapshot.tensors) {
    if (!tensor.has_layout || tensor.elements == 0 || tensor.elements == core::kUnknown64) continue;
    std::byte byte{};
    for (const core::Address at : {tensor.extent.begin, tensor.extent.end - 1})
      hold(reader->read(at, {&byte, 1}) == 1, "what a file is said to hold can be read");
  }
}

bool open(const std::string& path) {
  const auto file = core::TensorFile::open(path);
  if (!file) {
    hold(file.error().message.starts_with(path + ": "), "a file that is refused is named, with the reason");
    return false;
  }
  for (const auto& [key, text] : file->metadata().entries)
    hold(core::is_sanitised(key) && core::is_sanitised(text), "what a file says of itself is safe to draw");
  const core::SnapshotPtr snapshot = core::snapshot_of(*file);
  check_readable(*snapshot);
  app::GroupColours colours;
  const app::IndexPtr index = app::build_index(snapshot, colours);
  for (std::uint32_t id = 0; id < index->size() && id < 8; ++id) static_cast<void>(app::inspect(*index, id));
  core::ReportInput report;
  report.snapshot = snapshot.get();
  hold(core::write_report(report, [](std::string_view) { return true; }), "a report is written");
  return true;
}

bool run_npy(std::span<const std::byte> input) {
  static const InputFile file(".npy");
  return open(file.with(input));
}
bool run_npz(std::span<const std::byte> input) {
  static const InputFile file(".npz");
  return open(file.with(input));
}
bool run_safetensors(std::span<const std::byte> input) {
  static const InputFile file(".safetensors");
  return open(file.with(input));
}

bool run_streams(std::span<const std::byte> input) {
  const auto trace = core::read_stream_trace({reinterpret_cast<const char*>(input.data()), input.size()});
  if (!trace) {
    hold(!trace.error().message.empty(), "a recording that is refused gets a reason");
    return false;
  }
  const core::StreamVerdict verdict = core::judge_streams(*trace);
  bool race = false;
  for (const core::OrderPair& pair : verdict.pairs) {
    const bool ordered = pair.ordering == core::Ordering::ordered;
    race = race || !ordered;
    hold(pair.earlier < pair.later && pair.later < trace->steps.size(), "two steps of the recording, in their order");
    hold(ordered == !pair.path.empty(), "what is ordered has a path, what races has none");
    hold(!core::order_text(*trace, pair).empty(), "a pair is said in words");
    hold(ordered == core::race_advice(*trace, pair).empty(), "a race has a way out, what is ordered needs none");
  }
  hold(race == verdict.race, "it races where a pair does");
  return true;
}

bool run_elf(std::span<const std::byte> input) {
  static const std::vector<std::uint64_t> offsets{0, 0x1010, 0x1030, 0x1fff, ~std::uint64_t{0}};
  const core::test::Bytes file(reinterpret_cast<const char*>(input.data()), input.size());
  const auto names = core::elf_function_names(file.size(), core::test::reading(file), offsets);
  if (!names) {
    hold(!names.error().message.empty(), "a file that is refused gets a reason");
    return false;
  }
  hold(names->size() == offsets.size(), "a name, or none, for each offset");
  return true;
}

std::vector<Bytes> streams_seeds() {
  const auto trace = [](std::string_view steps) {
    return bytes_of(std::string(R"({"format":"dlscope-stream-trace","format_version":1,"title":"t","recorded_on":"nothing",)") +
                    R"("streams":[{"name":"a","kind":"non_blocking","value":"0x5"},{"name":"b","kind":"default","value":"1"}],)" +
                    R"("buffers":[{"name":"x","bytes":64},{"name":"y"}],"steps":[)" + std::string(steps) + "]}");
  };
  const std::string write = R"({"kind":"write","stream":"a","buffer":"x","what":"w","begin_ns":20,"end_ns":90})";
  const std::string read = R"({"kind":"read","stream":"b","buffer":"x","what":"r"})";
  return {trace(write + "," + read),
          trace(write + R"(,{"kind":"record","stream":"a","event":"e"},{"kind":"wait","stream":"b","event":"e"},)" + read),
          trace(write + R"(,{"kind":"hand_over","stream":"a","buffer":"x","producer":"p","consumer":"c","asked":"-1"},)" + read),
          trace(write + R"(,{"kind":"synchronize","stream":"a"},)" + read + "," + write)};
}

std::vector<Bytes> elf_seeds() {
  using core::test::function;
  const core::test::Bytes names("\0first\0second\0", 14);
  return {bytes_of(core::test::elf({Elf64_Sym{}, function(1, 0x5010, 0x10), function(7, 0x5030, ~0ULL)}, names)),
          bytes_of(core::test::elf({function(7, 0x5000, 0x1000), function(1, 0x5030, 8, STB_WEAK)}, names, SHT_DYNSYM))};
}

std::vector<Bytes> npy_seeds() {
  const std::string data(48, 'x');
  return {
      bytes_of(npy("<f4", "(2, 3)", data)),
      bytes_of(npy("<i8", "(3, 2)", data, true, 2)),
      bytes_of(npy("|b1", "()", data, false, 3)),
      bytes_of(npy(">c16", "(3,)", data)),
      bytes_of(npy("<U3", "(4,)", data)),
      bytes_of(npy("<M8[ns]", "(0, 7)", data)),
      bytes_of(npy_with_header("{'descr': [('a', '<i4'), ('b', '<f8', (2,))], 'fortran_order': False, 'shape': (2,), }", data)),
      bytes_of(npy_with_header("{'descr': [(('t', 'p'), [('x', '>f4')], (2, 1)), ('', '|V4'), ('s', ('|S2', (2,)))], "
                               "'fortran_order': True, 'shape': (3, 1), }",
                               data))};
}
std::vector<Bytes> npz_seeds() {
  const std::string data(48, 'x'), array = npy("<f4", "(2, 3)", data);
  return {bytes_of(core::test::zip({{"a.npy", array, false}, {"b.npy", array, true}})),
          bytes_of(core::test::zip({{"a.npy", array, true}, {"b/c.npy", npy("<f8", "(3, 2)", data, true), true}}, true)),
          bytes_of(core::test::zip({{"a.npy", array, false}, {"text", "no array", false}}))};
}
std::vector<Bytes> safetensors_seeds() {
  return {bytes_of(safetensors(
              R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"U8","shape":[3,1],"data_offsets":[8,11]}})",
              std::string(11, 'x'))),
          bytes_of(safetensors(R"({"__metadata__":{"format":"pt"},"w":{"dtype":"BF16","shape":[2,2],"data_offsets":[0,8]},)"
                               R"("e":{"dtype":"F8_E4M3","shape":[0],"data_offsets":[8,8]}})",
                               std::string(8, 'x')))};
}

}  // namespace

std::vector<Target> file_targets() {
  return {{"npy",
           npy_seeds,
           run_npy,
           {"'descr': ", "'shape': ", "(", ")", ",", "True", "False", "{", "}", "'<f4'", "'|O'", "[('a', '<i4')]", "'>M8[25s]'",
            "('<U2', (2,))", "-1", "9223372036854775807", "99999999999999999999"}},
          {"npz", npz_seeds, run_npz, {"PK\x03\x04", "PK\x01\x02", "PK\x05\x06", "PK\x06\x06", "PK\x06\x07", ".npy", "../"}},
          {"safetensors",
           safetensors_seeds,
           run_safetensors,
           {"{", "}", "[", "]", "\"dtype\":", "\"shape\":", "\"data_offsets\":", "\"F4\"", "\"F64\"", "-1", "0", "1e3",
            "9223372036854775807", "18446744073709551615", "\"\"", "\\u0000"}},
          {"streams",
           streams_seeds,
           run_streams,
           {R"("kind":)",  R"("stream":"b")", R"("buffer":"x")", R"("event":"e")", "write", "read", "record", "wait", "hand_over",
            "synchronize", "per_thread",      "legacy",          "blocking",       "{",     "}",    "[",      "]",    ",",
            "-1",          "\\u0000"}},
          {"elf",
           elf_seeds,
           run_elf,
           {"\x7f"
            "ELF",
            "\x02", "\x0b"}}};
}

}  // namespace dlscope::fuzz
