// SPDX-License-Identifier: Apache-2.0
// VC allocation of one output port. Its VCs choose in rising order: a free one takes the first waiting head at or
// behind its pointer among those that may use it and have none yet; when it lacks the credits that this head
// needs, it is given to nobody, so that short packets do not overtake a long one for ever.
module vc_allocator #(
    parameter int Inputs = 10,
    parameter int Vcs = 2,
    parameter int Depth = 5,
    parameter bit IsLocal = 0,  // the core takes everything: no credits, and broadcasts may use VC 0
    parameter bit HasDown = 0,
    localparam int VcBits = Vcs > 1 ? $clog2(Vcs) : 1,
    localparam int CountBits = $clog2(Depth + 1)
) (
    input logic clk_i,
    input logic rst_ni,
    input logic [Inputs-1:0] want_i,
    input logic [Inputs-1:0] down_i,
    input logic [Inputs*CountBits-1:0] need_i,
    input logic [Vcs*CountBits-1:0] credits_i,
    input logic [Vcs-1:0] release_i,  // the tail of the packet that owns the VC leaves
    output logic [Inputs-1:0] grant_o,
    output logic [Inputs*VcBits-1:0] grant_vc_o
);
  localparam int PointerBits = Inputs > 1 ? $clog2(Inputs) : 1;

  logic [Vcs-1:0] owned_q, given;
  logic [Vcs*PointerBits-1:0] pointer_q, pointer_next;

  always_comb begin
    logic [Inputs-1:0] waiting, behind, winner;
    logic [CountBits-1:0] need;
    waiting = want_i;
    grant_o = '0;
    grant_vc_o = '0;
    given = '0;
    pointer_next = pointer_q;
    for (int v = 0; v < Vcs; v++) begin
      winner = owned_q[v] ? '0 : HasDown && !IsLocal && v == 0 ? waiting & ~down_i : waiting;
      for (int i = 0; i < Inputs; i++) behind[i] = winner[i] && PointerBits'(i) >= pointer_q[v*PointerBits+:PointerBits];
      if (behind != '0) winner = behind;
      winner = winner & (~winner + 1'b1);
      need = '0;
      for (int i = 0; i < Inputs; i++) if (winner[i]) need = need | need_i[i*CountBits+:CountBits];
      given[v] = winner != '0 && (IsLocal || credits_i[v*CountBits+:CountBits] >= need);
      if (given[v]) begin
        grant_o = grant_o | winner;
        waiting = waiting & ~winner;
        for (int i = 0; i < Inputs; i++) begin
          if (winner[i]) begin
            grant_vc_o[i*VcBits+:VcBits] = VcBits'(v);
            pointer_next[v*PointerBits+:PointerBits] = i == Inputs - 1 ? '0 : PointerBits'(i + 1);
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      owned_q <= '0;
      pointer_q <= '0;
    end else begin
      owned_q <= (owned_q & ~release_i) | given;
      pointer_q <= pointer_next;
    end
  end
endmodule
