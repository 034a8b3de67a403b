// SPDX-License-Identifier: Apache-2.0
// A router: level 0 plain, level 1 with collective unit, level 2 with learned paths only. Cycle by cycle it does
// what taihu/noc/README.md says; the stages of a flit are buffer write with route computation, VC allocation,
// switch allocation, switch traversal; links are outside. All outputs are registers.
module router #(
    /// 0 plain, 1 collective unit, 2 learned paths only.
    parameter int Level = 0,
    /// Virtual channels per port, 1 or more; a router with a unit (Level 1 or 2) needs 2, as broadcasts must not use VC 0.
    parameter int Vcs = 2,
    /// Flits of a VC's buffer, 1 or more; 5, a whole packet, for collectives.
    parameter int Depth = 5,
    /// When a VC is given to the next packet: noc_pkg::Wormhole, CutThrough or Atomic. Collectives need one of the
    /// last two.
    parameter int Reuse = noc_pkg::Wormhole,
    /// When a head gets its output port: noc_pkg::AtWrite, or AtFront, a cycle later behind another packet.
    parameter int RouteAt = noc_pkg::AtWrite,
    /// Dimension-order routing goes along y first (1) or along x first (0). The same in all routers of a network.
    parameter bit YFirst = 1,
    /// Entries of the table of communicators, 1 to 1024; further communicators stay with software. Levels 1 and 2.
    parameter int Communicators = 5,
    /// Open operations, each with 64 bytes of partial result; Operations / Communicators must be a power of two.
    /// Level 1.
    parameter int Operations = 10,
    /// Cycles from operands to result, 1 or more; beyond 6 they are delay. Level 1.
    parameter int ArithmeticCycles = 6,
    /// 1: a word may start in every cycle; 0: only when the last one is done. Level 1.
    parameter bit Pipelined = 1,
    localparam int VcBits = Vcs > 1 ? $clog2(Vcs) : 1
) (
    input logic clk_i,
    input logic rst_ni,
    input logic [noc_pkg::NodeBits-1:0] node_i,  // own {y, x}, constant
    // Links: inputs and outputs per port
    input logic [4:0] valid_i,
    input logic [5*noc_pkg::FlitBits-1:0] flit_i,
    input logic [5*VcBits-1:0] vc_i,
    output logic [5*Vcs-1:0] credit_o,
    output logic [4:0] valid_o,
    output logic [5*noc_pkg::FlitBits-1:0] flit_o,
    output logic [5*VcBits-1:0] vc_o,
    input logic [5*Vcs-1:0] credit_i,  // of the local port: unused
    input logic [4:0] stall_i,  // outputs that must not send in this cycle
    output logic fault_o  // stays 1 after a broadcast of an unknown communicator or one operation too many
);
  /*verilator hier_block*/
  localparam int W = noc_pkg::FlitBits;
  localparam int InputPorts = Level == 1 ? 6 : 5;
  localparam int Inputs = InputPorts * Vcs;
  localparam int CountBits = $clog2(Depth + 1);

  // Input channels. Those of the unit's port but the first are never used and vanish in synthesis.
  logic [Inputs*5-1:0] want, granted, able, won;
  logic [Inputs-1:0] down, pop;
  logic [Inputs*CountBits-1:0] need;
  logic [Inputs*5*VcBits-1:0] granted_vc, held_vc;
  logic [Inputs*W-1:0] offered;
  logic [5*Vcs-1:0] may_send;
  logic [5*Vcs*CountBits-1:0] credits_q;

  // Collective unit, per input VC of a link or of the core.
  localparam int Links = 5 * Vcs;
  logic [Links-1:0] unit_want, unit_ready, unit_begin, unit_take;
  logic [Links*W-1:0] front;
  logic [4:0] unit_route;
  logic [1:0] unit_marks;
  logic [4:0] known;  // per input port: the head's communicator is in the table
  logic [24:0] paths;  // and its ports
  logic unit_fault, fault_q;
  logic [4:0] lost;

  for (genvar p = 0; p < 5; p++) begin : gen_port
    logic [W-1:0] flit;
    logic [2:0] kind;
    logic [4:0] route, direct;
    assign flit = flit_i[p*W+:W];
    assign kind = flit[noc_pkg::KindLsb+:3];
    assign direct = noc_pkg::route(node_i, flit[noc_pkg::DestinationLsb+:8], YFirst);
    if (Level == 0) begin : gen_plain
      assign route = direct;
      assign lost[p] = kind == noc_pkg::KindBroadcast;
    end else begin : gen_collective
      logic for_unit;
      assign for_unit = kind == noc_pkg::KindLearn ||
          (Level == 1 && known[p] && (kind == noc_pkg::KindReduce || kind == noc_pkg::KindGather));
      assign route = kind == noc_pkg::KindBroadcast ? paths[p*5+:5] & ~(5'd1 << p) : for_unit ? '0 : direct;
      assign lost[p] = kind == noc_pkg::KindBroadcast && route == '0;
    end
    for (genvar v = 0; v < Vcs; v++) begin : gen_vc
      localparam int I = p * Vcs + v;
      // Collective routers keep the outputs found when the head was written: their tables have one lookup per port.
      localparam bit KeepsRoute = Level != 0 || RouteAt == noc_pkg::AtWrite;
      logic [4:0] front_route;
      assign front_route = KeepsRoute ? '0 :
          noc_pkg::route(node_i, front[I*W+noc_pkg::DestinationLsb+:noc_pkg::NodeBits], YFirst);
      input_channel #(
          .Depth(Depth),
          .Vcs(Vcs),
          .Reuse(Reuse),
          .RouteAt(RouteAt),
          .KeepsRoute(KeepsRoute),
          .Multicast(Level != 0 && (v > 0 || p == noc_pkg::Local)),
          .HasUnit(Level != 0)
      ) u_channel (
          .clk_i,
          .rst_ni,
          .write_i(valid_i[p] && vc_i[p*VcBits+:VcBits] == VcBits'(v)),
          .flit_i(flit),
          .route_i(route),
          .front_route_i(front_route),
          .want_o(want[I*5+:5]),
          .down_o(down[I]),
          .need_o(need[I*CountBits+:CountBits]),
          .grant_i(granted[I*5+:5]),
          .grant_vc_i(granted_vc[I*5*VcBits+:5*VcBits]),
          .credit_i(may_send),
          .able_o(able[I*5+:5]),
          .vc_o(held_vc[I*5*VcBits+:5*VcBits]),
          .flit_o(offered[I*W+:W]),
          .won_i(won[I*5+:5]),
          .pop_o(pop[I]),
          .unit_want_o(unit_want[I]),
          .front_o(front[I*W+:W]),
          .ready_o(unit_ready[I]),
          .unit_begin_i(unit_begin[I]),
          .unit_route_i(unit_route),
          .unit_marks_i(unit_marks),
          .unit_take_i(unit_take[I])
      );
    end
  end

  if (Level == 0) begin : gen_no_unit
    assign unit_begin = '0;
    assign unit_take = '0;
    assign unit_route = '0;
    assign unit_marks = '0;
    assign known = '0;
    assign paths = '0;
    assign unit_fault = 1'b0;
    logic unused;
    assign unused = &{1'b0, unit_want, unit_ready, front, known, paths, 32'(Communicators), 32'(Operations),
                      32'(ArithmeticCycles), Pipelined};
  end else begin : gen_unit
    logic [5*noc_pkg::CommunicatorBits-1:0] communicator;
    for (genvar p = 0; p < 5; p++) begin : gen_communicator
      assign communicator[p*noc_pkg::CommunicatorBits+:noc_pkg::CommunicatorBits] =
          flit_i[p*W+noc_pkg::CommunicatorLsb+:noc_pkg::CommunicatorBits];
    end
    if (Level == 1) begin : gen_level_1
      localparam int R = 5 * Vcs;  // the result's input VC
      collective_unit #(
          .Inputs(Links),
          .Vcs(Vcs),
          .Depth(Depth),
          .Reuse(Reuse),
          .YFirst(YFirst),
          .Communicators(Communicators),
          .Operations(Operations),
          .ArithmeticCycles(ArithmeticCycles),
          .Pipelined(Pipelined)
      ) u_unit (
          .clk_i,
          .rst_ni,
          .node_i,
          .communicator_i(communicator),
          .known_o(known),
          .paths_o(paths),
          .want_i(unit_want),
          .ready_i(unit_ready),
          .front_i(front),
          .begin_o(unit_begin),
          .take_o(unit_take),
          .route_o(unit_route),
          .marks_o(unit_marks),
          .result_want_o(want[R*5+:5]),
          .result_need_o(need[R*CountBits+:CountBits]),
          .result_grant_i(granted[R*5+:5]),
          .result_grant_vc_i(granted_vc[R*5*VcBits+:5*VcBits]),
          .result_credit_i(may_send),
          .result_able_o(able[R*5+:5]),
          .result_vc_o(held_vc[R*5*VcBits+:5*VcBits]),
          .result_flit_o(offered[R*W+:W]),
          .result_won_i(won[R*5+:5]),
          .fault_o(unit_fault)
      );
      assign down[R] = 1'b0;
      assign pop[R] = 1'b0;
      for (genvar v = 1; v < Vcs; v++) begin : gen_unused_vc
        assign want[(R+v)*5+:5] = '0;
        assign down[R+v] = 1'b0;
        assign pop[R+v] = 1'b0;
        assign need[(R+v)*CountBits+:CountBits] = '0;
        assign able[(R+v)*5+:5] = '0;
        assign held_vc[(R+v)*5*VcBits+:5*VcBits] = '0;
        assign offered[(R+v)*W+:W] = '0;
        logic unused;
        assign unused = &{1'b0, granted[(R+v)*5+:5], granted_vc[(R+v)*5*VcBits+:5*VcBits], won[(R+v)*5+:5]};
      end
      logic unused;
      assign unused = &{1'b0, pop[R+:Vcs]};
    end else begin : gen_level_2
      path_unit #(
          .Inputs(Links),
          .Vcs(Vcs),
          .YFirst(YFirst),
          .Communicators(Communicators)
      ) u_unit (
          .clk_i,
          .rst_ni,
          .node_i,
          .communicator_i(communicator),
          .known_o(known),
          .paths_o(paths),
          .want_i(unit_want),
          .front_i(front),
          .begin_o(unit_begin),
          .route_o(unit_route),
          .marks_o(unit_marks)
      );
      assign unit_take = '0;
      assign unit_fault = 1'b0;
      logic unused;
      assign unused = &{1'b0, unit_ready, known};
    end
  end

  // VC allocation, per output port.
  logic [5*Inputs-1:0] port_grant;
  logic [5*Inputs*VcBits-1:0] port_grant_vc;
  logic [5*Vcs-1:0] released;
  // Of equally empty VCs a head asks for the first one behind the VC that its input VC got last.
  logic [Inputs*VcBits-1:0] first_q;
  for (genvar p = 0; p < 5; p++) begin : gen_va
    logic [Inputs-1:0] port_want;
    for (genvar i = 0; i < Inputs; i++) begin : gen_want
      assign port_want[i] = want[i*5+p];
      assign granted[i*5+p] = port_grant[p*Inputs+i];
      assign granted_vc[(i*5+p)*VcBits+:VcBits] = port_grant_vc[(p*Inputs+i)*VcBits+:VcBits];
    end
    vc_allocator #(
        .Inputs(Inputs),
        .Vcs(Vcs),
        .Depth(Depth),
        .IsLocal(p == noc_pkg::Local),
        .HasDown(Level != 0)
    ) u_va (
        .clk_i,
        .rst_ni,
        .want_i(port_want),
        .down_i(down),
        .need_i(need),
        .first_i(first_q),
        .credits_i(credits_q[p*Vcs*CountBits+:Vcs*CountBits]),
        .release_i(released[p*Vcs+:Vcs]),
        .grant_o(port_grant[p*Inputs+:Inputs]),
        .grant_vc_o(port_grant_vc[p*Inputs*VcBits+:Inputs*VcBits])
    );
  end

  always_ff @(posedge clk_i) begin
    for (int i = 0; i < Inputs; i++) begin
      if (!rst_ni) first_q[i*VcBits+:VcBits] <= '0;
      else
        for (int p = 0; p < 5; p++)
          if (granted[i*5+p])
            first_q[i*VcBits+:VcBits] <= granted_vc[(i*5+p)*VcBits+:VcBits] == VcBits'(Vcs - 1) ? '0 :
                granted_vc[(i*5+p)*VcBits+:VcBits] + 1'b1;
    end
  end

  // Switch allocation.
  logic [Inputs-1:0] nominee;
  logic [5*InputPorts-1:0] select;
  switch_allocator #(
      .InputPorts(InputPorts),
      .Vcs(Vcs)
  ) u_sa (
      .clk_i,
      .rst_ni,
      .able_i(able),
      .nominee_o(nominee),
      .select_o(select)
  );
  for (genvar i = 0; i < Inputs; i++) begin : gen_won
    for (genvar p = 0; p < 5; p++) begin : gen_output
      assign won[i*5+p] = nominee[i] && select[p*InputPorts+i/Vcs];
    end
  end

  // The flit of each input port, and what each output port sends to which VC.
  logic [InputPorts*W-1:0] chosen;
  logic [InputPorts*5*VcBits-1:0] chosen_vc;
  logic [5*VcBits-1:0] sent_vc;
  logic [4:0] sent, sent_tail;
  always_comb begin
    for (int i = 0; i < InputPorts; i++) begin
      chosen[i*W+:W] = '0;
      chosen_vc[i*5*VcBits+:5*VcBits] = '0;
      for (int v = 0; v < Vcs; v++) begin
        if (nominee[i*Vcs+v]) begin
          chosen[i*W+:W] = chosen[i*W+:W] | offered[(i*Vcs+v)*W+:W];
          chosen_vc[i*5*VcBits+:5*VcBits] =
              chosen_vc[i*5*VcBits+:5*VcBits] | held_vc[(i*Vcs+v)*5*VcBits+:5*VcBits];
        end
      end
      // A plain router does not note the path of a communicator that is being learned.
      if (Level == 0 && chosen[i*W+noc_pkg::HeadBit] &&
          chosen[i*W+noc_pkg::KindLsb+:3] == noc_pkg::KindLearn)
        chosen[i*W+noc_pkg::MarkBeyond] = 1'b1;
    end
    for (int p = 0; p < 5; p++) begin
      sent[p] = select[p*InputPorts+:InputPorts] != '0;
      sent_tail[p] = 1'b0;
      sent_vc[p*VcBits+:VcBits] = '0;
      for (int i = 0; i < InputPorts; i++) begin
        if (select[p*InputPorts+i]) begin
          sent_vc[p*VcBits+:VcBits] = sent_vc[p*VcBits+:VcBits] | chosen_vc[(i*5+p)*VcBits+:VcBits];
          sent_tail[p] = sent_tail[p] || chosen[i*W+noc_pkg::TailBit];
        end
      end
      for (int v = 0; v < Vcs; v++)
        released[p*Vcs+v] = sent[p] && sent_tail[p] && sent_vc[p*VcBits+:VcBits] == VcBits'(v);
    end
  end

  // Credits for the VCs of the neighbours.
  always_comb begin
    for (int p = 0; p < 5; p++)
      for (int v = 0; v < Vcs; v++)
        may_send[p*Vcs+v] = !stall_i[p] &&
            (p == noc_pkg::Local || credits_q[(p*Vcs+v)*CountBits+:CountBits] != '0);
  end
  always_ff @(posedge clk_i) begin
    for (int p = 0; p < 5; p++) begin
      for (int v = 0; v < Vcs; v++) begin
        if (!rst_ni || p == noc_pkg::Local)
          credits_q[(p*Vcs+v)*CountBits+:CountBits] <= CountBits'(Depth);
        else
          credits_q[(p*Vcs+v)*CountBits+:CountBits] <= credits_q[(p*Vcs+v)*CountBits+:CountBits] +
              CountBits'(credit_i[p*Vcs+v]) - CountBits'(sent[p] && sent_vc[p*VcBits+:VcBits] == VcBits'(v));
      end
    end
  end

`ifndef SYNTHESIS
  // No credit is lost or doubled.
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      for (int p = 0; p < noc_pkg::Local; p++) begin
        for (int v = 0; v < Vcs; v++) begin
          assert (!(sent[p] && sent_vc[p*VcBits+:VcBits] == VcBits'(v)) || credits_q[(p*Vcs+v)*CountBits+:CountBits] != '0)
          else $error("a flit is sent without a credit");
          assert (!credit_i[p*Vcs+v] || credits_q[(p*Vcs+v)*CountBits+:CountBits] != CountBits'(Depth))
          else $error("a credit comes that was not spent");
        end
      end
    end
  end
`endif

  // Switch traversal: flits read in switch allocation cross in the next cycle.
  logic [InputPorts*W-1:0] crossing_q;
  logic [5*InputPorts-1:0] select_q;
  logic [5*VcBits-1:0] crossing_vc_q;
  logic [5*W-1:0] crossed;
  always_comb begin
    for (int p = 0; p < 5; p++) begin
      crossed[p*W+:W] = '0;
      for (int i = 0; i < InputPorts; i++)
        crossed[p*W+:W] = crossed[p*W+:W] | (crossing_q[i*W+:W] & {W{select_q[p*InputPorts+i]}});
    end
  end
  always_ff @(posedge clk_i) begin
    crossing_q <= chosen;
    crossing_vc_q <= sent_vc;
    flit_o <= crossed;
    vc_o <= crossing_vc_q;
    credit_o <= pop[Links-1:0];
    if (!rst_ni) begin
      select_q <= '0;
      valid_o <= '0;
      credit_o <= '0;
      fault_q <= 1'b0;
    end else begin
      select_q <= select;
      for (int p = 0; p < 5; p++) valid_o[p] <= select_q[p*InputPorts+:InputPorts] != '0;
      fault_q <= fault_q || unit_fault;
      for (int p = 0; p < 5; p++) if (valid_i[p] && flit_i[p*W+noc_pkg::HeadBit] && lost[p]) fault_q <= 1'b1;
    end
  end
  assign fault_o = fault_q;

  logic unused_local;
  assign unused_local = &{1'b0, credit_i[noc_pkg::Local*Vcs+:Vcs]};
endmodule
