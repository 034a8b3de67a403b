// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/code_file.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "taihu/abi/intermediate_code.h"
#include "taihu/base/error.h"

namespace taihu::compiler {

namespace {

using std::string;

template <typename T>
T value_of(llvm::Expected<T> found, const string& title) {
  if (!found) throw Error(title + ": cannot be read (" + llvm::toString(found.takeError()) + ")");
  return std::move(*found);
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
      if (value_of(child.getName(), title_) != file_.place.member) continue;
      read_object(value_of(child.getMemoryBufferRef(), title_));
      ++members;
    }
    if (error) throw Error(title_ + ": cannot be read (" + llvm::toString(std::move(error)) + ")");
    if (members > 1) file_.problem = "its archive has several members of this name";
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
    }
  }

  template <typename Symbols>
  void read_names(Symbols symbols) {
    for (const llvm::object::SymbolRef& symbol : symbols) {
      const uint32_t flags = value_of(symbol.getFlags(), title_);
      if (value_of(symbol.getType(), title_) == llvm::object::SymbolRef::ST_File) ++sources_;
      if ((flags & llvm::object::SymbolRef::SF_Global) == 0) continue;
      auto& names = (flags & llvm::object::SymbolRef::SF_Undefined) != 0 ? file_.undefined : file_.defined;
      names.insert(value_of(symbol.getName(), title_).str());
    }
  }

  string title_;
  CodeFile file_;
  unsigned sources_ = 0;
};

bool is_text(llvm::StringRef content) {
  return !content.starts_with("\177ELF") && !content.starts_with("!<");
}

}  // namespace

bool is_joined(const CodeFile& file) {
  return !file.code.empty() && file.problem.empty();
}

string title_of(const UsedFile& place) {
  return place.member.empty() ? place.file : place.file + "(" + place.member + ")";
}

void add_words(const string& text, std::set<string>& names) {
  string word;
  for (const char letter : text + " ") {
    if (llvm::isAlnum(letter) || letter == '_' || letter == '$' || letter == '.') {
      word += letter;
    } else {
      if (!word.empty()) names.insert(word);
      word.clear();
    }
  }
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

CodeFile read_code_file(const UsedFile& place) {
  return Reader(place).read();
}

}  // namespace taihu::compiler
