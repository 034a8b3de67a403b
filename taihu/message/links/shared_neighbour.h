// SPDX-License-Identifier: Apache-2.0
// What SharedLink does with one other process of the machine: writes records to its ring, reads those it has
// written, and keeps what finds no room. Kinds of records: shared_link.h. Data in pieces: shared_pieces.h; in
// one copy: shared_offers.h. Only shared_link.cc includes this.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <deque>
#include <vector>

#include "taihu/message/data/copy.h"
#include "taihu/message/links/joint_copy.h"
#include "taihu/message/links/shared_link.h"
#include "taihu/message/links/shared_records.h"
#include "taihu/threads/waiting.h"

namespace taihu::message {

struct SharedLink::OwnRequest : LinkRequest {
  LinkRequest* far = nullptr;  ///< of the link that carries it; null: a neighbour
  Neighbour* neighbour = nullptr;
  bool done = false;
  bool is_abandoned = false;  ///< cancelled while the other side knows of it
};

/// One process of this machine, both directions.
class SharedLink::Neighbour {
  using Kind = SharedRecordKind;

  /// Envelopes up to here stand in the lines.
  static constexpr std::size_t most_bytes_in_lines = 512;
  static constexpr std::size_t most_head_bytes = 128;
  /// Of a record of several lines, in the first.
  static constexpr std::size_t first_line_bytes = shared_line_bytes - sizeof(std::uint64_t);
  /// Short enough that the two copies of a message overlap.
  static constexpr std::size_t ring_piece_bytes = 16 * 1024;
  /// One copy by the kernel pays from here on, between cores that are far from each other.
  static constexpr std::size_t single_copy_far_bytes = 4 * 1024;
  /// What is copied in one turn: others want to use the link, too.
  static constexpr std::size_t bytes_copied_at_once = 1024 * 1024;
  static constexpr std::uint64_t blocks_copied_at_once = bytes_copied_at_once / joint_copy::block_bytes;
  /// While the reader has records to read a tally gets no place; to ask whether it has takes a cache line
  /// from there. So many others go by envelopes before that is asked again.
  static constexpr int meanings_not_tried_at_once = 16;

  template <class T>
  static T content_of(const SharedRecord& record) noexcept {
    T content;
    std::memcpy(&content, record.payload, sizeof content);
    return content;
  }

 public:
  Neighbour(SharedLink& link, const MachineMemory::Neighbour& place, const SharedRingShape& shape)
      : link_(link),
        place_(place),
        writer_(place.outgoing, shape),
        reader_(place.incoming, shape),
        tallies_(lines_in<TallyLine>(place.outgoing, SharedRingShape::tallies_offset)),
        their_tallies_(lines_in<TallyLine>(place.incoming, SharedRingShape::tallies_offset)),
        joint_sends_(lines_in<JointCopyLines>(place.outgoing, SharedRingShape::joint_copy_offset)),
        joint_receives_(lines_in<JointCopyLines>(place.incoming, SharedRingShape::joint_copy_offset)),
        may_be_read_(place.may_be_read),
        may_write_(place.may_read) {}

  bool send_envelope(const void* head, std::size_t head_bytes, const Data& payload) {
    const std::size_t bytes = head_bytes + payload.bytes;
    if (bytes > most_bytes_in_lines) return send_apart(head, head_bytes, payload);
    if (is_shorter_alone(payload.bytes) && sent_.repeats(head, head_bytes, payload))
      return send_repeated(payload);
    std::byte* const place = writer_.reserve(bytes);
    if (place == nullptr) return false;
    copy_short(place, head, head_bytes);
    if (payload.layout == nullptr) {
      copy_short(place + head_bytes, payload.address, payload.bytes);
    } else {
      copy_message({place + head_bytes, payload.bytes}, payload, payload.bytes);
    }
    writer_.publish(static_cast<std::uint8_t>(Kind::envelope), bytes);
    sent_.note(head, head_bytes);
    return true;
  }

  bool has_room(std::size_t bytes) {
    if (bytes <= most_bytes_in_lines) return writer_.has_room(bytes);
    return writer_.has_room(sizeof(records::Apart) + most_head_bytes) && writer_.has_bytes(bytes);
  }

  bool tally(const Tally& tally) {
    if (!tallies_.find(tally)) [[unlikely]] {
      if (meanings_not_tried_ != 0) {
        --meanings_not_tried_;
        return false;
      }
      const TallyMeaning meaning = tallies_.next_meaning(tally);
      if (!writer_.is_read() || !write(Kind::tally, meaning)) {
        meanings_not_tried_ = meanings_not_tried_at_once;
        return false;
      }
      tallies_.assign(meaning);
    }
    tallies_.add();
    return true;
  }

  /// The other side reads long data where they are. Any thread.
  bool reads_itself() const noexcept {
    return may_be_read_.load(std::memory_order_relaxed) && !writer_.distance().is_near();
  }

  /// Null when all has been written.
  OwnRequest* send(int tag, const void* data, std::size_t bytes) {
    // A look takes a cache line from there. A far one pays it when its data have been taken (finish_offer).
    const bool in_one_copy = may_be_read_.load(std::memory_order_relaxed) && bytes >= single_copy_far_bytes &&
                             (!writer_.distance().is_near() || !writer_.look_at_distance().is_near());
    Sending sending;
    sending.kind = in_one_copy ? Kind::offer : Kind::piece;
    sending.tag = tag;
    sending.data = static_cast<const std::byte*>(data);
    sending.bytes = bytes;
    if (sending.kind == Kind::offer) sending.request = take_request();
    if (waiting_.empty() && advance(sending)) return sending.request;
    if (sending.request == nullptr) sending.request = take_request();
    waiting_.push_back(sending);
    return sending.request;
  }

  OwnRequest* receive(int tag, void* buffer, std::size_t capacity) {
    OwnRequest* request = take_request();
    posted_.push_back({tag, static_cast<std::byte*>(buffer), capacity, 0, request});
    return request;
  }

  void cancel(OwnRequest* request) {
    std::erase_if(posted_, [&](const Posted& posted) { return posted.request == request; });
    give_up_read(request);
    const bool was_waiting =
        std::erase_if(waiting_, [&](const Sending& sending) { return sending.request == request; }) != 0;
    const auto offered = std::ranges::find(offered_, request, &Sending::request);
    if (was_waiting || offered == offered_.end()) return link_.give_back(request);
    request->is_abandoned = true;
  }

  /// Up to `most` envelopes of this read; true when there was something to do. Stops before long copies once
  /// envelopes were handed over: their receivers learn of them after the read.
  bool look(EnvelopeReader& reader, int most, int* envelopes) {
    if (*envelopes != 0 && (!is_quiet() || is_help_wanted())) return stop_before_copies();
    bool worked = false;
    if (!waiting_.empty()) worked |= push();
    if (!reads_.empty()) worked |= read_memory_of();
    if (!offered_.empty()) worked |= help_reader();
    SharedRecord record;
    while (*envelopes < most && !must_finish_read()) {
      const bool has_record = reader_.front(record);
      // What was counted before the record was written is told before it.
      const bool has_tallies = their_tallies_.has_news();
      if (has_tallies) {
        link_.has_found_tallies_ = true;
        their_tallies_.take(
            [&](const Tally& tally, std::uint64_t times) { reader.counted(place_.process, tally, times); });
      }
      if (!has_record) return worked || has_tallies;
      if (record.kind == packed_kind || record.kind == static_cast<std::uint8_t>(Kind::repeated)) {
        reader.envelope(place_.process, got_.head(), record.payload, RepeatedHead::head_bytes + record.bytes);
        ++*envelopes;
      } else if (record.kind == static_cast<std::uint8_t>(Kind::envelope)) [[likely]] {
        got_.note(record.payload, RepeatedHead::head_bytes);
        if (record.bytes > first_line_bytes)
          prefetch_to_read(record.payload + first_line_bytes, record.bytes - first_line_bytes);
        reader.envelope(place_.process, record.payload, nullptr, record.bytes);
        ++*envelopes;
      } else if (*envelopes != 0 && is_copied(static_cast<Kind>(record.kind))) {
        stop_before_copies();
        break;
      } else if (!take(record, reader, envelopes)) {
        break;
      }
      reader_.pop(record);
      // More than one: a stream.
      if (worked) reader_.expect_more();
      worked = true;
    }
    return worked;
  }

  /// See Link::next_from.
  Next next(const void* head, std::size_t head_bytes, InPlace& payload) noexcept;
  void pop_next() noexcept;

  bool is_quiet() const noexcept { return waiting_.empty() && reads_.empty(); }

 private:
  struct Sending {
    Kind kind = Kind::piece;
    int tag = 0;
    const std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::size_t sent = 0;           // of pieces
    std::uint64_t number = 0;       // of an offer that both may copy
    OwnRequest* request = nullptr;  // completed when all is sent
    records::Taken taken{};         // of Kind::taken
    records::NotTaken not_taken{};  // of Kind::not_taken
  };
  struct Posted {
    int tag;
    std::byte* buffer;
    std::size_t capacity;
    std::size_t got;
    OwnRequest* request;
  };
  struct Read {
    Posted posted;
    records::Offer offer;
    bool is_joint = false;  // the sender may write some of it
    int error = 0;          // why it cannot be read
  };

  template <class Lines>
  static Lines& lines_in(std::byte* region, std::size_t offset) noexcept {
    return *reinterpret_cast<Lines*>(region + offset);
  }

  static constexpr bool is_copied(Kind kind) noexcept {
    return kind == Kind::piece || kind == Kind::offer || kind == Kind::not_taken;
  }
  bool stop_before_copies() noexcept {
    link_.stops_before_copies_ = true;
    return false;
  }

  OwnRequest* take_request() {
    OwnRequest* request = link_.take_request();
    request->neighbour = this;
    return request;
  }

  /// Whether leaving the head out saves lines. Elsewhere it stays: data behind it are better aligned, and
  /// copied faster.
  static constexpr bool is_shorter_alone(std::size_t bytes) noexcept {
    return bytes <= most_packed_bytes ||
           (bytes <= first_line_bytes && bytes + RepeatedHead::head_bytes > first_line_bytes);
  }

  bool send_repeated(const Data& payload) {
    const bool is_packed = payload.bytes <= most_packed_bytes;
    std::byte* const place =
        is_packed ? writer_.reserve_packed(payload.bytes) : writer_.reserve(payload.bytes);
    if (place == nullptr) return false;
    copy_short(place, payload.address, payload.bytes);
    if (is_packed)
      writer_.publish_packed(payload.bytes);
    else
      writer_.publish(static_cast<std::uint8_t>(Kind::repeated), payload.bytes);
    return true;
  }

  bool send_apart(const void* head, std::size_t head_bytes, const Data& payload) {
    records::Apart apart{0, payload.bytes};
    std::byte* const place = writer_.reserve(sizeof apart + head_bytes);
    if (place == nullptr) return false;
    std::byte* const to = writer_.reserve_bytes(payload.bytes, &apart.position);
    if (to == nullptr) return false;
    copy_message({to, payload.bytes}, payload, payload.bytes);
    std::memcpy(place, &apart, sizeof apart);
    std::memcpy(place + sizeof apart, head, head_bytes);
    writer_.publish(static_cast<std::uint8_t>(Kind::envelope_apart), sizeof apart + head_bytes);
    return true;
  }

  template <class Content>
  bool write(Kind kind, const Content& content) {
    std::byte* const place = writer_.reserve(sizeof content);
    if (place == nullptr) return false;
    std::memcpy(place, &content, sizeof content);
    writer_.publish(static_cast<std::uint8_t>(kind), sizeof content);
    return true;
  }

  /// Writes what there is room for; true when nothing is left to write.
  bool advance(Sending& sending) {
    if (sending.kind == Kind::taken) return write(Kind::taken, sending.taken);
    if (sending.kind == Kind::not_taken) return write(Kind::not_taken, sending.not_taken);
    if (sending.kind == Kind::offer) {
      if (may_write_ && joint_copy::pays(sending.bytes) && sending.number == 0)
        sending.number = joint_sends_.next_number();
      const records::Offer offer{sending.tag, reinterpret_cast<std::uintptr_t>(sending.data), sending.bytes,
                                 reinterpret_cast<std::uintptr_t>(sending.request), sending.number};
      if (!write(Kind::offer, offer)) return false;
      offered_.push_back(sending);
      return true;
    }
    do {
      if (!write_piece(sending)) return false;
    } while (sending.sent < sending.bytes);
    if (sending.request != nullptr) sending.request->done = true;
    return true;
  }

  void advance_or_wait(Sending& sending) {
    if (!waiting_.empty() || !advance(sending)) waiting_.push_back(sending);
  }

  bool push() {
    bool worked = false;
    while (!waiting_.empty()) {
      const std::size_t before = waiting_.front().sent;
      const bool is_over = advance(waiting_.front());
      worked |= is_over || waiting_.front().sent != before;
      if (!is_over) break;
      waiting_.pop_front();
    }
    return worked;
  }

  /// What is no short envelope; false when it has to stay where it is, because its buffer is not named yet.
  bool take(const SharedRecord& record, EnvelopeReader& reader, int* envelopes) {
    switch (static_cast<Kind>(record.kind)) {
      case Kind::envelope:
      case Kind::repeated:
        break;
      case Kind::envelope_apart: {
        const auto apart = content_of<records::Apart>(record);
        reader.envelope(place_.process, record.payload + sizeof apart, reader_.bytes_at(apart.position),
                        record.bytes - sizeof apart + apart.bytes);
        reader_.release_bytes(apart.position, apart.bytes);
        ++*envelopes;
        break;
      }
      case Kind::piece:
        return take_piece(content_of<records::Piece>(record));
      case Kind::offer:
        return take_offer(content_of<records::Offer>(record));
      case Kind::taken:
        finish_offer(content_of<records::Taken>(record));
        break;
      case Kind::not_taken:
        send_pieces(content_of<records::NotTaken>(record));
        break;
      case Kind::tally:
        their_tallies_.learn(content_of<TallyMeaning>(record), [&](const Tally& tally, std::uint64_t times) {
          reader.counted(place_.process, tally, times);
        });
        break;
    }
    return true;
  }

  std::deque<Posted>::iterator posted_for(int tag) {
    return std::ranges::find_if(posted_, [&](const Posted& posted) { return posted.tag == tag; });
  }

  // Data in pieces: shared_pieces.h.
  void check_space(const Posted& posted, std::uint64_t bytes);
  bool take_piece(const records::Piece& piece);
  bool write_piece(Sending& sending);

  // Data in one copy by the kernel: shared_offers.h.
  bool take_offer(const records::Offer& offer);
  bool read_memory_of();
  bool must_finish_read() const noexcept;
  bool read_part(Read& read);
  void give_up_read(OwnRequest* request);
  bool is_help_wanted() const noexcept {
    return !offered_.empty() && may_write_ && !joint_sends_.left().empty();
  }
  bool help_reader();
  void ask_for_pieces(Read& read, bool is_permitted);
  void finish_offer(const records::Taken& taken);
  void send_pieces(const records::NotTaken& not_taken);
  Sending take_back_offer(std::uint64_t request);

  SharedLink& link_;
  const MachineMemory::Neighbour place_;
  SharedRingWriter writer_;
  SharedRingReader reader_;
  RepeatedHead sent_;  // of the newest envelope in the lines
  RepeatedHead got_;
  SharedRecord next_{};  // the one that pop_next is for
  TallyWriter tallies_;
  TallyReader their_tallies_;
  JointCopySender joint_sends_;
  JointCopyReceiver joint_receives_;
  int meanings_not_tried_ = 0;
  std::deque<Sending> waiting_;    // for room, in order
  std::deque<Posted> posted_;      // receives that have not got all, in order
  std::deque<Read> reads_;         // offers that are being read
  std::vector<Sending> offered_;   // what the other side may read
  std::atomic<bool> may_be_read_;  // as far as is known; written by the thread inside
  bool may_read_ = true;           // what is offered
  bool may_write_;                 // to the memory of the other process
  int refused_tag_ = 0;            // the last one under which pieces come instead of an offer
  bool is_gone_ = false;           // it has ended
};

}  // namespace taihu::message
