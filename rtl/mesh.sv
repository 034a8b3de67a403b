// SPDX-License-Identifier: Apache-2.0
// A whole network: Width x Height routers with links and the interfaces of the cores. Node number y * Width + x;
// y grows southwards. Levels holds two bits per node: 0 plain, 1 or 2.
module mesh #(
    /// Columns, 1 to 16: a head names a node by 4 bits of x and 4 of y.
    parameter int Width = 4,
    /// Rows, 1 to 16.
    parameter int Height = 4,
    /// Two bits per node, node 0 lowest: 0 plain, 1 combines and replicates, 2 only replicates.
    parameter bit [2*Width*Height-1:0] Levels = '0,
    /// Virtual channels per port, 1 or more; a router with a unit (Level 1 or 2) needs 2, as broadcasts must not use VC 0.
    parameter int Vcs = 2,
    /// Flits of a VC's buffer, 1 or more; 5, a whole packet, for collectives.
    parameter int Depth = 5,
    /// Cycles on a link, 1 or more: a hop takes 4 + LinkCycles.
    parameter int LinkCycles = 1,
    /// When a VC is given to the next packet: noc_pkg::Wormhole, CutThrough or Atomic. Collectives need one of the
    /// last two.
    parameter int Reuse = noc_pkg::Wormhole,
    /// When a head gets its output port: noc_pkg::AtWrite, or AtFront, a cycle later behind another packet.
    parameter int RouteAt = noc_pkg::AtWrite,
    /// Dimension-order routing goes along y first (1) or along x first (0). The same in all routers of a network.
    parameter bit YFirst = 1,
    /// Entries of the table of communicators, 1 to 1024; further communicators stay with software.
    parameter int Communicators = 5,
    /// Open operations, each with 64 bytes of partial result; Operations / Communicators must be a power of two.
    parameter int Operations = 10,
    /// Cycles from operands to result, 1 or more; beyond 6 they are delay.
    parameter int ArithmeticCycles = 6,
    /// 1: a word may start in every cycle; 0: only when the last one is done.
    parameter bit Pipelined = 1,
    localparam int Nodes = Width * Height,
    localparam int W = noc_pkg::FlitBits,
    localparam int VcBits = Vcs > 1 ? $clog2(Vcs) : 1
) (
    input logic clk_i,
    input logic rst_ni,
    // Cores: flits in, one packet after the other, and flits out, VC by VC.
    input logic [Nodes-1:0] inject_valid_i,
    input logic [Nodes*W-1:0] inject_flit_i,
    output logic [Nodes-1:0] inject_ready_o,
    output logic [Nodes-1:0] eject_valid_o,
    output logic [Nodes*W-1:0] eject_flit_o,
    output logic [Nodes*VcBits-1:0] eject_vc_o,
    // Outputs of routers that must not send in this cycle, for instance because the core or the link is busy.
    input logic [Nodes*5-1:0] stall_i,
    // The flits that leave each router by each output.
    output logic [Nodes*5-1:0] sent_valid_o,
    output logic [Nodes*5*W-1:0] sent_flit_o,
    output logic [Nodes*5*VcBits-1:0] sent_vc_o,
    output logic [Nodes-1:0] fault_o
);
  if (Width < 1 || Height < 1 || Width > 16 || Height > 16) begin : gen_refuse_size
    $error("a head names nodes by 4 bits of x and y: 1 to 16 columns and rows");
  end
  if (Levels != '0 && (Vcs < 2 || Depth < 5 || Reuse == noc_pkg::Wormhole)) begin : gen_refuse_collectives
    $error("collective routers need 2 VCs of 5 flits or more that are given away with room for a whole packet");
  end

  logic [Nodes*5-1:0] in_valid;
  logic [Nodes*5*W-1:0] in_flit;
  logic [Nodes*5*VcBits-1:0] in_vc;
  logic [Nodes*5*Vcs-1:0] out_credit;  // of the neighbours' inputs, at the router that sends
  logic [Nodes*5*Vcs-1:0] in_credit;  // of a router's own inputs

  for (genvar y = 0; y < Height; y++) begin : gen_row
    for (genvar x = 0; x < Width; x++) begin : gen_column
      localparam int N = y * Width + x;
      router #(
          .Level(32'(Levels[2*N+:2])),
          .Vcs(Vcs),
          .Depth(Depth),
          .Reuse(Reuse),
          .RouteAt(RouteAt),
          .YFirst(YFirst),
          .Communicators(Communicators),
          .Operations(Operations),
          .ArithmeticCycles(ArithmeticCycles),
          .Pipelined(Pipelined)
      ) u_router (
          .clk_i,
          .rst_ni,
          .node_i({4'(y), 4'(x)}),
          .valid_i(in_valid[N*5+:5]),
          .flit_i(in_flit[N*5*W+:5*W]),
          .vc_i(in_vc[N*5*VcBits+:5*VcBits]),
          .credit_o(in_credit[N*5*Vcs+:5*Vcs]),
          .valid_o(sent_valid_o[N*5+:5]),
          .flit_o(sent_flit_o[N*5*W+:5*W]),
          .vc_o(sent_vc_o[N*5*VcBits+:5*VcBits]),
          .credit_i(out_credit[N*5*Vcs+:5*Vcs]),
          .stall_i(stall_i[N*5+:5]),
          .fault_o(fault_o[N])
      );

      for (genvar p = 0; p < 4; p++) begin : gen_link
        // The neighbour behind output p; its input is the opposite port.
        localparam int ToX = p == noc_pkg::East ? x + 1 : p == noc_pkg::West ? x - 1 : x;
        localparam int ToY = p == noc_pkg::South ? y + 1 : p == noc_pkg::North ? y - 1 : y;
        localparam int Opposite = (p + 2) % 4;
        if (ToX >= 0 && ToX < Width && ToY >= 0 && ToY < Height) begin : gen_neighbour
          localparam int M = (ToY * Width + ToX) * 5 + Opposite;
          link #(
              .Cycles(LinkCycles),
              .Vcs(Vcs)
          ) u_link (
              .clk_i,
              .rst_ni,
              .valid_i(sent_valid_o[N*5+p]),
              .flit_i(sent_flit_o[(N*5+p)*W+:W]),
              .vc_i(sent_vc_o[(N*5+p)*VcBits+:VcBits]),
              .credit_o(out_credit[(N*5+p)*Vcs+:Vcs]),
              .valid_o(in_valid[M]),
              .flit_o(in_flit[M*W+:W]),
              .vc_o(in_vc[M*VcBits+:VcBits]),
              .credit_i(in_credit[M*Vcs+:Vcs])
          );
        end else begin : gen_edge
          assign out_credit[(N*5+p)*Vcs+:Vcs] = '0;
          logic unused;
          assign unused = &{1'b0, in_credit[(N*5+p)*Vcs+:Vcs]};
          assign in_valid[N*5+p] = 1'b0;
          assign in_flit[(N*5+p)*W+:W] = '0;
          assign in_vc[(N*5+p)*VcBits+:VcBits] = '0;
        end
      end

      localparam int L = N * 5 + noc_pkg::Local;
      network_interface #(
          .Depth(Depth),
          .Vcs(Vcs),
          .Reuse(Reuse)
      ) u_interface (
          .clk_i,
          .rst_ni,
          .valid_i(inject_valid_i[N]),
          .flit_i(inject_flit_i[N*W+:W]),
          .ready_o(inject_ready_o[N]),
          .valid_o(in_valid[L]),
          .flit_o(in_flit[L*W+:W]),
          .vc_o(in_vc[L*VcBits+:VcBits]),
          .credit_i(in_credit[L*Vcs+:Vcs])
      );
      link #(
          .Cycles(LinkCycles),
          .Vcs(Vcs)
      ) u_core_link (
          .clk_i,
          .rst_ni,
          .valid_i(sent_valid_o[L]),
          .flit_i(sent_flit_o[L*W+:W]),
          .vc_i(sent_vc_o[L*VcBits+:VcBits]),
          .credit_o(out_credit[L*Vcs+:Vcs]),
          .valid_o(eject_valid_o[N]),
          .flit_o(eject_flit_o[N*W+:W]),
          .vc_o(eject_vc_o[N*VcBits+:VcBits]),
          .credit_i('0)
      );
    end
  end
endmodule
