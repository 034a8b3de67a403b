// SPDX-License-Identifier: Apache-2.0
// Between a core and the local input of its router. The core offers flits, one packet after the other. For a head the
// interface takes the emptiest VC, if that VC has the credits that the packet needs; of equally empty ones it takes
// the first at or behind the VC that follows the last one. Then it sends a flit per cycle while that VC has a credit.
// A flit accepted in cycle c is written into the router's buffer in c + 1.
module network_interface #(
    /// Flits of a VC of the router's local input.
    parameter int Depth = 5,
    /// VCs of that input, 1 or more.
    parameter int Vcs = 2,
    /// As the router's; Wormhole waits for one credit.
    parameter int Reuse = noc_pkg::Wormhole,
    localparam int VcBits = Vcs > 1 ? $clog2(Vcs) : 1,
    localparam int CountBits = $clog2(Depth + 1)
) (
    input logic clk_i,
    input logic rst_ni,
    input logic valid_i,
    input logic [noc_pkg::FlitBits-1:0] flit_i,
    output logic ready_o,
    output logic valid_o,
    output logic [noc_pkg::FlitBits-1:0] flit_o,
    output logic [VcBits-1:0] vc_o,
    input logic [Vcs-1:0] credit_i
);
  logic [Vcs*CountBits-1:0] credits_q;
  logic [Vcs-1:0] credit_q;  // credits on their way from the router
  logic sending_q;
  logic [VcBits-1:0] vc_q, vc;
  logic [VcBits-1:0] first_q;
  logic [CountBits:0] level, best;  // credits, and whether the VC is at or behind first_q
  logic [CountBits-1:0] need;
  logic found, go;

  if (Reuse == noc_pkg::CutThrough) begin : gen_need_packet
    logic [5:0] flits;
    assign flits = noc_pkg::flits_of(flit_i[noc_pkg::KindLsb+:3], flit_i[noc_pkg::LengthLsb+:7]);
    assign need = flits > 6'(Depth) ? CountBits'(Depth) : CountBits'(flits);
  end else begin : gen_need_fixed
    assign need = Reuse == noc_pkg::Atomic ? CountBits'(Depth) : CountBits'(1);
  end

  always_comb begin
    found = 1'b0;
    vc = vc_q;
    best = '0;
    level = '0;
    if (!sending_q) begin
      for (int v = 0; v < Vcs; v++) begin
        level = {credits_q[v*CountBits+:CountBits], VcBits'(v) >= first_q};
        if (v == 0 || level > best) begin
          best = level;
          vc = VcBits'(v);
        end
      end
      found = best[CountBits:1] >= need;
    end else begin
      for (int v = 0; v < Vcs; v++) if (vc_q == VcBits'(v)) found = credits_q[v*CountBits+:CountBits] != '0;
    end
  end
  assign go = valid_i && found;
  assign ready_o = found;

  always_ff @(posedge clk_i) begin
    flit_o <= flit_i;
    vc_o <= vc;
    if (go) vc_q <= vc;
    if (!rst_ni) begin
      for (int v = 0; v < Vcs; v++) credits_q[v*CountBits+:CountBits] <= CountBits'(Depth);
      credit_q <= '0;
      sending_q <= 1'b0;
      first_q <= '0;
      valid_o <= 1'b0;
    end else begin
      for (int v = 0; v < Vcs; v++)
        credits_q[v*CountBits+:CountBits] <= credits_q[v*CountBits+:CountBits] + CountBits'(credit_q[v]) -
            CountBits'(go && vc == VcBits'(v));
      credit_q <= credit_i;
      if (go) sending_q <= !flit_i[noc_pkg::TailBit];
      if (go && !sending_q) first_q <= vc == VcBits'(Vcs - 1) ? '0 : vc + 1'b1;
      valid_o <= go;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      for (int v = 0; v < Vcs; v++)
        assert (!credit_q[v] || credits_q[v*CountBits+:CountBits] != CountBits'(Depth))
        else $error("a credit comes that was not spent");
      assert (!go || flit_i[noc_pkg::HeadBit] == !sending_q)
      else $error("the core's packets mix");
    end
  end
`endif
endmodule
