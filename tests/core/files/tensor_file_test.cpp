#include "core/files/tensor_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <fstream>

#include "core/memory/available_memory.h"
#include "core/memory/memory_reader.h"
#include "file_bytes.h"

namespace dlscope::core {
namespace {

using test::bytes_of;
using test::npy;
using test::TemporaryFile;

std::vector<float> floats_of(const FileTensor& tensor) {
  std::vector<float> values;
  const auto reader = process_reader(0);
  const std::uint64_t elements = validate(tensor.layout)->elements;
  for (std::uint64_t i = 0; i < elements; ++i) {
    float value = 0;
    const Address at = tensor.address + static_cast<std::uint64_t>(bit_offset_of(tensor.layout, i) / 8);
    REQUIRE((*reader)->read(at, {reinterpret_cast<std::byte*>(&value), 4}) == 4);
    values.push_back(value);
  }
  return values;
}

std::string refusal(std::string_view suffix, const std::string& content) {
  const TemporaryFile file(suffix, content);
  const auto opened = TensorFile::open(file.path());
  if (opened) return "";
  CHECK(opened.error().message.starts_with(file.path() + ": "));
  CHECK(opened.error().message.find('\n') == std::string::npos);
  return opened.error().message;
}

}  // namespace

TEST_CASE("arrays of all three kinds of file hold their values", "[core][files]") {
  const std::vector<float> values = {0, 1, 2, 3, 4, 5};
  const std::string data = bytes_of(values);
  const std::string c_order = npy("<f4", "(2, 3)", data), f_order = npy("<f4", "(2, 3)", data, true);
  {
    const TemporaryFile file(".npy", c_order);
    const auto opened = TensorFile::open(file.path());
    REQUIRE(opened);
    REQUIRE(opened->tensors().size() == 1);
    CHECK(file.path().ends_with(opened->tensors()[0].name + ".npy"));
    CHECK(floats_of(opened->tensors()[0]) == values);
  }
  for (const bool compressed : {false, true}) {
    const TemporaryFile file(".npz", test::zip({{"x.npy", c_order, compressed},
                                                {"note.txt", "no array", false},
                                                {"folder/y.npy", f_order, compressed},
                                                {"o.npy", npy("|O", "(1,)", "x"), false}}));
    const auto opened = TensorFile::open(file.path());
    REQUIRE(opened);
    REQUIRE(opened->tensors().size() == 3);
    CHECK(opened->tensors()[0].name == "x");
    CHECK(opened->tensors()[0].unpacked == compressed);
    CHECK(floats_of(opened->tensors()[0]) == values);
    CHECK(opened->tensors()[1].name == "folder/y");
    CHECK(floats_of(opened->tensors()[1]) == std::vector<float>{0, 2, 4, 1, 3, 5});
    CHECK(opened->tensors()[2].why_not.find("pickled") != std::string::npos);
  }
  const TemporaryFile file(".SafeTensors",
                           test::safetensors(R"({"w": {"dtype": "F32", "shape": [6], "data_offsets": [0, 24]}})", data));
  const auto opened = TensorFile::open(file.path());
  REQUIRE(opened);
  CHECK(floats_of(opened->tensors()[0]) == values);
}

TEST_CASE("a file becomes a snapshot like that of a process", "[core][files]") {
  const std::vector<float> values = {1, NAN, 3};
  const TemporaryFile file(".npz", test::zip({{"x.npy", npy("<f4", "(3,)", bytes_of(values)), false},
                                              {"t.npy", npy("|O", "(1,)", std::string(16, 'x')), false}}));
  const auto opened = TensorFile::open(file.path());
  REQUIRE(opened);
  const SnapshotPtr snapshot = snapshot_of(*opened, StatisticsMethod::exact);
  REQUIRE(snapshot->tensors.size() == 2);
  const TensorRecord& x = *snapshot->find("x");
  CHECK(x.protocol == Protocol::file);
  CHECK(snapshot->str(x.library) == "file");
  CHECK(x.readable);
  CHECK(x.read_only == Tri::yes);
  CHECK(x.contiguity == Contiguity::c_and_f);
  REQUIRE(snapshot->statistics_of(x) != nullptr);
  CHECK(snapshot->statistics_of(x)->nan == 1);
  CHECK_FALSE(snapshot->find("t")->has_metadata);
  CHECK(snapshot->find("t")->refusals.count == 1);
}

TEST_CASE("elements for which DLPack has no dtype are tensors all the same, decoded like those of a process", "[core][files]") {
  const std::string text("a\0\0\0\xe9\0\0\0\0\0\0\0", 12), big("\x3f\x80\0\0\xc0\0\0\0", 8);
  std::int64_t day = 19'782;
  const std::string date(reinterpret_cast<const char*>(&day), 8);
  const std::string record = test::npy_with_header(
      "{'descr': [('id', '<i2'), ('', '|V2'), ('p', '>f4', (2,))], 'fortran_order': True, 'shape': (1,)}",
      std::string("\x07\0\0\0", 4) + big);
  for (const bool compressed : {false, true}) {
    const TemporaryFile file(".npz", test::zip({{"text.npy", npy("<U3", "(1,)", text), compressed},
                                               {"big.npy", npy(">f4", "(2,)", big), compressed},
                                               {"date.npy", npy("<M8[D]", "()", date), compressed},
                                               {"record.npy", record, compressed}}));
    const auto opened = TensorFile::open(file.path());
    REQUIRE(opened);
    const SnapshotPtr snapshot = snapshot_of(*opened, StatisticsMethod::exact);
    const auto reader = process_reader(0);
    const auto value = [&](const char* name, std::uint64_t element, std::size_t field = 0) {
      const TensorRecord& tensor = *snapshot->find(name);
      REQUIRE(tensor.item_type != kNone16);
      CHECK(tensor.readable);
      const auto remarks = Snapshot::slice(snapshot->remarks, tensor.remarks);
      CHECK(std::ranges::count(remarks, RemarkCode::not_dlpack, &RemarkRecord::code) == 1);
      const ItemTypeRecord& type = snapshot->item_types[tensor.item_type];
      std::vector<std::byte> item(type.bytes);
      const Address at =
          tensor.address + static_cast<std::uint64_t>(bit_offset_of(snapshot->layout(tensor), element) / 8);
      REQUIRE((*reader)->read(at, item) == item.size());
      return format_field(snapshot->item_fields[type.fields.first + field].layout, item);
    };
    const auto name = [&](const char* tensor) { return snapshot->dtype_name(*snapshot->find(tensor)); };
    CHECK(name("text") == "U3");
    CHECK(value("text", 0) == "'a\xc3\xa9'");
    CHECK(name("big") == "float32 big-endian");
    CHECK((value("big", 0) == "1.0" && value("big", 1) == "-2.0"));
    CHECK(value("date", 0) == "2024-02-29");
    CHECK(name("record") == "struct{id:int16,p:float32 big-endian[2]}");
    CHECK((value("record", 0) == "7" && value("record", 0, 1) == "[1.0, -2.0]"));
  }
}

TEST_CASE("an array at an odd place of its file has the note that it is not aligned", "[core][files]") {
  const std::string data(11, '\x01');
  const TemporaryFile file(".safetensors",
                           test::safetensors(R"({"b": {"dtype": "U8", "shape": [3], "data_offsets": [0, 3]}, )"
                                             R"("f": {"dtype": "F32", "shape": [2], "data_offsets": [3, 11]}})",
                                             data));
  const auto opened = TensorFile::open(file.path());
  REQUIRE(opened);
  const SnapshotPtr snapshot = snapshot_of(*opened, StatisticsMethod::none);
  for (const TensorRecord& tensor : snapshot->tensors) {
    const std::uint64_t alignment = snapshot->name(tensor) == "f" ? 4 : 1;
    CHECK(snapshot->has_remark(tensor, RemarkCode::unaligned) == (tensor.address % alignment != 0));
  }
  // The header's size decides where the values begin: with one more blank they move by a byte.
  bool was_unaligned = snapshot->has_remark(*snapshot->find("f"), RemarkCode::unaligned);
  const TemporaryFile moved(".safetensors",
                            test::safetensors(R"({"b": {"dtype": "U8", "shape": [3], "data_offsets": [0, 3]},  )"
                                              R"("f": {"dtype": "F32", "shape": [2], "data_offsets": [3, 11]}})",
                                              data));
  const auto again = TensorFile::open(moved.path());
  REQUIRE(again);
  const SnapshotPtr second = snapshot_of(*again, StatisticsMethod::none);
  was_unaligned = was_unaligned || second->has_remark(*second->find("f"), RemarkCode::unaligned);
  CHECK(was_unaligned);
}

TEST_CASE("a compressed array that would take more memory than it may is listed with the reason and not unpacked",
          "[core][files]") {
  CHECK(most_unpacked_bytes() > 0);
  CHECK(most_unpacked_bytes() <= available_memory().value() + (1U << 30));  // of the memory that is there now
  const std::string large = npy("<f4", "(100000,)", std::string(400'000, '\0'));
  const std::string small = npy("<f4", "(10,)", std::string(40, '\0'));
  const TemporaryFile file(
      ".npz", test::zip({{"a.npy", large, true}, {"b.npy", small, true}, {"c.npy", large, false}, {"d.npy", small, true}}));
  const std::uint64_t most = small.size() * 2 - 1;  // room for one of the small ones
  const auto opened = TensorFile::open(file.path(), {}, most);
  REQUIRE(opened);
  REQUIRE(opened->tensors().size() == 4);
  const auto why = [&](std::size_t i) { return opened->tensors()[i].why_not; };
  CHECK(why(0) ==
        fmt::format("unpacked it takes {} bytes, and dlscope uses at most half of the available memory for that", large.size()));
  CHECK(why(1).empty());
  CHECK(why(2).empty());
  CHECK(why(3).starts_with(fmt::format("unpacked it takes {} bytes", small.size())));
  CHECK(opened->unpacked_bytes() == small.size());
  CHECK(TensorFile::open(file.path())->unpacked_bytes() == large.size() + 2 * small.size());
}

TEST_CASE("unpacking tells how far it is, and can be stopped on the way", "[core][files]") {
  const std::string large = npy("<f4", "(700000,)", std::string(2'800'000, 'x')), small = npy("<f4", "(2,)", "12345678");
  const TemporaryFile file(
      ".npz", test::zip({{"a.npy", large, true}, {"b.npy", small, false}, {"c.npy", small, true}, {"n.txt", small, true}}));
  std::vector<std::uint64_t> told;
  const auto opened = TensorFile::open(file.path(), {}, most_unpacked_bytes(), [&](std::uint64_t done, std::uint64_t total) {
    CHECK(total == large.size() + small.size());
    told.push_back(done);
  });
  REQUIRE(opened);
  CHECK(told == std::vector<std::uint64_t>{1 << 20, 2 << 20, large.size(), large.size() + small.size()});

  std::stop_source stop;
  const auto stopped = TensorFile::open(file.path(), stop.get_token(), most_unpacked_bytes(),
                                        [&](std::uint64_t, std::uint64_t) { stop.request_stop(); });
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().kind == ErrorKind::cancelled);
}

TEST_CASE("a compressed array that may not be unpacked is not read at all", "[core][files]") {
  const TemporaryFile file(".npz", test::zip({{"x.npy", "not an array", true}}));
  const auto opened = TensorFile::open(file.path(), {}, 0);
  REQUIRE(opened);
  CHECK(opened->tensors()[0].why_not.starts_with("unpacked it takes 12 bytes"));
}

TEST_CASE("an array of an archive that is damaged is listed with the reason, and the others are there", "[core][files]") {
  const std::string good = npy("<f4", "(2,)", bytes_of(std::vector<float>{1, 2})), vast = npy("<f4", "(1000,)", "12345678");
  std::string archive = test::zip({{"a.npy", good, true}, {"b.npy", good, true}, {"c.npy", "not an array", false},
                                   {"d.npy", vast, true}, {"e.npy", good, false}});
  archive[archive.find("b.npy") + 5] = '\x07';  // a kind of block that deflate does not have
  const TemporaryFile file(".npz", archive);
  const auto opened = TensorFile::open(file.path());
  REQUIRE(opened);
  REQUIRE(opened->tensors().size() == 5);
  const auto why = [&](std::size_t i) { return opened->tensors()[i].why_not; };
  CHECK(why(0).empty());
  CHECK(why(1).find("damaged") != std::string::npos);
  CHECK(why(2).find("not a .npy file") != std::string::npos);
  CHECK(why(3).find("needs 4000 bytes, and 8") != std::string::npos);
  CHECK(why(4).empty());
  CHECK(floats_of(opened->tensors()[0]) == std::vector<float>{1, 2});
  CHECK(floats_of(opened->tensors()[4]) == std::vector<float>{1, 2});
  CHECK(opened->unpacked_bytes() == good.size());
}

TEST_CASE("a compressed array that cannot be shown is not unpacked", "[core][files]") {
  const TemporaryFile file(".npz", test::zip({{"o.npy", npy("|O", "(1,)", std::string(100'000, 'x')), true}}));
  const auto opened = TensorFile::open(file.path());
  REQUIRE(opened);
  CHECK(opened->tensors()[0].why_not.find("pickled") != std::string::npos);
  CHECK(opened->unpacked_bytes() == 0);
}

TEST_CASE("files that are missing, wrong or lie are refused in one line", "[core][files]") {
  CHECK(is_tensor_file("a/b.NPY"));
  CHECK_FALSE(is_tensor_file("a.npy/b"));
  CHECK_FALSE(is_tensor_file("script.py"));
  const auto missing = TensorFile::open("/nowhere/x.npy");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind == ErrorKind::not_found);
  CHECK(refusal(".npy", "").find("not a .npy file") != std::string::npos);
  CHECK(refusal(".npy", "import os").find("not a .npy file") != std::string::npos);
  CHECK(refusal(".npy", npy("|O", "(1,)", "pickle")).find("pickled") != std::string::npos);
  CHECK(refusal(".npy", npy("<f4", "(3,)", std::string(8, 'x'))).find("needs 12 bytes, and 8") != std::string::npos);
  CHECK(refusal(".npy", npy("<U3", "(3,)", std::string(35, 'x'))).find("needs 36 bytes, and 35") != std::string::npos);
  CHECK(refusal(".npy", npy("|V65535", "(281474976710656,)", "")).find("'") != std::string::npos);
  CHECK(refusal(".npy", npy("<f4", "(4611686018427387904, 4611686018427387904)", "")).find("larger than any memory") !=
        std::string::npos);
  CHECK(refusal(".npz", "PK").find("zip") != std::string::npos);
  CHECK(refusal(".npz", test::zip({{"readme", "x", false}})).find("no array") != std::string::npos);
  CHECK(refusal(".npz", test::zip({{"x.npy", "not an array", false}})).find("'x.npy'") != std::string::npos);
  CHECK(refusal(".safetensors", "{}").find("not a .safetensors file") != std::string::npos);
  const std::string fifo = fmt::format("/tmp/dlscope-fifo-{}.npy", ::getpid());
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  CHECK_FALSE(TensorFile::open(fifo));  // and does not wait
  ::unlink(fifo.c_str());
  CHECK_FALSE(TensorFile::open("/tmp"));
}

TEST_CASE("a file that is cut while it is open cannot take the process down", "[core][files]") {
  const TemporaryFile file(".npy", npy("<f4", "(100000,)", std::string(400'000, 'x')));
  const auto opened = TensorFile::open(file.path());
  REQUIRE(opened);
  REQUIRE(::truncate(file.path().c_str(), 4096) == 0);
  const SnapshotPtr snapshot = snapshot_of(*opened, StatisticsMethod::exact);
  CHECK_FALSE(snapshot->tensors[0].readable);
  CHECK(snapshot->statistics.empty());
}

TEST_CASE("what has become of a file since it was opened is known by its size, its time and its name", "[core][files]") {
  const std::string content = npy("<f4", "(3,)", bytes_of(std::vector<float>{1, 2, 3}));
  const auto write = [&](const std::string& path) { std::ofstream(path, std::ios::binary) << content; };
  const TemporaryFile file(".npy", content);
  const auto wait_for_another_time = [] { ::usleep(50'000); };  // of the file system's clock
  auto opened = TensorFile::open(file.path());
  REQUIRE(opened);
  CHECK(opened->since_opened() == SinceOpened::unchanged);
  const TensorFile moved = std::move(*opened);
  CHECK(moved.since_opened() == SinceOpened::unchanged);
  wait_for_another_time();
  write(file.path());  // the same content
  CHECK(moved.since_opened() == SinceOpened::changed);
  REQUIRE(::truncate(file.path().c_str(), 100) == 0);
  CHECK(moved.since_opened() == SinceOpened::shortened);

  write(file.path());
  opened = TensorFile::open(file.path());
  REQUIRE(opened);
  const std::string aside = file.path() + ".aside";
  REQUIRE(::rename(file.path().c_str(), aside.c_str()) == 0);
  CHECK(opened->since_opened() == SinceOpened::removed);
  write(file.path());
  CHECK(opened->since_opened() == SinceOpened::replaced);
  REQUIRE(::unlink(aside.c_str()) == 0);
  CHECK(opened->since_opened() == SinceOpened::replaced);
  CHECK(TensorFile::open(file.path())->since_opened() == SinceOpened::unchanged);
}

TEST_CASE("a look that is stopped ends without what it would have read", "[core][files]") {
  std::stop_source stop;
  stop.request_stop();
  const std::string array = npy("<f4", "(2, 3)", bytes_of(std::vector<float>{0, 1, 2, 3, 4, 5}));
  const TemporaryFile packed(".npz", test::zip({{"x.npy", array, true}}));
  const auto unpacked = TensorFile::open(packed.path(), stop.get_token());
  REQUIRE_FALSE(unpacked);
  CHECK(unpacked.error().kind == ErrorKind::cancelled);
  const TemporaryFile plain(".npy", array);
  const auto opened = TensorFile::open(plain.path(), stop.get_token());  // nothing is read but its header
  REQUIRE(opened);
  const SnapshotPtr snapshot = snapshot_of(*opened, StatisticsMethod::exact, stop.get_token());
  CHECK(snapshot->tensors[0].nbytes == 24);
  CHECK(snapshot->statistics.empty());
}

TEST_CASE("a large sparse file is opened without reading it", "[core][files]") {
  const std::string header = npy("<f4", "(1610612736,)", "");
  const TemporaryFile file(".npy", header);
  REQUIRE(::truncate(file.path().c_str(), static_cast<off_t>(header.size()) + (std::int64_t{6} << 30)) == 0);
  const auto resident = [] {
    std::ifstream statm("/proc/self/statm");
    long all = 0, pages = 0;
    statm >> all >> pages;
    return pages * ::sysconf(_SC_PAGESIZE);
  };
  const auto before = resident();
  const auto opened = TensorFile::open(file.path());
  REQUIRE(opened);
  const SnapshotPtr snapshot = snapshot_of(*opened);
  CHECK(snapshot->tensors[0].readable);
  CHECK(snapshot->tensors[0].nbytes == std::uint64_t{6} << 30);
  CHECK(resident() - before < 100 << 20);
}

}  // namespace dlscope::core
