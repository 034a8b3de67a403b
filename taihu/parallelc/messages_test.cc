// SPDX-License-Identifier: Apache-2.0
// Wrong calls of messages: the documented code, and the job goes on.
#include <gtest/gtest.h>

#include <array>
#include <climits>
#include <vector>

#include "taihu/abi/parallelc.h"
#include "taihu/parallelc/processes_for_tests.h"

namespace taihu::parallelc {
namespace {

constexpr int ranks = 2;
constexpr long segment_bytes = 4096;

class Messages : public testing::TestWithParam<int> {
 protected:
  ProcessesForTests job_{GetParam(), ranks, 1, segment_bytes};
};
INSTANTIATE_TEST_SUITE_P(NodeProcesses, Messages, testing::Values(1, 2));

TEST_P(Messages, WrongTwoSidedCalls) {
  job_.run([&](int rank) {
    std::array<char, 16> data{};
    m_status_t status{};
    for (const int nobody : {-2, ranks, 1 << 30}) {
      EXPECT_EQ(m_send(nobody, data.data(), 1, 0), M_ERROR_ARGUMENT);
      EXPECT_EQ(m_recv(nobody, data.data(), 1, 0, &status), M_ERROR_ARGUMENT);
      EXPECT_EQ(m_isend(nobody, data.data(), 1, 0), M_NO_HANDLE);
      EXPECT_EQ(m_irecv(nobody, data.data(), 1, 0), M_NO_HANDLE);
      EXPECT_EQ(m_send_stride(nobody, data.data(), 4, 1, 2, 0), M_ERROR_ARGUMENT);
      EXPECT_EQ(m_recv_stride(nobody, data.data(), 4, 1, 2, 0, &status), M_ERROR_ARGUMENT);
      EXPECT_EQ(m_isend_stride(nobody, data.data(), 4, 1, 2, 0), M_NO_HANDLE);
      EXPECT_EQ(m_irecv_stride(nobody, data.data(), 4, 1, 2, 0), M_NO_HANDLE);
      EXPECT_EQ(m_probe(nobody, 0, &status), M_ERROR_ARGUMENT);
      int found = 0;
      EXPECT_EQ(m_iprobe(nobody, 0, &found, &status), M_ERROR_ARGUMENT);
    }
    EXPECT_EQ(m_send(M_ANY_RANK, data.data(), 1, 0), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_send(0, data.data(), -1, 0), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_recv(0, data.data(), -1, 0, &status), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_send(0, nullptr, 1, 0), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_recv(0, nullptr, 1, 0, &status), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_send(0, data.data(), 1, -1), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_recv(0, data.data(), 1, -2, &status), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_send_stride(0, data.data(), 4, 0, 2, 0), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_send_stride(0, data.data(), 4, 3, 2, 0), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_waitall(-1, nullptr, nullptr), M_ERROR_ARGUMENT);
    // Nothing of all this is under way.
    int found = 1;
    EXPECT_EQ(m_iprobe(M_ANY_RANK, M_ANY_TAG, &found, nullptr), M_SUCCESS);
    EXPECT_EQ(found, 0);
    EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
    EXPECT_EQ(m_send((rank + 1) % ranks, data.data(), 8, 3), M_SUCCESS);
    EXPECT_EQ(m_recv((rank + 1) % ranks, data.data(), 7, 3, &status), M_ERROR_TRUNCATE);
    EXPECT_EQ(status.size, 8);
    EXPECT_EQ(status.error, M_ERROR_TRUNCATE);
  });
}

TEST_P(Messages, NothingAndNoHandle) {
  job_.run([&](int rank) {
    const int other = (rank + 1) % ranks;
    m_status_t status{};
    handle_t send = m_isend(other, nullptr, 0, 0);
    EXPECT_EQ(m_recv(other, nullptr, 0, 0, &status), M_SUCCESS);
    EXPECT_EQ(status.size, 0);
    EXPECT_EQ(m_wait(&send, nullptr), M_SUCCESS);
    EXPECT_EQ(send, M_NO_HANDLE);
    EXPECT_EQ(m_wait(&send, nullptr), M_SUCCESS);
    int complete = 0;
    EXPECT_EQ(m_test(&send, &complete, nullptr), M_SUCCESS);
    EXPECT_EQ(complete, 1);
    EXPECT_EQ(m_waitall(0, nullptr, nullptr), M_SUCCESS);
    EXPECT_EQ(m_wait_msg(M_NO_HANDLE), M_SUCCESS);
    EXPECT_EQ(m_test_msg(M_NO_HANDLE), 1);
    EXPECT_EQ(m_msg_put_wait(other, nullptr, nullptr, 0, nullptr), M_SUCCESS);
    EXPECT_EQ(m_msg_get_wait(other, nullptr, nullptr, 0), M_SUCCESS);
    EXPECT_EQ(m_msg_put_stride_wait(other, nullptr, nullptr, 0, 0, 0, 0, nullptr), M_SUCCESS);
    EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
  });
}

TEST_P(Messages, WrongOneSidedCalls) {
  job_.run([&](int rank) {
    const int other = (rank + 1) % ranks;
    std::byte* const symmetric = job_.segment(rank);
    std::array<std::byte, 64> here{};
    int reply_on_stack = 0;
    for (const int nobody : {-1, ranks}) {
      EXPECT_EQ(m_msg_put_wait(nobody, here.data(), symmetric, 8, nullptr), M_ERROR_ARGUMENT);
      EXPECT_EQ(m_msg_get_wait(nobody, symmetric, here.data(), 8), M_ERROR_ARGUMENT);
      EXPECT_EQ(m_msg_put(nobody, here.data(), symmetric, 8, nullptr), M_NO_HANDLE);
      EXPECT_EQ(m_msg_get(nobody, symmetric, here.data(), 8), M_NO_HANDLE);
      EXPECT_EQ(m_msg_put_stride_wait(nobody, here.data(), symmetric, 8, 2, 4, 4, nullptr), M_ERROR_ARGUMENT);
      EXPECT_EQ(m_msg_get_stride_wait(nobody, symmetric, here.data(), 8, 2, 4, 4), M_ERROR_ARGUMENT);
    }
    EXPECT_EQ(m_msg_put_wait(other, here.data(), symmetric, -8, nullptr), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_msg_put_wait(other, nullptr, symmetric, 8, nullptr), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_msg_get_wait(other, symmetric, nullptr, 8), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_msg_put_wait(other, here.data(), here.data(), 8, nullptr), M_ERROR_ADDRESS);
    EXPECT_EQ(m_msg_get_wait(other, here.data(), here.data(), 8), M_ERROR_ADDRESS);
    EXPECT_EQ(m_msg_put_wait(other, here.data(), symmetric, 8, &reply_on_stack), M_ERROR_ADDRESS);
    // Its last byte is behind the end.
    EXPECT_EQ(m_msg_put_wait(other, here.data(), symmetric + segment_bytes - 7, 8, nullptr), M_ERROR_ADDRESS);
    EXPECT_EQ(m_msg_put_wait(other, here.data(), symmetric + segment_bytes - 8, 8, nullptr), M_SUCCESS);
    EXPECT_EQ(m_msg_put_stride_wait(other, here.data(), symmetric, 8, 2, 1, 4, nullptr), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_msg_put_stride_wait(other, here.data(), symmetric, 8, 2, 4, 1, nullptr), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_msg_get_stride_wait(other, symmetric, here.data(), 8, -1, 4, 4), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_msg_put_stride_wait(other, here.data(), symmetric + segment_bytes - 16, 8, 2, 2, 5, nullptr),
              M_ERROR_ADDRESS);
    EXPECT_EQ(m_wait_reply(nullptr, 1), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
  });
}

TEST_P(Messages, WrongAggregatedCalls) {
  job_.run([&](int rank) {
    EXPECT_EQ(m_aggregator_open(-1), nullptr);
    EXPECT_EQ(m_aggregator_open(255), nullptr);
    const m_aggregator_t aggregator = m_aggregator_open(256);
    ASSERT_NE(aggregator, nullptr);
    std::byte* const symmetric = job_.segment(rank);
    long here = 0;
    auto* const number = reinterpret_cast<long*>(symmetric);
    EXPECT_EQ(m_aggregator_put(nullptr, 0, &here, symmetric, 8), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_aggregator_put(aggregator, ranks, &here, symmetric, 8), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_aggregator_put(aggregator, 0, &here, symmetric, -8), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_aggregator_put(aggregator, 0, nullptr, symmetric, 8), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_aggregator_put(aggregator, 0, &here, &here, 8), M_ERROR_ADDRESS);
    EXPECT_EQ(m_aggregator_get(aggregator, 0, &here, &here, 8), M_ERROR_ADDRESS);
    EXPECT_EQ(m_aggregator_add(aggregator, 0, &here, 1), M_ERROR_ADDRESS);
    EXPECT_EQ(m_aggregator_add(aggregator, 0, reinterpret_cast<long*>(symmetric + 1), 1), M_ERROR_ADDRESS);
    EXPECT_EQ(m_aggregator_fetch_add(aggregator, 0, number, 1, nullptr), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_aggregator_put(aggregator, 0, nullptr, nullptr, 0), M_SUCCESS);
    EXPECT_EQ(m_aggregator_flush(nullptr), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_aggregator_close(nullptr), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_aggregator_close(aggregator), M_SUCCESS);
    EXPECT_EQ(m_aggregator_close(aggregator), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
  });
}

TEST_P(Messages, WrongTasks) {
  job_.run([&](int) {
    EXPECT_EQ(get_task_id(-1, nullptr, CCC_ALL), -1);
    EXPECT_EQ(get_task_id(1, nullptr, static_cast<m_scope_t>(CCC_ARRAY + 1)), -1);
    EXPECT_EQ(get_task_id(LONG_MAX, nullptr, CCC_ALL), -1);
    EXPECT_EQ(get_task_id(0, nullptr, CCC_ALL), -1);  // no task, and no error
    EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
  });
}

}  // namespace
}  // namespace taihu::parallelc
