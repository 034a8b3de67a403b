// SPDX-License-Identifier: Apache-2.0
// One virtual channel (VC) of an input port: its buffer and the state of the packet in front.
//
// A head that comes to the front (written into an empty buffer, or behind a tail that leaves; with RouteAt AtFront
// a cycle behind that tail) is "exposed": its outputs become `want`, or it waits for the collective unit. The router
// finds them when the head is written, and they are kept with the head; without KeepsRoute it finds them when the
// head is in front. VC allocation moves outputs from `want` to `have`; the tail leaves by an output and removes it
// from `have`. With Multicast a packet may have several outputs ("branches"): `ahead` counts per branch the flits
// that it has sent beyond those that have left the buffer. Each cycle the lowest flit that a branch with a credit
// needs is offered to all such branches; it leaves the buffer when all branches have sent it.
module input_channel #(
    /// Flits of the buffer, 1 or more.
    parameter int Depth = 5,
    /// VCs of each output: the width of the VC that the packet holds.
    parameter int Vcs = 2,
    /// When a VC is given to the next packet: noc_pkg::Wormhole, CutThrough or Atomic. Collectives need one of the
    /// last two.
    parameter int Reuse = noc_pkg::Wormhole,
    /// When a head gets its output port: noc_pkg::AtWrite, or AtFront, a cycle later behind another packet.
    parameter int RouteAt = noc_pkg::AtWrite,
    /// The output port found at the write is kept with each flit; 0 only with AtFront, where front_route_i has it.
    parameter bit KeepsRoute = 1,
    /// 1: packets may have several outputs (broadcasts); 0 where no broadcast can come.
    parameter bit Multicast = 0,
    /// Packets may go to the router's unit (Level 1 or 2).
    parameter bit HasUnit = 0,
    localparam int VcBits = Vcs > 1 ? $clog2(Vcs) : 1,
    localparam int CountBits = $clog2(Depth + 1)
) (
    input logic clk_i,
    input logic rst_ni,
    // Buffer write. Route: outputs of a head, none when it goes to the unit.
    input logic write_i,
    input logic [noc_pkg::FlitBits-1:0] flit_i,
    input logic [4:0] route_i,
    input logic [4:0] front_route_i,  // of the head in front; used without KeepsRoute
    // VC allocation
    output logic [4:0] want_o,
    output logic down_o,  // a broadcast: must not use VC 0
    output logic [CountBits-1:0] need_o,  // credits
    input logic [4:0] grant_i,
    input logic [5*VcBits-1:0] grant_vc_i,
    // Switch allocation
    input logic [5*Vcs-1:0] credit_i,  // may a flit be sent to this VC of this output?
    output logic [4:0] able_o,
    output logic [5*VcBits-1:0] vc_o,
    output logic [noc_pkg::FlitBits-1:0] flit_o,
    input logic [4:0] won_i,
    output logic pop_o,
    // Collective unit
    output logic unit_want_o,
    output logic [noc_pkg::FlitBits-1:0] front_o,
    output logic ready_o,  // the front is there
    input logic unit_begin_i,  // the unit works on the packet, or lets it go on:
    input logic [4:0] unit_route_i,
    input logic [1:0] unit_marks_i,
    input logic unit_take_i
);
  localparam int PointerBits = Depth > 1 ? $clog2(Depth) : 1;
  localparam int RouteBits = Multicast ? 5 : 3;
  localparam logic [2:0] ToUnit = 3'd5;

  function automatic logic [PointerBits-1:0] next(input logic [PointerBits-1:0] pointer);
    next = pointer == PointerBits'(Depth - 1) ? '0 : pointer + 1'b1;
  endfunction

  logic [noc_pkg::FlitBits-1:0] slot_q[Depth];
  logic [PointerBits-1:0] first_q, last_q;
  logic [CountBits-1:0] count_q;
  logic [4:0] want_q, have_q;
  logic unit_q;
  logic [1:0] marks_q;

  logic [noc_pkg::FlitBits-1:0] front;
  logic tail, finish, pop;
  logic [4:0] have_left;

  assign front = slot_q[first_q];
  assign ready_o = count_q != '0;
  assign want_o = want_q;
  assign unit_want_o = unit_q;
  // The unit sees a packet only while no branch has sent any flit of it, so the flit offered is the front one.
  assign front_o = offered;
  assign down_o = front[noc_pkg::KindLsb+:3] == noc_pkg::KindBroadcast;

  if (Reuse == noc_pkg::CutThrough) begin : gen_need_packet
    logic [5:0] flits;
    assign flits = noc_pkg::flits_of(front[noc_pkg::KindLsb+:3], front[noc_pkg::LengthLsb+:7]);
    assign need_o = flits > 6'(Depth) ? CountBits'(Depth) : CountBits'(flits);
  end else begin : gen_need_fixed
    assign need_o = Reuse == noc_pkg::Atomic ? CountBits'(Depth) : '0;
  end

  // Switch allocation's view.
  logic [noc_pkg::FlitBits-1:0] offered;
  logic [4:0] credit_of_branch;
  assign tail = offered[noc_pkg::TailBit];
  assign have_left = have_q & ~(won_i & {5{tail}});

  if (Multicast) begin : gen_branches
    logic [5*VcBits-1:0] vc_q;
    logic [5*CountBits-1:0] ahead_q;
    logic [4:0] ready, lowest;
    logic [CountBits-1:0] number;
    logic [PointerBits:0] place;
    logic [4:0] behind;

    always_comb begin
      for (int p = 0; p < 5; p++) begin
        credit_of_branch[p] = 1'b0;
        for (int v = 0; v < Vcs; v++)
          if (vc_q[p*VcBits+:VcBits] == VcBits'(v)) credit_of_branch[p] = credit_i[p*Vcs+v];
      end
      ready = have_q & credit_of_branch;
      number = '0;
      lowest = '0;
      for (int n = Depth - 1; n >= 0; n--)
        for (int p = 0; p < 5; p++)
          if (ready[p] && ahead_q[p*CountBits+:CountBits] == CountBits'(n)) number = CountBits'(n);
      for (int p = 0; p < 5; p++) lowest[p] = ready[p] && ahead_q[p*CountBits+:CountBits] == number;
      place = (PointerBits + 1)'(first_q) + (PointerBits + 1)'(number);
      if (place >= (PointerBits + 1)'(Depth)) place = place - (PointerBits + 1)'(Depth);
      // Branches that still need the flit in front after this cycle.
      for (int p = 0; p < 5; p++)
        behind[p] = have_left[p] && ahead_q[p*CountBits+:CountBits] == '0 && !won_i[p];
    end
    assign able_o = number < count_q ? lowest : '0;
    assign offered = slot_q[place[PointerBits-1:0]];
    assign vc_o = vc_q;
    assign pop = unit_take_i || (won_i != '0 && want_q == '0 && behind == '0);
    assign finish = unit_take_i ? front[noc_pkg::TailBit] : won_i != '0 && want_q == '0 && have_left == '0;

    always_ff @(posedge clk_i) begin
      for (int p = 0; p < 5; p++) begin
        if (grant_i[p]) begin
          vc_q[p*VcBits+:VcBits] <= grant_vc_i[p*VcBits+:VcBits];
          ahead_q[p*CountBits+:CountBits] <= '0;
        end else if (won_i[p] && !pop) begin
          ahead_q[p*CountBits+:CountBits] <= ahead_q[p*CountBits+:CountBits] + 1'b1;
        end else if (!won_i[p] && pop) begin
          ahead_q[p*CountBits+:CountBits] <= ahead_q[p*CountBits+:CountBits] - 1'b1;
        end
      end
    end
  end else begin : gen_single
    logic [VcBits-1:0] vc_q;
    always_comb begin
      for (int p = 0; p < 5; p++) begin
        credit_of_branch[p] = 1'b0;
        for (int v = 0; v < Vcs; v++) if (vc_q == VcBits'(v)) credit_of_branch[p] = credit_i[p*Vcs+v];
      end
    end
    assign able_o = count_q != '0 ? have_q & credit_of_branch : '0;
    assign offered = front;
    assign vc_o = {5{vc_q}};
    assign pop = unit_take_i || won_i != '0;
    assign finish = pop && front[noc_pkg::TailBit];

    always_ff @(posedge clk_i) begin
      for (int p = 0; p < 5; p++) if (grant_i[p]) vc_q <= grant_vc_i[p*VcBits+:VcBits];
    end
  end

  assign pop_o = pop;

  // The unit's marks are put into a learn packet as it leaves.
  always_comb begin
    flit_o = offered;
    if (HasUnit) flit_o[1:0] = offered[1:0] | (offered[noc_pkg::HeadBit] ? marks_q : 2'b0);
  end

  // What comes to the front next: the head behind a tail that leaves, or the flit that is written now.
  logic [RouteBits-1:0] incoming, uncovered_route, next_route;
  logic [CountBits-1:0] left;
  logic uncovers;  // the head behind a tail that has left gets its outputs now
  logic expose;
  logic [4:0] expose_ports;
  logic expose_unit;
  if (Multicast) begin : gen_route_mask
    assign incoming = route_i;
    assign expose_ports = next_route;
    assign expose_unit = HasUnit && next_route == '0;
  end else begin : gen_route_code
    always_comb begin
      incoming = ToUnit;
      for (int p = 0; p < 5; p++) if (route_i[p]) incoming = 3'(p);
      for (int p = 0; p < 5; p++) expose_ports[p] = next_route == 3'(p);
    end
    assign expose_unit = HasUnit && next_route == ToUnit;
  end
  assign left = count_q - CountBits'(pop);
  assign next_route = uncovers ? uncovered_route : incoming;
  assign expose = uncovers || (write_i && flit_i[noc_pkg::HeadBit] && left == '0);

  if (RouteAt == noc_pkg::AtFront) begin : gen_at_front
    logic uncovers_q;
    always_ff @(posedge clk_i) uncovers_q <= rst_ni && finish && left != '0;
    assign uncovers = uncovers_q;
  end else begin : gen_at_write
    assign uncovers = finish && left != '0;
  end
  if (KeepsRoute) begin : gen_kept_route
    logic [RouteBits-1:0] slot_route_q[Depth];
    assign uncovered_route = slot_route_q[RouteAt == noc_pkg::AtFront ? first_q : next(first_q)];
    always_ff @(posedge clk_i) if (write_i) slot_route_q[last_q] <= incoming;
    logic unused_front;
    assign unused_front = &{1'b0, front_route_i};
  end else begin : gen_front_route
    always_comb begin
      uncovered_route = '0;
      for (int p = 0; p < 5; p++) if (front_route_i[p]) uncovered_route = RouteBits'(p);
    end
  end

  always_ff @(posedge clk_i) begin
    if (write_i) slot_q[last_q] <= flit_i;
    if (!rst_ni) begin
      first_q <= '0;
      last_q <= '0;
      count_q <= '0;
      want_q <= '0;
      have_q <= '0;
      unit_q <= 1'b0;
      marks_q <= '0;
    end else begin
      if (pop) first_q <= next(first_q);
      if (write_i) last_q <= next(last_q);
      count_q <= left + CountBits'(write_i);
      want_q <= expose ? expose_ports : unit_begin_i ? unit_route_i : want_q & ~grant_i;
      have_q <= have_left | grant_i;
      unit_q <= expose ? expose_unit : unit_q && !unit_begin_i;
      if (HasUnit) marks_q <= expose ? 2'b0 : unit_begin_i ? unit_marks_i : marks_q;
    end
  end

`ifndef SYNTHESIS
  // No flit is lost, no packet is cut or mixed with another, and only the owner of an output VC sends to it.
  logic inside_q;  // the packet that is being written has no tail yet
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      inside_q <= 1'b0;
    end else begin
      if (write_i) inside_q <= !flit_i[noc_pkg::TailBit];
      assert (!write_i || count_q != CountBits'(Depth))
      else $error("a flit comes to a full buffer");
      assert (!pop || count_q != '0)
      else $error("a flit leaves an empty buffer");
      assert (!write_i || flit_i[noc_pkg::HeadBit] == !inside_q)
      else $error("a packet is cut or mixed with another");
      assert ((won_i & ~have_q) == '0)
      else $error("a flit is sent to a VC that its packet does not own");
      assert ((grant_i & ~want_q) == '0)
      else $error("a packet is given a VC that it has not asked for");
    end
  end
`endif
endmodule
