// SPDX-License-Identifier: Apache-2.0
// VC allocation of one output port. Each waiting head asks for the emptiest free VC that it may take; of equally
// empty ones it asks for the first at or behind its `first_i`. Each VC chooses the first head at or behind its
// pointer among those that ask for it. The head gets the VC if the VC has the credits that the head needs.
module vc_allocator #(
    /// Input VCs of the router, its unit's included: input ports * Vcs.
    parameter int Inputs = 10,
    /// VCs of this output, 1 or more.
    parameter int Vcs = 2,
    /// Flits of each: the most credits.
    parameter int Depth = 5,
    /// The output to the core, which takes everything: no credits, and broadcasts may use VC 0.
    parameter bit IsLocal = 0,
    /// Broadcasts may come (Level 1 or 2). They must not use VC 0: they could deadlock with packets in routing order.
    parameter bit HasDown = 0,
    localparam int VcBits = Vcs > 1 ? $clog2(Vcs) : 1,
    localparam int CountBits = $clog2(Depth + 1)
) (
    input logic clk_i,
    input logic rst_ni,
    input logic [Inputs-1:0] want_i,
    input logic [Inputs-1:0] down_i,
    input logic [Inputs*CountBits-1:0] need_i,
    input logic [Inputs*VcBits-1:0] first_i,
    input logic [Vcs*CountBits-1:0] credits_i,
    input logic [Vcs-1:0] release_i,  // the tail of the packet that owns the VC leaves
    output logic [Inputs-1:0] grant_o,
    output logic [Inputs*VcBits-1:0] grant_vc_o
);
  localparam int PointerBits = Inputs > 1 ? $clog2(Inputs) : 1;

  logic [Vcs-1:0] owned_q, given;
  logic [Vcs*PointerBits-1:0] pointer_q, pointer_next;
  logic [Vcs*Inputs-1:0] ask;

  for (genvar i = 0; i < Inputs; i++) begin : gen_ask
    logic [Vcs-1:0] chosen;
    always_comb begin
      logic [CountBits:0] level, best;  // credits, and whether the VC is at or behind first_i
      chosen = '0;
      best = '0;
      for (int v = 0; v < Vcs; v++) begin
        level = {IsLocal ? CountBits'(0) : credits_i[v*CountBits+:CountBits], VcBits'(v) >= first_i[i*VcBits+:VcBits]};
        if (want_i[i] && !owned_q[v] && !(HasDown && !IsLocal && v == 0 && down_i[i]) && (chosen == '0 || level > best)) begin
          chosen = Vcs'(1) << v;
          best = level;
        end
      end
    end
    for (genvar v = 0; v < Vcs; v++) begin : gen_vc
      assign ask[v*Inputs+i] = chosen[v];
    end
  end

  always_comb begin
    logic [Inputs-1:0] behind, winner;
    logic [CountBits-1:0] need;
    grant_o = '0;
    grant_vc_o = '0;
    given = '0;
    pointer_next = pointer_q;
    for (int v = 0; v < Vcs; v++) begin
      winner = ask[v*Inputs+:Inputs];
      for (int i = 0; i < Inputs; i++) behind[i] = winner[i] && PointerBits'(i) >= pointer_q[v*PointerBits+:PointerBits];
      if (behind != '0) winner = behind;
      winner = winner & (~winner + 1'b1);
      need = '0;
      for (int i = 0; i < Inputs; i++) if (winner[i]) need = need | need_i[i*CountBits+:CountBits];
      given[v] = winner != '0 && (IsLocal || credits_i[v*CountBits+:CountBits] >= need);
      if (given[v]) begin
        grant_o = grant_o | winner;
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

`ifndef SYNTHESIS
  // A VC has one owner at a time.
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert ((given & owned_q) == '0)
      else $error("a VC is given away that has an owner");
      assert ((release_i & ~owned_q) == '0)
      else $error("a VC is released that has no owner");
      assert ((grant_o & ~want_i) == '0)
      else $error("a VC is given to a head that has not asked for it");
    end
  end
`endif
endmodule
