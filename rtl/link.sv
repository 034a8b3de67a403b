// SPDX-License-Identifier: Apache-2.0
// A link of some cycles: flits one way, credits the other way.
module link #(
    /// Registers on the way, 1 or more.
    parameter int Cycles = 1,
    /// VCs, each with a credit wire back.
    parameter int Vcs = 2,
    localparam int VcBits = Vcs > 1 ? $clog2(Vcs) : 1
) (
    input logic clk_i,
    input logic rst_ni,
    input logic valid_i,
    input logic [noc_pkg::FlitBits-1:0] flit_i,
    input logic [VcBits-1:0] vc_i,
    output logic [Vcs-1:0] credit_o,
    output logic valid_o,
    output logic [noc_pkg::FlitBits-1:0] flit_o,
    output logic [VcBits-1:0] vc_o,
    input logic [Vcs-1:0] credit_i
);
  localparam int W = noc_pkg::FlitBits;
  logic [Cycles-1:0] valid_q;
  logic [Cycles*W-1:0] flit_q;
  logic [Cycles*VcBits-1:0] vc_q;
  logic [Cycles*Vcs-1:0] credit_q;

  assign valid_o = valid_q[Cycles-1];
  assign flit_o = flit_q[(Cycles-1)*W+:W];
  assign vc_o = vc_q[(Cycles-1)*VcBits+:VcBits];
  assign credit_o = credit_q[(Cycles-1)*Vcs+:Vcs];

  always_ff @(posedge clk_i) begin
    for (int c = 0; c < Cycles; c++) begin
      flit_q[c*W+:W] <= c == 0 ? flit_i : flit_q[(c==0?0:c-1)*W+:W];
      vc_q[c*VcBits+:VcBits] <= c == 0 ? vc_i : vc_q[(c==0?0:c-1)*VcBits+:VcBits];
      valid_q[c] <= rst_ni && (c == 0 ? valid_i : valid_q[c==0?0:c-1]);
      credit_q[c*Vcs+:Vcs] <= !rst_ni ? '0 : c == 0 ? credit_i : credit_q[(c==0?0:c-1)*Vcs+:Vcs];
    end
  end
endmodule
