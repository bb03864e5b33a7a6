#include "app/host/native_names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/demangle.h"
#include "core/files/elf_symbols.h"
#include "core/files/mapped_file.h"
#include "core/memory/memory_reader.h"

namespace dlscope::app {
namespace {

using core::Address;
using core::AddressMap;
using core::MappedFile;
using core::Mapping;
using std::chrono::system_clock;

// Covers the ELF header, the program headers and, where the linker wrote one, the build id.
constexpr std::size_t kCompared = 1024;

// False for a file written in place while it was mapped: it has the new code's symbols, but the process may have run the old
// code.
bool stands_since(const MappedFile& file, system_clock::time_point host_start) {
  const auto times = file.times();
  if (!times) return false;
  const auto started = host_start.time_since_epoch();
  return times->changed < started || (times->made && *times->made >= started);
}

// The mapping of the beginning of the file that is mapped at `at`; null: there is none.
const Mapping* first_mapping(const AddressMap& map, Address at) {
  const Mapping* const of_code = map.find(at);
  if (of_code == nullptr) return nullptr;
  const auto& all = map.mappings();
  for (auto it = all.begin() + (of_code - all.data()) + 1; it != all.begin();) {
    --it;
    if (it->file_offset == 0 && it->path == of_code->path) return &*it;
  }
  return nullptr;
}

// The path may name another file than the mapped one: a newer file, or one outside of the process's root folder.
bool is_mapped(const MappedFile& file, const core::MemoryReader& memory, Address begin) {
  std::array<std::byte, kCompared> in_file{}, in_memory{};
  return file.read(0, in_file) && memory.read(begin, in_memory) == kCompared && in_file == in_memory;
}

}  // namespace

void name_native_frames(pid_t pid, const AddressMap& map, system_clock::time_point host_start, std::span<const Address> addresses,
                        std::span<core::CrashFacts::NativeFrame> frames) {
  const auto memory = core::process_reader(pid);
  if (!memory) return;
  std::map<std::string, std::vector<std::size_t>> frames_of;  // by file
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].library.starts_with('/')) frames_of[frames[i].library].push_back(i);
  }
  for (const auto& [path, places] : frames_of) {
    const auto file = MappedFile::open(path);
    const Mapping* const first = first_mapping(map, addresses[places.front()]);
    if (!file || first == nullptr || !is_mapped(*file, **memory, first->range.begin) || !stands_since(*file, host_start))
      continue;
    std::vector<std::uint64_t> offsets;
    for (const std::size_t i : places) offsets.push_back(frames[i].offset);
    const auto read = [&](std::uint64_t offset, std::uint64_t size) { return file->read(offset, size); };
    const auto names = core::elf_function_names(file->size(), read, offsets);
    if (!names) continue;
    for (std::size_t i = 0; i < places.size(); ++i) frames[places[i]].symbol = core::demangled((*names)[i]);
  }
}

}  // namespace dlscope::app
