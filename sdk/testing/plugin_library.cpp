// SPDX-License-Identifier: Apache-2.0

#include "headrace/testing/plugin_library.h"

#include <dlfcn.h>
#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace headrace::testing {
namespace {

[[noreturn]] void fault(const std::string& library, const std::string& text) {
  throw std::runtime_error(library + " " + text);
}

/// An ELF file in memory, read with an eye on its end.
class Elf {
 public:
  explicit Elf(const std::string& library) : library_(library) {
    std::ifstream file(library, std::ios::binary);
    content_.assign(std::istreambuf_iterator<char>(file), {});
    const auto header = at<Elf64_Ehdr>(0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) {
      fault(library, "is no 64-bit ELF file");
    }
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
      sections_.push_back(at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)));
    }
  }

  template <class T>
  T at(std::size_t offset) const {
    T value;
    if (offset > content_.size() || content_.size() - offset < sizeof(T)) fault(library_, "is cut short");
    std::memcpy(&value, content_.data() + offset, sizeof(T));
    return value;
  }
  const Elf64_Shdr& section(std::size_t i) const {
    if (i >= sections_.size()) fault(library_, "names a section that it has not");
    return sections_[i];
  }
  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  std::string text(std::size_t offset) const {
    if (offset >= content_.size()) fault(library_, "is cut short");
    return content_.c_str() + offset;
  }

 private:
  std::string library_;
  std::string content_;
  std::vector<Elf64_Shdr> sections_;
};

bool is_offered(const Elf64_Sym& symbol) {
  const auto binding = ELF64_ST_BIND(symbol.st_info);
  const auto visibility = ELF64_ST_VISIBILITY(symbol.st_other);
  return symbol.st_shndx != SHN_UNDEF && binding != STB_LOCAL &&
         (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

}  // namespace

const headrace_plugin& load_plugin(const std::string& library) {
  const std::string path = library.find('/') == std::string::npos ? "./" + library : library;
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): glibc keeps a text for each thread
  if (handle == nullptr) throw std::runtime_error(dlerror());
  void* symbol = dlsym(handle, "headrace_plugin_get");
  if (symbol == nullptr) fault(library, "exports no headrace_plugin_get");
  const auto get = reinterpret_cast<headrace_plugin_get_function*>(symbol);
  const headrace_plugin* plugin = get(HEADRACE_ABI_MAJOR, HEADRACE_ABI_MINOR);
  if (plugin == nullptr) fault(library, "hands out no table");
  if (plugin->abi_major != HEADRACE_ABI_MAJOR)
    fault(library, "is built for ABI " + std::to_string(plugin->abi_major));
  return *plugin;
}

std::vector<std::string> exported_symbols(const std::string& library) {
  const Elf elf(library);
  std::vector<std::string> names;
  for (const Elf64_Shdr& section : elf.sections()) {
    if (section.sh_type != SHT_DYNSYM) continue;
    const Elf64_Shdr& texts = elf.section(section.sh_link);
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = elf.at<Elf64_Sym>(section.sh_offset + at);
      if (is_offered(symbol)) names.push_back(elf.text(texts.sh_offset + symbol.st_name));
    }
  }
  return names;
}

}  // namespace headrace::testing
