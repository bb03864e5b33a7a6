// dlscope_fuzz TARGET [--runs N | --seconds S] [--seed K] [--corpus FOLDER] [FILE...]
//
// Runs a target on its seeds, on the files of FOLDER and on N inputs made of them. The same seed gives the same inputs. The input in
// hand stands in `fuzz-TARGET.input` while it runs, in memory that outlives the process: after a crash it is the finding, and is run
// again by naming the file. Without arguments: the targets' names.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/fuzz/fuzz_target.h"

namespace {

using namespace dlscope::fuzz;
namespace fs = std::filesystem;

constexpr std::size_t kMaxKept = 512;  // ends of chains

struct Options {
  std::uint64_t runs = 10'000, seconds = 0, seed = 1;
  std::string corpus;
  std::vector<std::string> files;
};

// The last input, as a file that is there whatever ends the process.
class LastInput {
 public:
  explicit LastInput(const std::string& path)
      : path_(path), file_(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) {
    if (file_ >= 0 && ::ftruncate(file_, kRoom) == 0) {
      void* const memory = ::mmap(nullptr, kRoom, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
      if (memory != MAP_FAILED) memory_ = static_cast<std::byte*>(memory);
    }
  }
  LastInput(const LastInput&) = delete;
  LastInput& operator=(const LastInput&) = delete;
  ~LastInput() {
    if (memory_ != nullptr) ::munmap(memory_, kRoom);
    if (file_ >= 0) ::close(file_);
    ::unlink(path_.c_str());
  }
  void note(const Bytes& input) {
    if (memory_ == nullptr) return;
    const std::uint64_t size = std::min(input.size(), kRoom - sizeof size);
    std::memcpy(memory_, &size, sizeof size);
    std::copy_n(input.begin(), size, memory_ + sizeof size);
  }

 private:
  static constexpr std::size_t kRoom = 1u << 18;
  std::string path_;
  int file_;
  std::byte* memory_ = nullptr;
};

Bytes read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  Bytes bytes = bytes_of(text);
  const bool is_last_input = path.extension() == ".input" && bytes.size() > sizeof(std::uint64_t);
  if (!is_last_input) return bytes;
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof size);
  bytes.erase(bytes.begin(), bytes.begin() + sizeof size);
  bytes.resize(std::min<std::size_t>(bytes.size(), size));
  return bytes;
}

std::vector<Bytes> corpus_of(const Target& target, const Options& options) {
  std::vector<Bytes> corpus = target.seeds();
  std::error_code none;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(options.corpus, none); !none && entry != fs::directory_iterator(); entry.increment(none))
    files.push_back(entry->path());
  std::ranges::sort(files);
  for (const fs::path& file : files) corpus.push_back(read_bytes(file));
  if (corpus.empty()) corpus.emplace_back();
  return corpus;
}

int fuzz(const Target& target, const Options& options) {
  if (!options.files.empty()) {
    for (const std::string& file : options.files) static_cast<void>(target.run(read_bytes(file)));
    return 0;
  }
  std::vector<Bytes> corpus = corpus_of(target, options);
  Random random(options.seed);
  LastInput last(std::string("fuzz-") + target.name + ".input");
  std::uint64_t done = 0, understood = 0;
  const auto run = [&](const Bytes& input) {
    last.note(input);
    const bool was_understood = target.run(input);
    ++done;
    understood += was_understood ? 1 : 0;
    return was_understood;
  };
  for (const Bytes& input : corpus) run(input);
  const std::size_t given = corpus.size();
  const auto begin = std::chrono::steady_clock::now();
  const auto over = [&] {
    return options.seconds > 0 ? std::chrono::steady_clock::now() - begin > std::chrono::seconds(options.seconds)
                               : done >= options.runs;
  };
  // Chains of changes that go on from what was understood, and begin at a seed or where an earlier chain came to: deep inputs come
  // about without a measure of coverage.
  while (!over()) {
    Bytes input = corpus[random() % corpus.size()];
    bool changed = false;
    for (std::uint64_t steps = 1 + random() % 16; steps > 0 && !over(); --steps) {
      Bytes next = mutated(input, corpus[random() % corpus.size()], target, random);
      if (!run(next)) continue;
      input = std::move(next);
      changed = true;
    }
    if (!changed || random() % 4 != 0) continue;
    if (corpus.size() < given + kMaxKept)
      corpus.push_back(std::move(input));
    else
      corpus[given + random() % kMaxKept] = std::move(input);
  }
  std::printf("%s: %llu inputs, %llu understood\n", target.name, static_cast<unsigned long long>(done),
              static_cast<unsigned long long>(understood));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    for (const Target& target : targets()) std::printf("%s\n", target.name);
    return 0;
  }
  Options options;
  for (int i = 2; i < argc; ++i) {
    const std::string name = argv[i];
    const auto number = [&] { return i + 1 < argc ? std::strtoull(argv[++i], nullptr, 10) : 0; };
    if (name == "--runs")
      options.runs = number();
    else if (name == "--seconds")
      options.seconds = number();
    else if (name == "--seed")
      options.seed = number();
    else if (name == "--corpus" && i + 1 < argc)
      options.corpus = argv[++i];
    else
      options.files.push_back(name);
  }
  for (const Target& target : targets()) {
    if (std::strcmp(target.name, argv[1]) == 0) return fuzz(target, options);
  }
  std::fprintf(stderr, "there is no target %s; without arguments the targets are named\n", argv[1]);
  return 2;
}

namespace dlscope::fuzz {

void hold(bool property, const char* message) {
  if (property) return;
  std::fprintf(stderr, "does not hold: %s\n", message);
  std::abort();
}

}  // namespace dlscope::fuzz
