// SPDX-License-Identifier: Apache-2.0
// left (operation) right on 64-bit words: the operations of taihu/noc/network/arithmetic.h. A new pair may come every cycle;
// the result is there Cycles - 1 clock edges later (in the same cycle with one).
// min takes right where right < left, else left, so an unordered pair gives left; max likewise.
module arithmetic_unit #(
    /// From operands to result, 1 or more; adder and multiplier can be cut at five places, further cycles are delay.
    parameter int Cycles = 6
) (
    input logic clk_i,
    input logic [3:0] operation_i,
    input logic [63:0] left_i,
    input logic [63:0] right_i,
    output logic [63:0] result_o
);
  if (Cycles < 1) begin : gen_refuse
    $error("an operation takes at least one cycle");
  end

  function automatic logic is_nan(input logic [62:0] value);
    is_nan = value[62:52] == '1 && value[51:0] != '0;
  endfunction

  function automatic logic less(input logic [63:0] left, input logic [63:0] right);
    if (is_nan(left[62:0]) || is_nan(right[62:0]) || (left[62:0] == '0 && right[62:0] == '0)) less = 1'b0;
    else if (left[63] != right[63]) less = left[63];
    else less = left[63] ? left[62:0] > right[62:0] : left[62:0] < right[62:0];
  endfunction

  logic [63:0] simple;
  logic is_simple;
  always_comb begin
    is_simple = operation_i != noc_pkg::AddDouble;
    case (operation_i)
      noc_pkg::MinDouble: simple = less(right_i, left_i) ? right_i : left_i;
      noc_pkg::MaxDouble: simple = less(left_i, right_i) ? right_i : left_i;
      noc_pkg::AddInteger: simple = left_i + right_i;
      noc_pkg::MinInteger: simple = $signed(right_i) < $signed(left_i) ? right_i : left_i;
      noc_pkg::MaxInteger: simple = $signed(left_i) < $signed(right_i) ? right_i : left_i;
      noc_pkg::BitAnd: simple = left_i & right_i;
      noc_pkg::BitOr: simple = left_i | right_i;
      noc_pkg::BitXor: simple = left_i ^ right_i;
      default: simple = left_i;
    endcase
  end

  logic [63:0] sum, product;
  double_adder #(.Cycles(Cycles)) u_adder (
      .clk_i, .a_i(left_i), .b_i(right_i), .bypass_i(is_simple), .bypass_value_i(simple), .sum_o(sum));
  double_multiplier #(.Cycles(Cycles)) u_multiplier (
      .clk_i, .a_i(left_i), .b_i(right_i), .product_o(product));

  logic multiplies;
  delay_line #(.Cycles(Cycles - 1)) u_multiplies (
      .clk_i, .d_i(operation_i == noc_pkg::MultiplyDouble), .q_o(multiplies));
  assign result_o = multiplies ? product : sum;
endmodule
