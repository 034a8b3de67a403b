// SPDX-License-Identifier: Apache-2.0
// Input port "unit" of a level-1 router: the result that leaves. It has no buffer: flits are made from the
// operation's memory. Operations are admitted in order, so that memory does not change until the result has left.
module result_channel #(
    /// VCs of each output, 2 or more.
    parameter int Vcs = 2,
    /// Flits of the next router's buffers, 5 or more.
    parameter int Depth = 5,
    /// As the router's: CutThrough or Atomic.
    parameter int Reuse = noc_pkg::CutThrough,
    localparam int VcBits = Vcs > 1 ? $clog2(Vcs) : 1,
    localparam int CountBits = $clog2(Depth + 1)
) (
    input logic clk_i,
    input logic rst_ni,
    // The next result, when there is one
    input logic load_i,
    input logic [4:0] route_i,
    input logic [2:0] flits_i,
    output logic free_o,  // can be loaded in this cycle
    output logic [2:0] number_o,  // of the flit that leaves next
    output logic last_o,
    // As an input channel
    output logic [4:0] want_o,
    output logic [CountBits-1:0] need_o,
    input logic [4:0] grant_i,
    input logic [5*VcBits-1:0] grant_vc_i,
    input logic [5*Vcs-1:0] credit_i,
    output logic [4:0] able_o,
    output logic [5*VcBits-1:0] vc_o,
    input logic [4:0] won_i
);
  logic [4:0] want_q, have_q, credit;
  logic [VcBits-1:0] vc_q;
  logic [2:0] left_q, number_q;

  always_comb begin
    for (int p = 0; p < 5; p++) begin
      credit[p] = 1'b0;
      for (int v = 0; v < Vcs; v++) if (vc_q == VcBits'(v)) credit[p] = credit_i[p*Vcs+v];
    end
  end
  assign want_o = want_q;
  assign able_o = have_q & credit;
  assign vc_o = {5{vc_q}};
  assign number_o = number_q;
  assign last_o = left_q == 3'd1;
  assign free_o = left_q == '0 || (last_o && won_i != '0);
  assign need_o = Reuse == noc_pkg::Atomic ? CountBits'(Depth) : CountBits'(left_q);

  always_ff @(posedge clk_i) begin
    for (int p = 0; p < 5; p++) if (grant_i[p]) vc_q <= grant_vc_i[p*VcBits+:VcBits];
    if (!rst_ni) begin
      want_q <= '0;
      have_q <= '0;
      left_q <= '0;
      number_q <= '0;
    end else if (load_i) begin
      want_q <= route_i;
      have_q <= '0;
      left_q <= flits_i;
      number_q <= '0;
    end else begin
      want_q <= want_q & ~grant_i;
      have_q <= (have_q & ~(won_i & {5{last_o}})) | grant_i;
      if (won_i != '0) begin
        left_q <= left_q - 3'd1;
        number_q <= number_q + 3'd1;
      end
    end
  end
endmodule
