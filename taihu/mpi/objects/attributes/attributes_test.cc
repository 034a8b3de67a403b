// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/attributes/attributes.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>

#include "taihu/mpi/objects/errors/added_errors.h"
#include "taihu/mpi/test_ranks.h"

namespace taihu::mpi {
namespace {

/// What the functions below have been told, in their order.
thread_local std::vector<std::pair<int, long>> deleted;

int copy_plus_one(MPI_Comm, int, void* extra, void* in, void* out, int* flag) {
  *static_cast<void**>(out) = static_cast<char*>(in) + reinterpret_cast<long>(extra);
  *flag = 1;
  return MPI_SUCCESS;
}
int copy_refused(MPI_Comm, int, void*, void*, void*, int*) {
  return MPI_ERR_OTHER;
}
int note_deletion(MPI_Comm, int keyval, void* value, void*) {
  deleted.emplace_back(keyval, reinterpret_cast<long>(value));
  return MPI_SUCCESS;
}
int refuse_deletion(MPI_Comm, int, void*, void*) {
  return MPI_ERR_INTERN;
}

void* number(long value) {
  return reinterpret_cast<void*>(value);
}

void on_one_rank(const std::function<void(Rank&)>& test) {
  run_ranks(1, [&](Rank& rank) {
    deleted.clear();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    test(rank);
  });
}

TEST(attributes, are_copied_as_their_functions_say) {
  on_one_rank([](Rank&) {
    int counted, same, lost;
    MPI_Comm_create_keyval(copy_plus_one, note_deletion, &counted, number(1));
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, note_deletion, &same, nullptr);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note_deletion, &lost, nullptr);
    MPI_Comm comm, copy;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    for (const int keyval : {counted, same, lost}) MPI_Comm_set_attr(comm, keyval, number(10));
    MPI_Comm_dup(comm, &copy);
    void* value = nullptr;
    int flag;
    MPI_Comm_get_attr(copy, counted, &value, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(value, number(11));
    MPI_Comm_get_attr(copy, same, &value, &flag);
    EXPECT_EQ(value, number(10));
    MPI_Comm_get_attr(copy, lost, &value, &flag);
    EXPECT_EQ(flag, 0);
    MPI_Comm_free(&copy);
    EXPECT_EQ(deleted, (std::vector<std::pair<int, long>>{{same, 10}, {counted, 11}}));
    deleted.clear();
    MPI_Comm_free(&comm);
    EXPECT_EQ(deleted, (std::vector<std::pair<int, long>>{{lost, 10}, {same, 10}, {counted, 10}}));
    for (int* keyval : {&counted, &same, &lost}) MPI_Comm_free_keyval(keyval);
    EXPECT_EQ(counted, MPI_KEYVAL_INVALID);
  });
}

TEST(attributes, setting_again_deletes_the_old_value) {
  on_one_rank([](Rank&) {
    int keyval;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note_deletion, &keyval, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, number(1));
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, number(2));
    EXPECT_EQ(deleted, (std::vector<std::pair<int, long>>{{keyval, 1}}));
    EXPECT_EQ(MPI_Comm_delete_attr(MPI_COMM_SELF, keyval), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_delete_attr(MPI_COMM_SELF, keyval), MPI_ERR_KEYVAL);
    MPI_Comm_free_keyval(&keyval);
  });
}

TEST(attributes, codes_of_functions_are_passed_on) {
  on_one_rank([](Rank&) {
    int stubborn, unique;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse_deletion, &stubborn, nullptr);
    MPI_Comm_create_keyval(copy_refused, nullptr, &unique, nullptr);
    MPI_Comm comm, copy = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_attr(comm, stubborn, number(1));
    EXPECT_EQ(MPI_Comm_free(&comm), MPI_ERR_INTERN);
    ASSERT_NE(comm, MPI_COMM_NULL) << "not freed";
    void* value;
    int flag;
    MPI_Comm_get_attr(comm, stubborn, &value, &flag);
    EXPECT_EQ(flag, 1) << "still there";
    MPI_Comm_set_attr(comm, unique, number(2));
    EXPECT_EQ(MPI_Comm_dup(comm, &copy), MPI_ERR_OTHER);
    EXPECT_EQ(copy, MPI_COMM_NULL) << "what was there before must not be taken for the duplicate";
    Attributes::of(*current_rank()).drop_all(*current_rank()->find<Communicator>(comm));
    EXPECT_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  });
}

TEST(attributes, a_freed_key_lives_as_long_as_its_values) {
  on_one_rank([](Rank&) {
    int keyval;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note_deletion, &keyval, nullptr);
    const int kept = keyval;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_attr(comm, keyval, number(5));
    MPI_Comm_free_keyval(&keyval);
    void* value;
    int flag;
    EXPECT_EQ(MPI_Comm_get_attr(comm, kept, &value, &flag), MPI_SUCCESS);
    EXPECT_EQ(value, number(5));
    MPI_Comm_free(&comm);
    EXPECT_EQ(deleted.size(), 1u);
    EXPECT_EQ(MPI_Comm_set_attr(MPI_COMM_SELF, kept, nullptr), MPI_ERR_KEYVAL);
    EXPECT_EQ(MPI_Comm_set_attr(MPI_COMM_SELF, MPI_KEYVAL_INVALID, nullptr), MPI_ERR_KEYVAL);
  });
}

TEST(attributes, keys_belong_to_one_kind_of_object) {
  on_one_rank([](Rank&) {
    int for_types;
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &for_types, nullptr);
    EXPECT_EQ(MPI_Comm_set_attr(MPI_COMM_SELF, for_types, nullptr), MPI_ERR_KEYVAL);
    EXPECT_EQ(MPI_Comm_free_keyval(&for_types), MPI_ERR_KEYVAL);
    EXPECT_EQ(MPI_Type_free_keyval(&for_types), MPI_SUCCESS);
  });
}

TEST(attributes, predefined_ones) {
  run_ranks({6, 2, 2}, [](Rank&) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const auto value_of = [](int keyval) {
      int *value = nullptr, flag = 0;
      EXPECT_EQ(MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &value, &flag), MPI_SUCCESS);
      EXPECT_EQ(flag, 1);
      return *value;
    };
    EXPECT_EQ(value_of(MPI_TAG_UB), 2147483647);
    EXPECT_EQ(value_of(MPI_UNIVERSE_SIZE), 6);
    EXPECT_EQ(value_of(MPI_WTIME_IS_GLOBAL), 0);
    EXPECT_EQ(value_of(MPI_APPNUM), 0);
    EXPECT_EQ(value_of(MPI_HOST), MPI_PROC_NULL);
    EXPECT_EQ(value_of(MPI_LASTUSEDCODE), MPI_ERR_LASTCODE);
    int code;
    MPI_Add_error_class(&code);
    EXPECT_EQ(value_of(MPI_LASTUSEDCODE), code);
    EXPECT_EQ(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, &code), MPI_ERR_KEYVAL);
    EXPECT_EQ(MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_TAG_UB), MPI_ERR_KEYVAL);
  });
}

TEST(attributes, c_programs_see_values_of_fortran_through_a_pointer) {
  on_one_rank([](Rank& rank) {
    Attributes& attributes = Attributes::of(rank);
    const int keyval = attributes.create_keyval({Carrier::communicator, Language::c});
    attributes.set(rank.self(), Carrier::communicator, keyval, number(-7), Language::fortran);
    MPI_Aint* value;
    int flag;
    MPI_Comm_get_attr(MPI_COMM_SELF, keyval, &value, &flag);
    EXPECT_EQ(*value, -7);
    attributes.drop_all(rank.self());
  });
}

TEST(attributes, several_threads) {
  on_one_rank([](Rank& rank) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&rank, t] {
        TestRanks::run_as(rank, [&](Rank&) {
          int keyval;
          MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, nullptr, &keyval, nullptr);
          for (long i = 0; i < 200; ++i) {
            MPI_Comm_set_attr(MPI_COMM_SELF, keyval, number(1000 * t + i));
            void* value;
            int flag;
            MPI_Comm_get_attr(MPI_COMM_SELF, keyval, &value, &flag);
            EXPECT_EQ(value, number(1000 * t + i));
          }
          MPI_Comm_delete_attr(MPI_COMM_SELF, keyval);
          MPI_Comm_free_keyval(&keyval);
        });
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
}

/// `set` and `get` of one object in two threads of its rank.
void while_another_thread_asks(Rank& rank, const std::function<void(const char*)>& set,
                               const std::function<void(char*)>& get) {
  const std::string names[] = {std::string(60, 'a'), std::string(90, 'b')};
  set(names[0].c_str());
  std::thread other([&] {
    TestRanks::run_as(rank, [&](Rank&) {
      for (int k = 0; k < 500; ++k) set(names[k % 2].c_str());
    });
  });
  for (int k = 0; k < 500; ++k) {
    char name[MPI_MAX_OBJECT_NAME];
    get(name);
    EXPECT_TRUE(name == names[0] || name == names[1]) << name;
  }
  other.join();
}

TEST(names, may_be_changed_while_another_thread_asks) {
  on_one_rank([](Rank& rank) {
    int length;
    while_another_thread_asks(
        rank, [](const char* name) { MPI_Comm_set_name(MPI_COMM_WORLD, name); },
        [&](char* name) { MPI_Comm_get_name(MPI_COMM_WORLD, name, &length); });
    MPI_Datatype type;
    MPI_Type_contiguous(3, MPI_INT, &type);
    while_another_thread_asks(
        rank, [&](const char* name) { MPI_Type_set_name(type, name); },
        [&](char* name) { MPI_Type_get_name(type, name, &length); });
    MPI_Type_free(&type);
    MPI_Win window;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    while_another_thread_asks(
        rank, [&](const char* name) { MPI_Win_set_name(window, name); },
        [&](char* name) { MPI_Win_get_name(window, name, &length); });
    // Hints of both kinds.
    MPI_Info info;
    MPI_Info_create(&info);
    const auto hint_of = [](MPI_Info& found, const char* key, char* value) {
      int flag = 0;
      MPI_Info_get(found, key, MPI_MAX_OBJECT_NAME - 1, value, &flag);
      EXPECT_EQ(flag, 1);
      MPI_Info_free(&found);
    };
    while_another_thread_asks(
        rank,
        [&](const char* value) {
          MPI_Info_set(info, "no_locks", value);
          MPI_Win_set_info(window, info);
          MPI_Comm_set_info(MPI_COMM_WORLD, info);
        },
        [&](char* value) {
          MPI_Info found;
          MPI_Comm_get_info(MPI_COMM_WORLD, &found);
          hint_of(found, "no_locks", value);
          MPI_Win_get_info(window, &found);
          hint_of(found, "no_locks", value);
        });
    MPI_Info_free(&info);
    MPI_Win_free(&window);
  });
}

TEST(names, are_cut_to_what_fits) {
  on_one_rank([](Rank&) {
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    EXPECT_STREQ(name, "MPI_COMM_WORLD");
    EXPECT_EQ(length, 14);
    const std::string long_name(300, 'n');
    MPI_Comm_set_name(MPI_COMM_WORLD, long_name.c_str());
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    EXPECT_EQ(length, MPI_MAX_OBJECT_NAME - 1);
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_get_name(copy, name, &length);
    EXPECT_EQ(length, 0);
    MPI_Comm_free(&copy);
    EXPECT_EQ(MPI_Comm_set_name(MPI_COMM_WORLD, nullptr), MPI_ERR_ARG);
  });
}

}  // namespace
}  // namespace taihu::mpi
