// SPDX-License-Identifier: Apache-2.0
// Two-sided messages in blocks: the calls of messages.cc with a layout on one side. A blocking call keeps it
// on its stack, a handle owns it otherwise.
#include <memory>

#include "taihu/abi/parallelc.h"
#include "taihu/message/endpoint.h"
#include "taihu/parallelc/errors.h"
#include "taihu/parallelc/message_checks.h"
#include "taihu/parallelc/message_handle.h"
#include "taihu/parallelc/process.h"
#include "taihu/parallelc/strides.h"

namespace taihu::parallelc {
namespace {

using message::StridedBlocks;
using message::user_context;

enum class Side { send, receive };

/// The arguments of a call.
struct StridedArguments {
  Side side;
  const char* call;
  int rank;  ///< the other one
  const void* buffer;
  long size, block, stride;
  int tag;

  const char* problem(const Process& process) const {
    const char* problem = side == Side::send ? problem_of_send(process, rank, buffer, size, tag)
                                             : problem_of_receive(process, rank, buffer, size, tag);
    return problem != nullptr ? problem : problem_of_blocks(size, block, stride, stride);
  }
  int refuse(const char* problem) const {
    return fail(M_ERROR_ARGUMENT, problem, "%s(%s=%d, size=%ld, block=%ld, stride=%ld, tag=%d)", call,
                side == Side::send ? "dest_rank" : "src_rank", rank, size, block, stride, tag);
  }
  StridedBlocks layout() const {
    const Blocks blocks = blocks_of(size, block, stride);
    return {blocks.block, blocks.stride};
  }
  message::Data data(const StridedBlocks& layout) const {
    return {buffer, static_cast<std::size_t>(size), is_dense() ? nullptr : &layout};
  }
  message::Space space(const StridedBlocks& layout) const {
    return {const_cast<void*>(buffer), static_cast<std::size_t>(size), is_dense() ? nullptr : &layout};
  }

 private:
  bool is_dense() const noexcept { return size <= block || block == stride; }
};

handle_t start(const StridedArguments& call) {
  Process& process = this_process(call.call);
  if (const char* problem = call.problem(process)) {
    call.refuse(problem);
    return M_NO_HANDLE;
  }
  CountedCall counted(process, call.call, call.side == Side::send ? call.size : 0, call.rank);
  if (call.side == Side::send) counted.is_message();
  auto strided = std::make_unique<StridedMessage>(StridedMessage{call.layout()});
  strided->request =
      call.side == Side::send
          ? process.endpoint->isend(call.rank, user_context, call.tag, call.data(strided->layout),
                                    message::SendMode::standard)
          : process.endpoint->irecv(call.rank, user_context, call.tag, call.space(strided->layout));
  return to_handle(strided.release());
}

}  // namespace
}  // namespace taihu::parallelc

using namespace taihu::parallelc;

extern "C" {

handle_t m_isend_stride(int dest_rank, const void* buffer, long size, long block, long stride, int tag) {
  return start({Side::send, "m_isend_stride", dest_rank, buffer, size, block, stride, tag});
}

handle_t m_irecv_stride(int src_rank, void* buffer, long size, long block, long stride, int tag) {
  return start({Side::receive, "m_irecv_stride", src_rank, buffer, size, block, stride, tag});
}

int m_send_stride(int dest_rank, const void* buffer, long size, long block, long stride, int tag) {
  Process& process = this_process("m_send_stride");
  const StridedArguments call{Side::send, "m_send_stride", dest_rank, buffer, size, block, stride, tag};
  if (const char* problem = call.problem(process)) return call.refuse(problem);
  CountedCall counted(process, "m_send_stride", size, dest_rank);
  counted.is_message();
  const taihu::message::StridedBlocks layout = call.layout();
  const Waiting waiting(process, "m_send_stride", [&] { return wait_for(dest_rank, tag); });
  process.endpoint->send(dest_rank, taihu::message::user_context, tag, call.data(layout),
                         taihu::message::SendMode::standard);
  return M_SUCCESS;
}

int m_recv_stride(int src_rank, void* buffer, long size, long block, long stride, int tag,
                  m_status_t* status) {
  Process& process = this_process("m_recv_stride");
  const StridedArguments call{Side::receive, "m_recv_stride", src_rank, buffer, size, block, stride, tag};
  if (const char* problem = call.problem(process)) return call.refuse(problem);
  CountedCall counted(process, "m_recv_stride", 0, src_rank);
  const taihu::message::StridedBlocks layout = call.layout();
  const Waiting waiting(process, "m_recv_stride", [&] { return wait_for(src_rank, tag); });
  taihu::message::Status received;
  process.endpoint->receive(src_rank, taihu::message::user_context, tag, call.space(layout), &received);
  counted.received(static_cast<long>(received.bytes), received.source);
  fill(status, received);
  return report_status("m_recv_stride", received);
}

}  // extern "C"
