// SPDX-License-Identifier: Apache-2.0
// Picks the first request at or behind a pointer, going around. Combinational; the pointer's register belongs to
// the caller, who decides when a choice counts.
module round_robin #(
    /// Requesters, 1 or more.
    parameter int Width = 4,
    localparam int PointerBits = Width > 1 ? $clog2(Width) : 1
) (
    input  logic [Width-1:0] request_i,
    input  logic [PointerBits-1:0] pointer_i,
    output logic [Width-1:0] grant_o,
    output logic [PointerBits-1:0] next_o  // pointer behind the chosen one
);
  logic [Width-1:0] behind;
  logic [Width-1:0] pool;

  always_comb begin
    for (int i = 0; i < Width; i++) behind[i] = request_i[i] && PointerBits'(i) >= pointer_i;
    pool = behind != '0 ? behind : request_i;
    grant_o = pool & (~pool + 1'b1);
    next_o = '0;
    for (int i = 0; i < Width - 1; i++) if (grant_o[i]) next_o = PointerBits'(i + 1);
  end
endmodule
