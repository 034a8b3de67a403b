// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/tools.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "taihu/base/error.h"

namespace taihu::compiler {

namespace fs = std::filesystem;
using std::string;

namespace {

std::vector<char*> pointers(const std::vector<string>& words) {
  std::vector<char*> result;
  for (const string& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

/// White space, quotes and backslashes mean themselves.
string quoted(const string& word) {
  if (word.empty()) return "\"\"";
  string text;
  for (const char letter : word) {
    if (std::isspace(static_cast<unsigned char>(letter)) != 0 || letter == '"' || letter == '\'' ||
        letter == '\\')
      text += '\\';
    text += letter;
  }
  return text;
}

/// The system takes words of less than 32 pages, and of all words and the environment, however large that is,
/// a quarter of the stack's size. A line of this length is in the way of no environment that a shell can
/// have.
bool is_too_long(const std::vector<string>& words) {
  constexpr std::size_t longest_word = 100 * 1024, longest_line = 128 * 1024;
  std::size_t bytes = 0;
  for (const string& word : words) {
    if (word.size() > longest_word) return true;
    bytes += word.size() + 1 + sizeof(char*);
  }
  return bytes > longest_line;
}

/// An open file with the text that has no name and ends with the last program that has it open; -1: none.
int nameless_file(const string& text) {
  const int file = memfd_create("arguments", 0);
  for (std::size_t written = 0; file >= 0 && written < text.size();) {
    const ssize_t bytes = write(file, text.data() + written, text.size() - written);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) {
      close(file);
      return -1;
    }
    written += static_cast<std::size_t>(bytes);
  }
  return file;
}

/// Becomes the command, whose words stand in a file if they are too long for the system: compilers and
/// linkers take @FILE. Returns where it cannot, with the cause in errno.
void execute(const std::vector<string>& words) {
  if (!is_too_long(words)) {
    execvp(words[0].c_str(), pointers(words).data());
    return;
  }
  // clang tells its parts by the first word.
  const std::size_t kept = words.size() > 1 && words[1].starts_with("-cc1") ? 2 : 1;
  string text;
  for (std::size_t k = kept; k < words.size(); ++k) text += quoted(words[k]) + '\n';
  const int file = nameless_file(text);
  if (file < 0) return;
  std::vector<string> few(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(kept));
  few.push_back("@/proc/self/fd/" + std::to_string(file));
  execvp(few[0].c_str(), pointers(few).data());
}

/// The exit code of `child` when it has ended.
int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

string printed_by(const std::vector<string>& words, bool with_errors) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw system_error("cannot make a pipe", errno);
  const pid_t child = fork();
  if (child < 0) throw system_error("cannot start " + words[0], errno);
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    if (!with_errors) {
      const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
      if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
    }
    execute(words);
    _exit(127);
  }
  close(ends[1]);
  string text;
  char part[4096];
  for (ssize_t bytes = 0; (bytes = read(ends[0], part, sizeof part)) != 0;) {
    if (bytes < 0 && errno != EINTR) break;
    if (bytes > 0) text.append(part, static_cast<size_t>(bytes));
  }
  close(ends[0]);
  if (wait_for(child) != 0) return {};
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

string if_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) ? path.string() : string();
}

fs::path folder_with(const fs::path& file, const fs::path& root, const char* configured, const char* built) {
  const fs::path installed = root / configured;
  return if_there(installed / file).empty() ? root / built : installed;
}

string output_of(const std::vector<string>& words) {
  return printed_by(words, true);
}

string output_without_errors_of(const std::vector<string>& words) {
  return printed_by(words, false);
}

int run_command(const std::vector<string>& words) {
  const pid_t child = fork();
  if (child < 0) throw system_error("cannot start " + words[0], errno);
  if (child == 0) {
    execute(words);
    dprintf(STDERR_FILENO, "cannot start %s (%s)\n", words[0].c_str(), std::strerror(errno));
    _exit(127);
  }
  return wait_for(child);
}

void become(const std::vector<string>& words) {
  execute(words);
  throw system_error("cannot start " + words[0], errno);
}

}  // namespace taihu::compiler
