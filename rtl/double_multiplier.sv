// SPDX-License-Identifier: Apache-2.0
// Product of two IEEE 754 doubles, rounded to nearest even, with subnormal numbers. A NaN result is always the quiet
// NaN 7ff8000000000000. A new pair may come every cycle; the product is there Cycles - 1 clock edges later.
//
// Stages: unpack; two partial products; their sum; count leading zeros; shift; round.
module double_multiplier #(
    /// From operands to product, 1 or more; up to 6 cut the stages, further cycles are delay.
    parameter int Cycles = 6
) (
    input logic clk_i,
    input logic [63:0] a_i,
    input logic [63:0] b_i,
    output logic [63:0] product_o
);
  logic a_zero, b_zero, a_large, b_large, is_nan, is_infinite, sign;
  logic signed [13:0] exponent;  // exponent of the product when the first of its 106 bits is one
  always_comb begin
    a_zero = a_i[62:0] == '0;
    b_zero = b_i[62:0] == '0;
    a_large = a_i[62:52] == '1;
    b_large = b_i[62:52] == '1;
    is_nan = (a_large && a_i[51:0] != '0) || (b_large && b_i[51:0] != '0) || (a_large && b_zero) ||
        (b_large && a_zero);
    is_infinite = a_large || b_large;
    sign = a_i[63] ^ b_i[63];
    exponent = $signed({3'b0, a_i[62:52]}) + $signed({13'b0, a_i[62:52] == '0}) +
        $signed({3'b0, b_i[62:52]}) + $signed({13'b0, b_i[62:52] == '0}) - 14'sd1022;
  end

  localparam int Width1 = 3 + 14 + 53 + 53;
  logic [Width1-1:0] q1;
  logic nan1, infinite1, sign1;
  logic [13:0] exponent1;
  logic [52:0] a1, b1;
  pipeline_register #(.Width(Width1), .Enable(Cycles > 1)) u_cut1 (
      .clk_i,
      .d_i({is_nan, is_infinite, sign, exponent, a_i[62:52] != '0, a_i[51:0], b_i[62:52] != '0, b_i[51:0]}),
      .q_o(q1));
  assign {nan1, infinite1, sign1, exponent1, a1, b1} = q1;

  localparam int Width2 = 3 + 14 + 80 + 79;
  logic [Width2-1:0] q2;
  logic nan2, infinite2, sign2;
  logic [13:0] exponent2;
  logic [79:0] low2;
  logic [78:0] high2;
  pipeline_register #(.Width(Width2), .Enable(Cycles > 2)) u_cut2 (
      .clk_i, .d_i({nan1, infinite1, sign1, exponent1, 80'(a1) * 80'(b1[26:0]), 79'(a1) * 79'(b1[52:27])}),
      .q_o(q2));
  assign {nan2, infinite2, sign2, exponent2, low2, high2} = q2;

  localparam int Width3 = 3 + 14 + 106;
  logic [Width3-1:0] q3;
  logic nan3, infinite3, sign3;
  logic signed [13:0] exponent3;
  logic [105:0] product3;
  pipeline_register #(.Width(Width3), .Enable(Cycles > 3)) u_cut3 (
      .clk_i, .d_i({nan2, infinite2, sign2, exponent2, high2 + 79'(low2[79:27]), low2[26:0]}),
      .q_o(q3));
  assign {nan3, infinite3, sign3, exponent3, product3} = q3;

  // To the left by the leading zeros, but not below the smallest exponent; results below it go to the right.
  logic [6:0] zeros, left, right;
  logic signed [13:0] room;
  logic [10:0] biased;
  logic overflow;
  always_comb begin
    zeros = 7'd106;
    for (int i = 0; i < 106; i++) if (product3[i]) zeros = 7'(105 - i);
    room = exponent3 - 14'sd1;
    left = '0;
    right = '0;
    if (room < 0) right = room < -14'sd107 ? 7'd107 : 7'(-room);
    else left = room < $signed({7'b0, zeros}) ? 7'(room) : zeros;
    overflow = room - $signed({7'b0, zeros}) >= 14'sd2046;
    biased = room < $signed({7'b0, zeros}) ? 11'd1 : 11'(exponent3 - $signed({7'b0, zeros}));
  end

  localparam int Width4 = 4 + 11 + 7 + 7 + 106;
  logic [Width4-1:0] q4;
  logic nan4, infinite4, sign4, zero4;
  logic [10:0] exponent4;
  logic [6:0] left4, right4;
  logic [105:0] product4;
  pipeline_register #(.Width(Width4), .Enable(Cycles > 4)) u_cut4 (
      .clk_i,
      .d_i({nan3, infinite3 || (overflow && product3 != '0), sign3, product3 == '0, biased, left, right, product3}),
      .q_o(q4));
  assign {nan4, infinite4, sign4, zero4, exponent4, left4, right4, product4} = q4;

  logic [105:0] shifted;
  logic sticky;
  always_comb begin
    shifted = right4 != '0 ? product4 >> right4 : product4 << left4;
    sticky = (product4 & ~({106{1'b1}} << right4)) != '0;
  end

  localparam int Width5 = 4 + 11 + 53 + 2;
  logic [Width5-1:0] q5;
  logic nan5, infinite5, sign5, zero5, half5, rest5;
  logic [10:0] exponent5;
  logic [52:0] mantissa5;
  pipeline_register #(.Width(Width5), .Enable(Cycles > 5)) u_cut5 (
      .clk_i,
      .d_i({nan4, infinite4, sign4, zero4, exponent4, shifted[105:53], shifted[52], shifted[51:0] != '0 || sticky}),
      .q_o(q5));
  assign {nan5, infinite5, sign5, zero5, exponent5, mantissa5, half5, rest5} = q5;

  logic [62:0] packed_value, rounded;
  logic [63:0] product;
  always_comb begin
    packed_value = {mantissa5[52] ? exponent5 : 11'd0, mantissa5[51:0]};
    rounded = packed_value + 63'(half5 && (rest5 || mantissa5[0]));
    if (nan5) product = 64'h7ff8000000000000;
    else if (infinite5) product = {sign5, 11'h7ff, 52'b0};
    else product = {sign5, zero5 ? 63'b0 : rounded};
  end

  delay_line #(.Width(64), .Cycles(Cycles > 6 ? Cycles - 6 : 0)) u_rest (.clk_i, .d_i(product), .q_o(product_o));
endmodule
