// SPDX-License-Identifier: Apache-2.0
// The unit of a level-1 router (CoPU): the table of learned communicators, the open operations (CSBA) with their
// partial results, and the arithmetic unit. Each communicator owns Operations / Communicators operations ("window", a
// power of two), chosen by the operation's number; cores keep no more open.
//
// A packet is taken in when the unit is free. Pseudo packets write the table and go on. For other packets the unit
// opens the operation in this cycle, then takes a flit per cycle. The first packet of an operation and all packets of
// a gather are stored. Others are combined word by word, partial result (op) packet. When the contributions inside
// add up to those learned, the operation's result joins the list of results that leave.
module collective_unit #(
    /// Input VCs of links and core: 5 * Vcs.
    parameter int Inputs = 10,
    /// Virtual channels per port, 2 or more.
    parameter int Vcs = 2,
    /// Flits of the next router's buffers, 5 or more.
    parameter int Depth = 5,
    /// As the router's: CutThrough or Atomic.
    parameter int Reuse = noc_pkg::CutThrough,
    /// As the router's.
    parameter bit YFirst = 1,
    /// Entries of the table of communicators, 1 to 1024; further communicators stay with software.
    parameter int Communicators = 5,
    /// Open operations, each with 64 bytes of partial result; Operations / Communicators must be a power of two.
    parameter int Operations = 10,
    /// Cycles from operands to result, 1 or more; beyond 6 they are delay.
    parameter int ArithmeticCycles = 6,
    /// 1: a word may start in every cycle; 0: only when the last one is done.
    parameter bit Pipelined = 1,
    localparam int W = noc_pkg::FlitBits,
    localparam int VcBits = Vcs > 1 ? $clog2(Vcs) : 1,
    localparam int CountBits = $clog2(Depth + 1)
) (
    input logic clk_i,
    input logic rst_ni,
    input logic [noc_pkg::NodeBits-1:0] node_i,
    // Heads being written
    input logic [5*noc_pkg::CommunicatorBits-1:0] communicator_i,
    output logic [4:0] known_o,
    output logic [24:0] paths_o,
    // Input channels
    input logic [Inputs-1:0] want_i,
    input logic [Inputs-1:0] ready_i,
    input logic [Inputs*W-1:0] front_i,
    output logic [Inputs-1:0] begin_o,
    output logic [Inputs-1:0] take_o,
    output logic [4:0] route_o,
    output logic [1:0] marks_o,
    // The result that leaves, seen as an input channel
    output logic [4:0] result_want_o,
    output logic [CountBits-1:0] result_need_o,
    input logic [4:0] result_grant_i,
    input logic [5*VcBits-1:0] result_grant_vc_i,
    input logic [5*Vcs-1:0] result_credit_i,
    output logic [4:0] result_able_o,
    output logic [5*VcBits-1:0] result_vc_o,
    output logic [W-1:0] result_flit_o,
    input logic [4:0] result_won_i,
    output logic fault_o  // the window was not kept
);
  localparam int Window = Operations / Communicators;
  localparam int WindowBits = Window > 1 ? $clog2(Window) : 0;
  localparam int Slots = Communicators * Window;
  localparam int SlotBits = Slots > 1 ? $clog2(Slots) : 1;
  localparam int PointerBits = $clog2(Inputs);
  localparam int Gap = Pipelined ? 1 : ArithmeticCycles;
  localparam int GapBits = Gap > 1 ? $clog2(Gap) : 1;

  if (Window < 1 || (Window & (Window - 1)) != 0) begin : gen_refuse
    $error("Operations / Communicators has to be a power of two");
  end

  // Choice of the next packet, and its head.
  logic working_q, ends;
  logic may_begin, begins, learns, opens;
  logic [Inputs-1:0] chosen;
  logic [PointerBits-1:0] pointer_q, pointer_next;
  logic [W-1:0] head;
  logic [4:0] port;
  logic [2:0] kind;
  logic [6:0] length;
  logic [7:0] number;
  round_robin #(.Width(Inputs)) u_choice (
      .request_i(want_i), .pointer_i(pointer_q), .grant_o(chosen), .next_o(pointer_next));
  always_comb begin
    head = '0;
    port = '0;
    for (int i = 0; i < Inputs; i++) begin
      if (chosen[i]) begin
        head = head | front_i[i*W+:W];
        port = port | 5'd1 << i / Vcs;
      end
    end
  end
  assign kind = head[noc_pkg::KindLsb+:3];
  assign length = head[noc_pkg::LengthLsb+:7];
  assign number = head[noc_pkg::OperationLsb+:8];
  assign may_begin = !working_q || ends;
  assign begins = may_begin && want_i != '0;
  assign learns = begins && kind == noc_pkg::KindLearn;
  assign opens = begins && kind != noc_pkg::KindLearn;
  assign begin_o = may_begin ? chosen : '0;
  assign route_o = learns ? noc_pkg::route(node_i, head[noc_pkg::DestinationLsb+:8], YFirst) : '0;

  logic [Communicators-1:0] hit;
  logic [8:0] total, direct;
  logic [Communicators*10-1:0] numbers;
  logic full;
  path_table #(.Entries(Communicators), .Counts(1)) u_table (
      .clk_i,
      .rst_ni,
      .communicator_i,
      .known_o,
      .paths_o,
      .unit_communicator_i(head[noc_pkg::CommunicatorLsb+:10]),
      .unit_hit_o(hit),
      .unit_total_o(total),
      .unit_direct_o(direct),
      .numbers_o(numbers),
      .learn_i(learns),
      .learn_port_i(port),
      .forget_i(head[noc_pkg::MarkForget]),
      .seen_i(head[noc_pkg::MarkSeen]),
      .full_o(full)
  );
  assign marks_o = {!head[noc_pkg::MarkForget] && !full, !head[noc_pkg::MarkForget] && full};

  // The operation's place.
  logic [SlotBits-1:0] slot;
  always_comb begin
    slot = '0;
    for (int e = 0; e < Communicators; e++)
      for (int n = 0; n < Window; n++)
        if (hit[e] && (number & 8'(Window - 1)) == 8'(n)) slot = SlotBits'(e * Window + n);
  end

  // Open operations. The first packet's head is that of the result.
  logic [Slots-1:0] open_q, open_now;
  logic [Slots*8-1:0] number_q, destination_q;
  logic [Slots*4-1:0] operation_q;
  logic [Slots*7-1:0] length_q;
  logic [Slots*9-1:0] weight_q;
  logic [Slots-1:0] gathers_q;

  // The current packet.
  logic [Inputs-1:0] source_q;
  logic [SlotBits-1:0] slot_q;
  logic [3:0] arithmetic_q;
  logic [8:0] target_q, gained_q;
  logic [6:0] packet_length_q, position_q, rest_q;
  logic [5:0] flits_q;  // still to come
  logic first_q, computes_q, head_q, gather_q;
  logic [W-1:0] flit;
  logic takes, taken_last;
  always_comb begin
    flit = '0;
    for (int i = 0; i < Inputs; i++) if (source_q[i]) flit = flit | front_i[i*W+:W];
    takes = working_q && flits_q != '0 && (ready_i & source_q) != '0;
    taken_last = takes && flits_q == 6'd1;
  end
  assign take_o = takes ? source_q : '0;

  // Words into the arithmetic unit; the last one that comes out ends the packet.
  logic [4:0] flit_bytes;
  logic [1:0] flit_words;
  logic word_ready, issues, last_issue;
  logic [63:0] word, partial, result;
  logic [2:0] issued_q;
  logic [GapBits-1:0] gap_q;
  always_comb begin
    flit_bytes = head_q ? (rest_q > 7'd8 ? 5'd8 : rest_q[4:0]) : rest_q > 7'd16 ? 5'd16 : rest_q[4:0];
    flit_words = flit_bytes > 5'd8 ? 2'd2 : flit_bytes != '0 ? 2'd1 : 2'd0;
  end
  word_queue #(.Depth(Pipelined ? 3 : 7)) u_words (
      .clk_i,
      .rst_ni,
      .put_i(takes && computes_q ? flit_words : 2'd0),
      .data_i(flit[127:0]),
      .ready_o(word_ready),
      .data_o(word),
      .get_i(issues)
  );
  assign issues = word_ready && gap_q == '0;
  assign last_issue = {1'b0, issued_q, 3'b0} + 7'd8 >= packet_length_q;
  arithmetic_unit #(.Cycles(ArithmeticCycles)) u_arithmetic (
      .clk_i, .operation_i(arithmetic_q), .left_i(partial), .right_i(word), .result_o(result));

  logic [ArithmeticCycles*5-1:0] flow;  // issued, last, number of the word
  assign flow[4:0] = {issues, issues && last_issue, issued_q};
  for (genvar c = 1; c < ArithmeticCycles; c++) begin : gen_flow
    logic [4:0] stage_q;
    always_ff @(posedge clk_i) stage_q <= rst_ni ? flow[(c-1)*5+:5] : '0;
    assign flow[c*5+:5] = stage_q;
  end
  localparam int Out = (ArithmeticCycles - 1) * 5;
  assign ends = working_q && (computes_q ? flow[Out+3] : taken_last);

  logic [SlotBits-1:0] leave_slot_q;
  logic [2:0] leave_flit;
  logic [127:0] leave_data;
  result_memory #(.Slots(Slots)) u_memory (
      .clk_i,
      .slot_i(slot_q),
      .store_i(takes && !computes_q),
      .position_i(position_q),
      .bytes_i(flit_bytes),
      .data_i(flit[127:0]),
      .write_i(flow[Out+4]),
      .write_word_i(flow[Out+:3]),
      .write_data_i(result),
      .read_word_i(issued_q),
      .read_data_o(partial),
      .leave_slot_i(leave_slot_q),
      .leave_flit_i(leave_flit),
      .leave_data_o(leave_data)
  );

  // The end of a packet: is the operation complete?
  logic [8:0] weight;
  logic [6:0] result_length;
  logic complete;
  always_comb begin
    weight = gained_q;
    result_length = packet_length_q;
    for (int s = 0; s < Slots; s++) begin
      if (slot_q == SlotBits'(s) && !first_q) begin
        weight = weight_q[s*9+:9] + gained_q;
        if (gather_q) result_length = length_q[s*7+:7] + packet_length_q;
      end
    end
    complete = ends && weight == target_q;
    open_now = open_q;
    for (int s = 0; s < Slots; s++) if (complete && slot_q == SlotBits'(s)) open_now[s] = 1'b0;
  end

  // Operations whose results leave, in order.
  logic [Slots*SlotBits-1:0] list_q;
  logic [$clog2(Slots+1)-1:0] listed_q;
  logic load, channel_free;
  logic [SlotBits-1:0] load_slot;
  logic [6:0] load_length, leave_length;
  logic [7:0] load_destination;
  assign load = channel_free && (listed_q != '0 || complete);
  assign load_slot = listed_q != '0 ? list_q[0+:SlotBits] : slot_q;
  always_comb begin
    load_length = '0;
    load_destination = '0;
    for (int s = 0; s < Slots; s++) begin
      if (load_slot == SlotBits'(s)) begin
        load_length = load_length | length_q[s*7+:7];
        load_destination = load_destination | destination_q[s*8+:8];
      end
    end
    if (listed_q == '0) load_length = result_length;
  end
  logic [2:0] flits;
  logic last;
  assign flits = 3'(noc_pkg::flits_for_bytes(load_length));
  result_channel #(.Vcs(Vcs), .Depth(Depth), .Reuse(Reuse)) u_result (
      .clk_i,
      .rst_ni,
      .load_i(load),
      .route_i(noc_pkg::route(node_i, load_destination, YFirst)),
      .flits_i(flits),
      .free_o(channel_free),
      .number_o(leave_flit),
      .last_o(last),
      .want_o(result_want_o),
      .need_o(result_need_o),
      .grant_i(result_grant_i),
      .grant_vc_i(result_grant_vc_i),
      .credit_i(result_credit_i),
      .able_o(result_able_o),
      .vc_o(result_vc_o),
      .won_i(result_won_i)
  );

  // Its flits; bytes past the length are zero.
  logic leave_gathers;
  logic [3:0] leave_operation;
  logic [7:0] leave_number, leave_destination;
  logic [8:0] leave_weight;
  logic [9:0] leave_communicator;
  logic [127:0] valid_data, head_data;
  always_comb begin
    leave_length = '0;
    leave_gathers = 1'b0;
    leave_operation = '0;
    leave_number = '0;
    leave_destination = '0;
    leave_weight = '0;
    leave_communicator = '0;
    for (int s = 0; s < Slots; s++) begin
      if (leave_slot_q == SlotBits'(s)) begin
        leave_length = leave_length | length_q[s*7+:7];
        leave_gathers = leave_gathers | gathers_q[s];
        leave_operation = leave_operation | operation_q[s*4+:4];
        leave_number = leave_number | number_q[s*8+:8];
        leave_destination = leave_destination | destination_q[s*8+:8];
        leave_weight = leave_weight | weight_q[s*9+:9];
        leave_communicator = leave_communicator | numbers[s/Window*10+:10];
      end
    end
    // Bytes of the flit start at 16 number - 8; of flit 0 the upper word is the head's data.
    for (int b = 0; b < 16; b++)
      valid_data[b*8+:8] = {1'b0, leave_flit, 4'b0} + 8'(b) < {1'b0, leave_length} + 8'd8 ?
          leave_data[b*8+:8] : 8'b0;
    head_data = '0;
    head_data[63:0] = valid_data[127:64];
    head_data[noc_pkg::KindLsb+:3] = leave_gathers ? noc_pkg::KindGathered : noc_pkg::KindReduce;
    head_data[noc_pkg::ArithmeticLsb+:4] = leave_operation;
    head_data[noc_pkg::LengthLsb+:7] = leave_length;
    head_data[noc_pkg::CommunicatorLsb+:10] = leave_communicator;
    head_data[noc_pkg::OperationLsb+:8] = leave_number;
    head_data[noc_pkg::SourceLsb+:8] = node_i;
    head_data[noc_pkg::DestinationLsb+:8] = leave_destination;
    head_data[noc_pkg::WeightLsb+:9] = leave_weight;
    result_flit_o = {leave_flit == '0, last, leave_flit == '0 ? head_data : valid_data};
  end

  always_ff @(posedge clk_i) begin
    if (opens) begin
      source_q <= chosen;
      slot_q <= slot;
      arithmetic_q <= head[noc_pkg::ArithmeticLsb+:4];
      gather_q <= kind == noc_pkg::KindGather;
      target_q <= kind == noc_pkg::KindGather ? direct : total;
      gained_q <= head[noc_pkg::WeightLsb+:9];
      packet_length_q <= length;
      rest_q <= length;
      position_q <= kind == noc_pkg::KindGather ? 7'(head[noc_pkg::PlaceLsb+:6] * length[5:0]) : '0;
      flits_q <= noc_pkg::flits_for_bytes(length);
      first_q <= !(|(open_now & (Slots'(1) << slot)));
      computes_q <= |(open_now & (Slots'(1) << slot)) && kind == noc_pkg::KindReduce && length != '0;
      head_q <= 1'b1;
      issued_q <= '0;
      for (int s = 0; s < Slots; s++) begin
        if (slot == SlotBits'(s) && !open_now[s]) begin
          number_q[s*8+:8] <= number;
          operation_q[s*4+:4] <= head[noc_pkg::ArithmeticLsb+:4];
          destination_q[s*8+:8] <= head[noc_pkg::DestinationLsb+:8];
          gathers_q[s] <= kind == noc_pkg::KindGather;
        end
      end
    end else begin
      if (takes) begin
        head_q <= 1'b0;
        flits_q <= flits_q - 6'd1;
        rest_q <= rest_q - 7'(flit_bytes);
        position_q <= position_q + 7'(flit_bytes);
      end
      if (issues) issued_q <= issued_q + 3'd1;
    end
    if (ends) begin
      for (int s = 0; s < Slots; s++) begin
        if (slot_q == SlotBits'(s)) begin
          weight_q[s*9+:9] <= weight;
          length_q[s*7+:7] <= result_length;
        end
      end
    end
    if (load) leave_slot_q <= load_slot;
    if (load && listed_q != '0) list_q <= list_q >> SlotBits;
    if (complete && (listed_q != '0 || !channel_free)) begin
      for (int s = 0; s < Slots; s++)
        if (listed_q - ($clog2(Slots + 1))'(load) == ($clog2(Slots + 1))'(s)) list_q[s*SlotBits+:SlotBits] <= slot_q;
    end
    if (!rst_ni) begin
      working_q <= 1'b0;
      pointer_q <= '0;
      open_q <= '0;
      listed_q <= '0;
      gap_q <= '0;
      fault_o <= 1'b0;
    end else begin
      working_q <= opens || (working_q && !ends);
      if (begins) pointer_q <= pointer_next;
      open_q <= opens ? open_now | Slots'(1) << slot : open_now;
      listed_q <= listed_q + ($clog2(Slots + 1))'(complete) - ($clog2(Slots + 1))'(load);
      gap_q <= issues ? GapBits'(Gap - 1) : gap_q - GapBits'(gap_q != '0);
      for (int s = 0; s < Slots; s++)
        if (opens && slot == SlotBits'(s) && open_now[s] && number_q[s*8+:8] != number) fault_o <= 1'b1;
    end
  end
  localparam int UnusedWindowBits = WindowBits;
  logic unused;
  assign unused = &{1'b0, head, flit, leave_data, 32'(UnusedWindowBits)};
endmodule
