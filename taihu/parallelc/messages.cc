// SPDX-License-Identifier: Apache-2.0
// Two-sided messages: argument checks of the language in front of the message layer, whose requests are the
// handles.
#include <climits>

#include "taihu/abi/parallelc.h"
#include "taihu/message/endpoint.h"
#include "taihu/parallelc/errors.h"
#include "taihu/parallelc/message_checks.h"
#include "taihu/parallelc/message_handle.h"
#include "taihu/parallelc/process.h"

namespace taihu::parallelc {
namespace {

static_assert(static_cast<int>(message::Error::truncated) == M_ERROR_TRUNCATE);
static_assert(static_cast<int>(message::Error::link) == M_ERROR_LINK);
static_assert(message::any_rank == M_ANY_RANK && message::any_tag == M_ANY_TAG);

}  // namespace
}  // namespace taihu::parallelc

using namespace taihu::parallelc;
using taihu::message::Status;
using taihu::message::user_context;

extern "C" {

handle_t m_isend(int dest_rank, const void* buffer, long size, int tag) {
  Process& process = this_process("m_isend");
  if (const char* problem = problem_of_send(process, dest_rank, buffer, size, tag)) {
    fail(M_ERROR_ARGUMENT, problem, "m_isend(dest_rank=%d, size=%ld, tag=%d)", dest_rank, size, tag);
    return M_NO_HANDLE;
  }
  CountedCall counted(process, "m_isend", size, dest_rank);
  counted.is_message();
  return to_handle(
      process.endpoint->isend(dest_rank, user_context, tag, buffer, static_cast<std::size_t>(size)));
}

handle_t m_irecv(int src_rank, void* buffer, long size, int tag) {
  Process& process = this_process("m_irecv");
  if (const char* problem = problem_of_receive(process, src_rank, buffer, size, tag)) {
    fail(M_ERROR_ARGUMENT, problem, "m_irecv(src_rank=%d, size=%ld, tag=%d)", src_rank, size, tag);
    return M_NO_HANDLE;
  }
  const CountedCall counted(process, "m_irecv", 0, src_rank);
  return to_handle(
      process.endpoint->irecv(src_rank, user_context, tag, buffer, static_cast<std::size_t>(size)));
}

int m_send(int dest_rank, const void* buffer, long size, int tag) {
  Process& process = this_process("m_send");
  if (const char* problem = problem_of_send(process, dest_rank, buffer, size, tag)) {
    return fail(M_ERROR_ARGUMENT, problem, "m_send(dest_rank=%d, size=%ld, tag=%d)", dest_rank, size, tag);
  }
  CountedCall counted(process, "m_send", size, dest_rank);
  counted.is_message();
  const Waiting waiting(process, "m_send", [&] { return wait_for(dest_rank, tag); });
  process.endpoint->send(dest_rank, user_context, tag, buffer, static_cast<std::size_t>(size));
  return M_SUCCESS;
}

int m_recv(int src_rank, void* buffer, long size, int tag, m_status_t* status) {
  Process& process = this_process("m_recv");
  if (const char* problem = problem_of_receive(process, src_rank, buffer, size, tag)) {
    return fail(M_ERROR_ARGUMENT, problem, "m_recv(src_rank=%d, size=%ld, tag=%d)", src_rank, size, tag);
  }
  CountedCall counted(process, "m_recv", 0, src_rank);
  const Waiting waiting(process, "m_recv", [&] { return wait_for(src_rank, tag); });
  const Status received =
      process.endpoint->receive(src_rank, user_context, tag, buffer, static_cast<std::size_t>(size));
  counted.received(static_cast<long>(received.bytes), received.source);
  fill(status, received);
  return report_status("m_recv", received);
}

int m_iprobe(int src_rank, int tag, int* found, m_status_t* status) {
  Process& process = this_process("m_iprobe");
  if (const char* problem = problem_of_receive(process, src_rank, nullptr, 0, tag)) {
    return fail(M_ERROR_ARGUMENT, problem, "m_iprobe(src_rank=%d, tag=%d)", src_rank, tag);
  }
  const CountedCall counted(process, "m_iprobe", 0, src_rank);
  Status seen;
  *found = process.endpoint->iprobe(src_rank, user_context, tag, &seen) ? 1 : 0;
  if (*found != 0) fill(status, seen);
  return M_SUCCESS;
}

int m_probe(int src_rank, int tag, m_status_t* status) {
  Process& process = this_process("m_probe");
  if (const char* problem = problem_of_receive(process, src_rank, nullptr, 0, tag)) {
    return fail(M_ERROR_ARGUMENT, problem, "m_probe(src_rank=%d, tag=%d)", src_rank, tag);
  }
  const CountedCall counted(process, "m_probe", 0, src_rank);
  const Waiting waiting(process, "m_probe", [&] { return wait_for(src_rank, tag); });
  Status seen;
  process.endpoint->wait_until([&] { return process.endpoint->iprobe(src_rank, user_context, tag, &seen); });
  fill(status, seen);
  return M_SUCCESS;
}

int m_wait(handle_t* handle, m_status_t* status) {
  Process& process = this_process("m_wait");
  const CountedCall counted(process, "m_wait");
  const Waiting waiting(process, "m_wait", [] { return "for a message under way"; });
  Status received;
  if (*handle != M_NO_HANDLE) process.endpoint->wait(request_of(*handle), &received);
  release(*handle);
  *handle = M_NO_HANDLE;
  fill(status, received);
  return report_status("m_wait", received);
}

int m_test(handle_t* handle, int* complete, m_status_t* status) {
  Process& process = this_process("m_test");
  const CountedCall counted(process, "m_test");
  Status received;
  *complete = *handle == M_NO_HANDLE || process.endpoint->test(request_of(*handle), &received) ? 1 : 0;
  if (*complete == 0) return M_SUCCESS;
  release(*handle);
  *handle = M_NO_HANDLE;
  fill(status, received);
  return report_status("m_test", received);
}

int m_waitall(int count, handle_t* handles, m_status_t* statuses) {
  if (count < 0 || (count > 0 && handles == nullptr)) {
    return fail(M_ERROR_ARGUMENT, count < 0 ? "negative count" : "null handles",
                "m_waitall(count=%d, handles=%p)", count, static_cast<void*>(handles));
  }
  const CountedCall counted(this_process("m_waitall"), "m_waitall");
  int first_failure = M_SUCCESS;
  for (int i = 0; i < count; ++i) {
    const int code = m_wait(&handles[i], statuses != nullptr ? &statuses[i] : nullptr);
    if (first_failure == M_SUCCESS) first_failure = code;
  }
  return first_failure;
}

int m_wait_msg(handle_t handle) {
  const CountedCall counted(this_process("m_wait_msg"), "m_wait_msg");
  if (handle == M_NO_HANDLE) return M_SUCCESS;  // a put or get inside the node process: done in the call
  return m_wait(&handle, nullptr);
}

int m_test_msg(handle_t handle) {
  const CountedCall counted(this_process("m_test_msg"), "m_test_msg");
  int complete = 0;
  m_test(&handle, &complete, nullptr);
  return complete;
}

}  // extern "C"
