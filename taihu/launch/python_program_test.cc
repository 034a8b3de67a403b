// SPDX-License-Identifier: Apache-2.0
// Which files count as Python programs. That they run is tested with whole programs (tests/mpi/python).
#include "taihu/launch/python_program.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "taihu/base/error.h"

namespace taihu::launch {
namespace {

class PythonProgram : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "taihu_python_XXXXXX";
    folder_ = mkdtemp(pattern.data());
    std::filesystem::create_directories(folder_ + "/bin");
    std::filesystem::create_directories(folder_ + "/lib");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string make(const std::string& name, const std::string& text) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    chmod(path.c_str(), 0755);
    return path;
  }
  /// The beginning of an executable with one part.
  std::string make_executable(const std::string& name, Elf64_Half type, Elf64_Word part) {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_type = type;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 1;
    Elf64_Phdr first{};
    first.p_type = part;
    std::string text(reinterpret_cast<const char*>(&header), sizeof header);
    return make(name, text.append(reinterpret_cast<const char*>(&first), sizeof first));
  }
  std::string folder_;
};

using Words = std::vector<std::string>;

TEST_F(PythonProgram, scripts_name_their_interpreter) {
  const std::string python = make("bin/python3", "");
  const auto plain = python_script(make("plain", "#!" + python + "\nprint(1)\n"));
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->interpreter, python);
  EXPECT_EQ(plain->arguments, Words{});
  const auto with_option = python_script(make("option", "#! " + python + " -u\n"));
  ASSERT_TRUE(with_option.has_value());
  EXPECT_EQ(with_option->arguments, Words{"-u"});
  EXPECT_FALSE(python_script(make("shell", "#!/bin/sh\n# python\n")).has_value());
  EXPECT_FALSE(python_script(make("text", "python\n")).has_value());
  EXPECT_FALSE(python_script(make("empty", "")).has_value());
  EXPECT_FALSE(python_script(folder_ + "/none").has_value());
  EXPECT_FALSE(python_script(make("no_name", "#!/usr/bin/env\n")).has_value());
}

TEST_F(PythonProgram, scripts_may_start_a_shell_that_starts_their_interpreter) {
  std::filesystem::create_directories(folder_ + "/a place");
  const std::string python = make("a place/python3", "");
  const auto of = [&](const std::string& words) {
    return python_script(make("script", "#!/bin/sh\n'''exec' " + words + "\n' '''\nprint(1)\n"));
  };
  for (const char* quote : {"\"", "'"}) {
    const auto script = of(quote + python + quote + " -E \"$0\" \"$@\"");
    ASSERT_TRUE(script.has_value());
    EXPECT_EQ(script->interpreter, python);
    EXPECT_EQ(script->arguments, Words{"-E"});
  }
  const std::string deep = "bin/" + std::string(200, 'a') + "/" + std::string(200, 'b');
  std::filesystem::create_directories(folder_ + "/" + deep);
  const std::string far = make(deep + "/python3", "");
  const auto script = of(far + " \"$0\" \"$@\"");
  ASSERT_TRUE(script.has_value());
  EXPECT_EQ(script->interpreter, far);

  EXPECT_TRUE(of("\"" + python + "\" \"$0\" \"$@\" #'''").has_value()) << "as conda writes it";
  EXPECT_FALSE(of("/bin/cat \"$0\" \"$@\"").has_value());
  EXPECT_FALSE(of("'" + python + "' other \"$@\"").has_value());
  EXPECT_FALSE(of("\"$(dirname \"$0\")\"/python3 \"$0\" \"$@\"").has_value()) << "only a shell knows which";
  EXPECT_FALSE(python_script(make("script", "#!/bin/sh\n")).has_value());
}

TEST_F(PythonProgram, env_looks_in_PATH) {
  const std::string python = make("bin/python3", "");
  const char* const before = std::getenv("PATH");
  const std::string path = before != nullptr ? before : "";
  setenv("PATH", (folder_ + "/bin").c_str(), 1);
  const auto found = python_script(make("script", "#!/usr/bin/env python3\n"));
  const auto split = python_script(make("split", "#!/usr/bin/env -S python3 -u -B\n"));
  EXPECT_THROW(python_script(make("other", "#!/usr/bin/env python2\n")), Error);
  setenv("PATH", path.c_str(), 1);
  ASSERT_TRUE(found.has_value() && split.has_value());
  EXPECT_EQ(found->interpreter, python);
  EXPECT_EQ(split->interpreter, python);
  EXPECT_EQ(split->arguments, (Words{"-u", "-B"}));
}

TEST_F(PythonProgram, an_interpreter_that_cannot_be_copied_runs_from_its_library) {
  const std::string fixed = make_executable("bin/python3.11", ET_EXEC, PT_LOAD);
  const std::string library = make("lib/libpython3.11.so.1.0", "");
  const std::string virtual_environment = folder_ + "/bin/python";
  std::filesystem::create_symlink(fixed, virtual_environment);
  const ProgramStart start = program_start(virtual_environment, folder_);
  EXPECT_EQ(start.program, folder_ + "/python-start");
  EXPECT_EQ(start.name, "") << "by the name that was given it finds its environment";
  EXPECT_EQ(start.arguments, Words{library});

  const std::string script = make("script", "#!" + virtual_environment + " -u\n");
  const ProgramStart of_script = program_start(script, folder_);
  EXPECT_EQ(of_script.program, folder_ + "/python-start");
  EXPECT_EQ(of_script.name, virtual_environment);
  EXPECT_EQ(of_script.arguments, (Words{library, "-u", script}));

  make_executable("bin/python3.12", ET_DYN, PT_TLS);
  make("lib/libpython3.12.so.1.0", "");
  EXPECT_EQ(program_start(folder_ + "/bin/python3.12", folder_).program, folder_ + "/python-start");
}

TEST_F(PythonProgram, without_its_library_one_with_thread_local_variables_runs_as_it_is) {
  std::filesystem::create_symlink("/bin/true", folder_ + "/python-start");
  const std::string python = make_executable("bin/python3.99", ET_DYN, PT_TLS);
  EXPECT_EQ(program_start(python, folder_).program, python);
}

TEST_F(PythonProgram, others_run_as_they_are) {
  make("lib/libpython3.11.so.1.0", "");
  const std::string movable = make_executable("bin/python3.11", ET_DYN, PT_LOAD);
  EXPECT_EQ(program_start(movable, folder_).program, movable);
  EXPECT_EQ(program_start(movable, folder_).arguments, Words{});
  for (const char* name :
       {"bin/python3.", "bin/python3", "bin/python3.11-dbg", "bin/other3.11", "bin/pythonx.y"}) {
    const std::string path = make_executable(name, ET_EXEC, PT_LOAD);
    EXPECT_EQ(program_start(path, folder_).program, path);
  }
}

}  // namespace
}  // namespace taihu::launch
