// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/code_file.h"

#include <algorithm>
#include <filesystem>

#include "llvm/ADT/SmallVector.h"
#include "llvm/LTO/LTO.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "taihu/abi/intermediate_code.h"
#include "taihu/base/error.h"
#include "taihu/compiler/assembler_text.h"
#include "taihu/compiler/constructor_sections.h"

namespace taihu::compiler {

namespace {

namespace fs = std::filesystem;
using std::string;

template <typename T>
T value_of(llvm::Expected<T> found, const string& title) {
  if (!found) throw Error(title + ": cannot be read (" + llvm::toString(found.takeError()) + ")");
  return std::move(*found);
}

/// Empty where LLVM cannot read it: names of archives in archives of GNU's ar.
template <typename T>
string text_or_empty(llvm::Expected<T> found) {
  if (found) return llvm::StringRef(*found).str();
  llvm::consumeError(found.takeError());
  return "";
}

/// Intermediate code alone, as compilers leave it for a link-time optimiser.
bool is_code(llvm::StringRef content) {
  return content.starts_with("BC\xC0\xDE") || content.starts_with("\xDE\xC0\x17\x0B");
}

/// Reads objects of one file; several where an archive has members of the same name.
class Reader {
 public:
  explicit Reader(const UsedFile& place) : title_(title_of(place)) { file_.place = place; }

  CodeFile read() {
    auto buffer =
        llvm::MemoryBuffer::getFile(file_.place.file, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!buffer) throw Error("cannot read " + file_.place.file + " (" + buffer.getError().message() + ")");
    const llvm::MemoryBufferRef content = (*buffer)->getMemBufferRef();
    if (!file_.place.member.empty())
      read_members(content);
    else if (is_code(content.getBuffer()))
      read_code(content);
    else if (content.getBuffer().starts_with("\177ELF"))
      read_object(content);
    else if (!content.getBuffer().starts_with("!<"))
      add_words(content.getBuffer().str(), file_.undefined);
    return std::move(file_);
  }

 private:
  void read_members(llvm::MemoryBufferRef content) {
    const auto archive = value_of(llvm::object::Archive::create(content), title_);
    unsigned members = 0;
    llvm::Error error = llvm::Error::success();
    for (const auto& child : archive->children(error)) {
      if (text_or_empty(child.getName()) != file_.place.member) continue;
      const llvm::MemoryBufferRef member = value_of(child.getMemoryBufferRef(), title_);
      is_code(member.getBuffer()) ? read_code(member) : read_object(member);
      ++members;
    }
    if (error) throw Error(title_ + ": cannot be read (" + llvm::toString(std::move(error)) + ")");
    if (members > 1) file_.problem = "its archive has several members of this name";
  }

  /// An object of a link-time optimiser, for lld. What it refers to is not joined.
  void read_code(llvm::MemoryBufferRef content) {
    const auto input = value_of(llvm::lto::InputFile::create(content), title_);
    file_.is_object = true;
    file_.constructor_sections = {".init_array", ".fini_array"};  // as far as one knows
    for (const llvm::lto::InputFile::Symbol& symbol : input->symbols())
      (symbol.isUndefined() ? file_.undefined : file_.defined).insert(symbol.getName().str());
  }

  void read_object(llvm::MemoryBufferRef content) {
    const auto binary = value_of(llvm::object::ObjectFile::createELFObjectFile(content), title_);
    const auto& object = llvm::cast<llvm::object::ELFObjectFileBase>(*binary);
    file_.is_object = object.getEType() == llvm::ELF::ET_REL;
    if (file_.is_object)
      read_names(object.symbols());
    else
      read_names(object.getDynamicSymbolIterators());
    if (!file_.is_object) return;
    if (sources_ > 1) file_.problem = "ld -r made it of several objects";
    for (const llvm::object::SectionRef& section : object.sections()) {
      const llvm::StringRef name = value_of(section.getName(), title_);
      if (name == TAIHU_CODE_SECTION) file_.code += value_of(section.getContents(), title_);
      if (name == TAIHU_CODE_OPTIONS_SECTION)
        file_.options = read_stored_options(value_of(section.getContents(), title_).str());
      if (name == TAIHU_CODE_NAMES_SECTION) read_code_names(value_of(section.getContents(), title_));
      const llvm::object::ELFSectionRef part(section);
      if (part.getType() == llvm::ELF::SHT_INIT_ARRAY || part.getType() == llvm::ELF::SHT_FINI_ARRAY ||
          is_for_constructors(std::string_view(name)))
        file_.constructor_sections.insert(list_of_section(std::string_view(name)));
      if (part.getType() == llvm::ELF::SHT_LLVM_ADDRSIG && names_symbol_table(object, part))
        file_.is_as_compiled = true;
    }
  }

  /// GNU tools, which do not know the section, write it without its link to the symbol table, and LLVM's
  /// where they remove names; lld -r leaves it out.
  static bool names_symbol_table(const llvm::object::ELFObjectFileBase& object,
                                 const llvm::object::ELFSectionRef& section) {
    const auto* const file = llvm::dyn_cast<llvm::object::ELF64LEObjectFile>(&object);
    if (file == nullptr) return false;
    const auto* const header = file->getSection(section.getRawDataRefImpl());
    auto linked = file->getELFFile().getSection(header->sh_link);
    if (!linked) {
      llvm::consumeError(linked.takeError());
      return false;
    }
    return (*linked)->sh_type == llvm::ELF::SHT_SYMTAB;
  }

  void read_code_names(llvm::StringRef text) {
    file_.tells_names = true;
    llvm::SmallVector<llvm::StringRef> words;
    text.split(words, '\0', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef word : words) {
      auto& names = word.front() == TAIHU_CODE_NAME_CERTAIN ? file_.certain : file_.possible;
      names.insert(word.drop_front().str());
    }
  }

  template <typename Symbols>
  void read_names(Symbols symbols) {
    for (const llvm::object::SymbolRef& symbol : symbols) {
      const uint32_t flags = value_of(symbol.getFlags(), title_);
      if (value_of(symbol.getType(), title_) == llvm::object::SymbolRef::ST_File) ++sources_;
      if ((flags & llvm::object::SymbolRef::SF_Global) == 0) continue;
      const bool is_defined = (flags & llvm::object::SymbolRef::SF_Undefined) == 0;
      const string name = value_of(symbol.getName(), title_).str();
      (is_defined ? file_.defined : file_.undefined).insert(name);
      if (is_defined && (flags & llvm::object::SymbolRef::SF_Weak) != 0) file_.weak.insert(name);
    }
  }

  string title_;
  CodeFile file_;
  unsigned sources_ = 0;
};

bool is_text(llvm::StringRef content) {
  return !content.starts_with("\177ELF") && !content.starts_with("!<") && !is_code(content);
}

/// Whether the object has the name that compilers give to one that lives as long as they run:
/// "source-1a2b3c.o".
bool is_temporary(const fs::path& object, const fs::path& source) {
  const string read = source == "<stdin>" ? "-" : source.stem().string();
  const string name = object.stem().string(), begin = read + "-";
  return object.parent_path() == fs::temp_directory_path() && name.starts_with(begin) &&
         name.size() == begin.size() + 6;
}

/// Files that the word may let the linker look into.
std::vector<string> archives_of(const std::vector<string>& words, std::size_t k,
                                const std::vector<string>& folders) {
  const string name = archive_sought(words, k);
  if (name.empty()) return {words[k]};
  std::vector<string> files;
  for (const string& folder : folders) files.push_back(folder + "/" + name);
  return files;
}

/// Gives those of `used` that stand alone and are members of the file, if this is such an archive, their
/// place in it.
void find_members(const string& file, const std::vector<UsedFile*>& alone) {
  if (!llvm::sys::fs::is_regular_file(file)) return;
  const auto content = llvm::MemoryBuffer::getFile(file, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!content || !(*content)->getBuffer().starts_with("!<thin>")) return;
  const auto archive = value_of(llvm::object::Archive::create((*content)->getMemBufferRef()), file);
  llvm::Error error = llvm::Error::success();
  for (const auto& child : archive->children(error))
    for (UsedFile* const used : alone) {
      std::error_code ignored;
      if (used->member.empty() && fs::equivalent(used->file, text_or_empty(child.getFullName()), ignored))
        *used = {file, text_or_empty(child.getName())};
    }
  if (error) throw Error(file + ": cannot be read (" + llvm::toString(std::move(error)) + ")");
}

}  // namespace

bool is_joined(const CodeFile& file) {
  return !file.code.empty() && file.problem.empty();
}

string title_of(const UsedFile& place) {
  return place.member.empty() ? place.file : place.file + "(" + place.member + ")";
}

string title_of(const CodeFile& file) {
  return is_temporary(file.place.file, file.source) ? file.source : title_of(file.place);
}

void find_thin_members(std::vector<UsedFile>& used, const LinkLine& line) {
  std::vector<UsedFile*> alone;
  for (UsedFile& file : used)
    if (file.member.empty() && !line.names(file.file)) alone.push_back(&file);
  const std::vector<string> folders = library_folders(line.words);
  for (std::size_t k = 0; k < line.words.size(); ++k)
    for (const string& file : archives_of(line.words, k, folders)) find_members(file, alone);
}

std::set<string> names_in_words(const std::vector<string>& words) {
  std::set<string> names;
  for (const string& word : words) {
    add_words(word, names);
    // "-uNAME", "-TFILE" and "--option=FILE" are one word.
    if (word.starts_with('-') && word.size() > 2) add_words(word.substr(2), names);
    for (const string& file :
         {word, word.substr(word.find('=') + 1), word.substr(std::min<size_t>(2, word.size()))}) {
      if (file.empty() || !llvm::sys::fs::is_regular_file(file)) continue;
      const auto content = llvm::MemoryBuffer::getFile(file);
      if (content && is_text((*content)->getBuffer())) add_words((*content)->getBuffer().str(), names);
    }
  }
  return names;
}

bool have_common(const std::set<string>& names, const std::set<string>& others) {
  return std::any_of(names.begin(), names.end(), [&](const string& name) { return others.contains(name); });
}

std::vector<string> find_places_of_constructors(std::vector<CodeFile>& files, const LinkLine& line) {
  std::vector<string> warnings;
  bool has_begun = false;
  UsedFile before;
  const CodeFile* out_of_place = nullptr;
  for (CodeFile& file : files) {
    if (!file.is_object) continue;
    const bool is_word = file.place.member.empty() && line.names(file.place.file);
    const bool is_other = !is_joined(file) && !file.constructor_sections.empty();
    if (is_word) out_of_place = nullptr;
    if (is_other && out_of_place != nullptr && file.place.file == before.file &&
        have_common(file.constructor_sections, out_of_place->constructor_sections)) {
      warnings.push_back("constructors of " + title_of(*out_of_place) + " run behind those of " +
                         title_of(file) + ", before which the linker takes it");
      out_of_place = nullptr;
    }
    has_begun = has_begun || is_joined(file);
    // A place among the words is exact, one behind the member of an archive is behind the archive.
    if ((is_other && has_begun) || (is_word && !before.file.empty())) before = file.place;
    if (!is_joined(file)) continue;
    file.before_constructors = before;
    if (!file.constructor_sections.empty() && !before.member.empty()) out_of_place = &file;
  }
  return warnings;
}

CodeFile read_code_file(const UsedFile& place) {
  return Reader(place).read();
}

}  // namespace taihu::compiler
