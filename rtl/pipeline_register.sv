// SPDX-License-Identifier: Apache-2.0
// A place where a pipeline may be cut: a register when enabled, else a wire.
module pipeline_register #(
    /// Bits.
    parameter int Width = 1,
    /// 1: a register, 0: a wire.
    parameter bit Enable = 1
) (
    input logic clk_i,
    input logic [Width-1:0] d_i,
    output logic [Width-1:0] q_o
);
  if (Enable) begin : gen_register
    logic [Width-1:0] value_q;
    always_ff @(posedge clk_i) value_q <= d_i;
    assign q_o = value_q;
  end else begin : gen_wire
    logic unused;
    assign unused = clk_i;
    assign q_o = d_i;
  end
endmodule
