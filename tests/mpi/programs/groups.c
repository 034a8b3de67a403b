/* SPDX-License-Identifier: Apache-2.0
 * Set algebra of groups against sets of bits, attributes and removed calls of MPI-1, and what topologies
 * tell. */
#include "check.h"

static MPI_Group world;

static MPI_Group group_of(unsigned members) {
  int chosen[32], count = 0;
  for (int k = 0; k < ranks; ++k)
    if (members >> k & 1) chosen[count++] = k;
  MPI_Group group;
  MPI_Group_incl(world, count, chosen, &group);
  return group;
}

/* The group has these members, in the order of their ranks, and is freed. */
static void check_members(MPI_Group group, unsigned members) {
  int size;
  MPI_Group_size(group, &size);
  CHECK(size == __builtin_popcount(members));
  for (int k = 0, at = 0; k < ranks; ++k) {
    int place;
    MPI_Group_translate_ranks(world, 1, &k, group, &place);
    CHECK(place == (members >> k & 1 ? at++ : MPI_UNDEFINED));
  }
  if (group != MPI_GROUP_EMPTY) MPI_Group_free(&group);
}

static void algebra(void) {
  unsigned long long state = 7;
  const unsigned all = (1U << ranks) - 1;
  for (int round = 0; round < 40; ++round) {
    unsigned left = round == 0 ? 0 : next_random(&state) & all,
             right = round == 1 ? 0 : next_random(&state) & all;
    MPI_Group a = group_of(left), b = group_of(right), result;
    MPI_Group_intersection(a, b, &result);
    check_members(result, left & right);
    MPI_Group_difference(a, b, &result);
    check_members(result, left & ~right);
    MPI_Group_union(a, b, &result);
    int size, compared;
    MPI_Group_size(result, &size);
    CHECK(size == __builtin_popcount(left | right));
    MPI_Group other = group_of(left | right);
    MPI_Group_compare(result, other, &compared);
    CHECK(compared == MPI_IDENT || compared == MPI_SIMILAR);
    if (result != MPI_GROUP_EMPTY) MPI_Group_free(&result);
    if (other != MPI_GROUP_EMPTY) MPI_Group_free(&other);
    MPI_Group_compare(a, b, &compared);
    CHECK(compared == (left == right ? MPI_IDENT : MPI_UNEQUAL));
    if (a != MPI_GROUP_EMPTY) MPI_Group_free(&a);
    if (b != MPI_GROUP_EMPTY) MPI_Group_free(&b);
  }
}

static void ranges(void) {
  int every_second[1][3] = {{0, ranks - 1, 2}}, backwards[1][3] = {{ranks - 1, 0, -1}}, first = 0, compared;
  unsigned even = 0;
  for (int k = 0; k < ranks; k += 2) even |= 1U << k;
  MPI_Group group;
  MPI_Group_range_incl(world, 1, every_second, &group);
  check_members(group, even);
  MPI_Group_range_excl(world, 1, every_second, &group);
  check_members(group, ((1U << ranks) - 1) & ~even);
  MPI_Group_excl(world, 1, &first, &group);
  check_members(group, ((1U << ranks) - 1) & ~1U);
  MPI_Group_range_incl(world, 1, backwards, &group);
  MPI_Group_compare(world, group, &compared);
  CHECK(compared == (ranks == 1 ? MPI_IDENT : MPI_SIMILAR));
  int place;
  MPI_Group_rank(group, &place);
  CHECK(place == ranks - 1 - rank);
  MPI_Group_free(&group);
}

static int copies, deletions;
static int copy(MPI_Comm comm, int key, void* extra, void* value, void* result, int* copied) {
  (void)comm;
  (void)key;
  ++copies;
  *(void**)result = (char*)value + *(int*)extra;
  *copied = 1;
  return MPI_SUCCESS;
}
static int delete(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm;
  (void)key;
  (void)value;
  (void)extra;
  ++deletions;
  return MPI_SUCCESS;
}

static int errors;
static void count_error(MPI_Comm* comm, int* error, ...) {
  (void)comm;
  (void)error;
  ++errors;
}

/* Of MPI-1, removed in MPI-3.0 and still in old programs. */
static void attributes_of_old_programs(void) {
  int key, extra = 2, found;
  char place[4], *value;
  MPI_Keyval_create(copy, delete, &key, &extra);
  MPI_Attr_get(MPI_COMM_WORLD, key, &value, &found);
  CHECK(!found);
  MPI_Attr_put(MPI_COMM_WORLD, key, place);
  MPI_Comm same;
  MPI_Comm_dup(MPI_COMM_WORLD, &same);
  MPI_Attr_get(same, key, &value, &found);
  CHECK(found && value == place + 2 && copies == 1);
  MPI_Attr_delete(MPI_COMM_WORLD, key);
  CHECK(deletions == 1);
  MPI_Comm_free(&same);
  CHECK(deletions == 2);
  MPI_Keyval_free(&key);
  CHECK(key == MPI_KEYVAL_INVALID);

  MPI_Errhandler handler;
  MPI_Errhandler_create(count_error, &handler);
  MPI_Comm_dup(MPI_COMM_SELF, &same);
  MPI_Errhandler_set(same, handler);
  MPI_Errhandler_free(&handler);
  CHECK(MPI_Send(NULL, -1, MPI_INT, 0, 0, same) != MPI_SUCCESS && errors == 1);
  MPI_Comm_free(&same);

  int type_key, *number = &extra;
  MPI_Datatype type;
  MPI_Type_dup(MPI_INT, &type);
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &type_key, NULL);
  MPI_Type_set_attr(type, type_key, number);
  MPI_Type_delete_attr(type, type_key);
  MPI_Type_get_attr(type, type_key, &value, &found);
  CHECK(!found);
  MPI_Type_free_keyval(&type_key);
  MPI_Type_free(&type);
}

static void topologies(void) {
  int sizes[3] = {0, 0, 0}, product = 1;
  MPI_Dims_create(ranks, 3, sizes);
  for (int k = 0; k < 3; ++k) product *= sizes[k];
  CHECK(product == ranks && sizes[0] >= sizes[1] && sizes[1] >= sizes[2]);
  int grid[2] = {ranks, 1}, periods[2] = {1, 0}, mapped;
  MPI_Cart_map(MPI_COMM_WORLD, 2, grid, periods, &mapped);
  CHECK(mapped == MPI_UNDEFINED || mapped >= 0);

  /* A ring. */
  int ends[32], edges[64], ends_back[32], edges_back[64], nodes, links;
  for (int k = 0; k < ranks; ++k) {
    ends[k] = 2 * (k + 1);
    edges[2 * k] = (k + ranks - 1) % ranks;
    edges[2 * k + 1] = (k + 1) % ranks;
  }
  MPI_Comm ring;
  MPI_Graph_create(MPI_COMM_WORLD, ranks, ends, edges, 0, &ring);
  MPI_Graphdims_get(ring, &nodes, &links);
  CHECK(nodes == ranks && links == 2 * ranks);
  MPI_Graph_get(ring, ranks, 2 * ranks, ends_back, edges_back);
  CHECK(!memcmp(ends, ends_back, sizeof(int) * (size_t)ranks));
  CHECK(!memcmp(edges, edges_back, sizeof(int) * 2 * (size_t)ranks));
  MPI_Comm_free(&ring);
}

static void environment(void) {
  int level = -1, found;
  MPI_Query_thread(&level);
  CHECK(level >= MPI_THREAD_SINGLE && level <= MPI_THREAD_MULTIPLE);
  MPI_Info hints, back;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "mpi_assert_no_any_tag", "true");
  MPI_Comm same;
  MPI_Request request;
  MPI_Comm_idup_with_info(MPI_COMM_WORLD, hints, &same, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_get_info(same, &back);
  char value[8];
  MPI_Info_get(back, "mpi_assert_no_any_tag", 7, value, &found);
  CHECK(found && !strcmp(value, "true"));
  MPI_Info_free(&back);
  MPI_Info_free(&hints);
  int one = 1, sum;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, same);
  CHECK(sum == ranks);
  MPI_Comm_free(&same);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  algebra();
  ranges();
  attributes_of_old_programs();
  topologies();
  environment();
  MPI_Group_free(&world);
  return end("groups");
}
