// SPDX-License-Identifier: Apache-2.0
// Delays a value by some clock edges; with none it is a wire.
module delay_line #(
    /// Bits.
    parameter int Width = 1,
    /// Clock edges of delay; 0: a wire.
    parameter int Cycles = 1
) (
    input logic clk_i,
    input logic [Width-1:0] d_i,
    output logic [Width-1:0] q_o
);
  logic [Width*(Cycles+1)-1:0] stages;
  assign stages[Width-1:0] = d_i;
  for (genvar i = 0; i < Cycles; i++) begin : gen_stage
    pipeline_register #(.Width(Width)) u_cut (
        .clk_i, .d_i(stages[i*Width+:Width]), .q_o(stages[(i+1)*Width+:Width]));
  end
  if (Cycles == 0) begin : gen_wire
    logic unused;
    assign unused = clk_i;
  end
  assign q_o = stages[Cycles*Width+:Width];
endmodule
