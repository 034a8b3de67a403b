// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/message_handle.h"

#include <gtest/gtest.h>

#include "taihu/message/matching/request.h"

namespace taihu::parallelc {
namespace {

TEST(MessageHandle, ABareRequestIsItself) {
  message::Request request;
  const handle_t handle = to_handle(&request);
  EXPECT_EQ(request_of(handle), &request);
  EXPECT_EQ(strided_message_of(handle), nullptr);
  release(handle);  // owns nothing
}

TEST(MessageHandle, NoMessageHasNoRequest) {
  EXPECT_EQ(to_handle(static_cast<message::Request*>(nullptr)), M_NO_HANDLE);
  EXPECT_EQ(request_of(M_NO_HANDLE), nullptr);
  release(M_NO_HANDLE);
}

TEST(MessageHandle, AStridedMessageIsToldFromARequestAndOwned) {
  message::Request request;
  auto* message = new StridedMessage{message::StridedBlocks(8, 16), &request};
  const handle_t handle = to_handle(message);
  EXPECT_NE(handle, M_NO_HANDLE);
  EXPECT_EQ(strided_message_of(handle), message);
  EXPECT_EQ(request_of(handle), &request);
  release(handle);
}

}  // namespace
}  // namespace taihu::parallelc
