// SPDX-License-Identifier: Apache-2.0
// A link whose envelopes are transfers with a tag of their own, as of an MPI library: the receiver keeps a
// ring of posted buffers and reads them in posting order; envelopes that the library has not taken at once
// keep their bytes here until it has.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "taihu/message/link.h"

namespace taihu::message {

inline constexpr int any_process = -1;
/// Of envelopes, which alone are received from any process, and always are.
inline constexpr int envelope_tag = 1;
static_assert(envelope_tag < first_free_tag);

/// What a transfer delivered.
struct LinkStatus {
  int process = -1;
  int tag = -1;
  std::size_t bytes = 0;
};

class TaggedLink : public Link {
 public:
  bool send_envelope(int process, const void* head, std::size_t head_bytes, const Data& payload) final;
  bool has_room(int /*process*/, std::size_t /*bytes*/) final {
    return under_way_.size() < most_envelopes_under_way;
  }
  bool read(EnvelopeReader& reader, int most) override;
  bool is_quiet() final { return under_way_.empty(); }
  bool test(LinkRequest* request) final { return test(request, nullptr); }

 protected:
  /// `status` may be null.
  virtual bool test(LinkRequest* request, LinkStatus* status) = 0;
  /// To be called by the destructor of the class that has the transfers.
  void close_envelopes();

 private:
  static constexpr std::size_t listening_slots = 32;
  static constexpr std::size_t most_envelopes_under_way = 256;
  static constexpr std::size_t spare_envelopes_kept = 64;

  struct Sent {
    LinkRequest* request;
    std::unique_ptr<std::byte[]> bytes;
  };

  void listen(std::size_t slot);
  void listen_again();
  bool read_one(EnvelopeReader& reader);
  bool finish_sent();

  std::vector<std::unique_ptr<std::byte[]>> slots_;  // empty before the first read
  std::vector<LinkRequest*> listening_;
  std::size_t next_slot_ = 0;
  std::size_t deaf_slots_ = 0;  // read and not posted again, the last ones before next_slot_
  std::vector<Sent> under_way_;
  std::size_t next_to_test_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> spare_envelopes_;
};

}  // namespace taihu::message
