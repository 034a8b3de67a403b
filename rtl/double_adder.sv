// SPDX-License-Identifier: Apache-2.0
// Sum of two IEEE 754 doubles, rounded to nearest even, with subnormal numbers. A NaN result is always the quiet
// NaN 7ff8000000000000. A new pair may come every cycle; the sum is there Cycles - 1 clock edges later. A bypassed
// value passes the same stages and comes out unchanged.
//
// Stages: order by magnitude; align; add or subtract; normalise; round; select.
module double_adder #(
    /// From operands to sum, 1 or more; up to 6 cut the stages, further cycles are delay.
    parameter int Cycles = 6
) (
    input logic clk_i,
    input logic [63:0] a_i,
    input logic [63:0] b_i,
    input logic bypass_i,
    input logic [63:0] bypass_value_i,
    output logic [63:0] sum_o
);
  // Order: `big` has the larger magnitude.
  logic [63:0] big, little;
  logic [10:0] big_exponent, little_exponent;
  logic special, is_nan;
  logic [63:0] special_value;
  always_comb begin
    big = a_i[62:0] >= b_i[62:0] ? a_i : b_i;
    little = a_i[62:0] >= b_i[62:0] ? b_i : a_i;
    big_exponent = big[62:52] == '0 ? 11'd1 : big[62:52];
    little_exponent = little[62:52] == '0 ? 11'd1 : little[62:52];
    // Of the two, the larger is the NaN or the infinity if there is one.
    is_nan = (big[62:52] == '1 && big[51:0] != '0) ||
        (big[62:52] == '1 && little[62:52] == '1 && big[63] != little[63]);
    special = bypass_i || big[62:52] == '1;
    special_value = bypass_i ? bypass_value_i : is_nan ? 64'h7ff8000000000000 : big;
  end

  localparam int Width1 = 1 + 64 + 1 + 1 + 11 + 11 + 53 + 53;
  logic [Width1-1:0] d1, q1;
  logic special1, sign1, subtract1;
  logic [63:0] value1;
  logic [10:0] exponent1, distance1;
  logic [52:0] big1, small1;
  assign d1 = {special, special_value, big[63], big[63] ^ little[63], big_exponent, big_exponent - little_exponent,
               big[62:52] != '0, big[51:0], little[62:52] != '0, little[51:0]};
  pipeline_register #(.Width(Width1), .Enable(Cycles > 1)) u_cut1 (.clk_i, .d_i(d1), .q_o(q1));
  assign {special1, value1, sign1, subtract1, exponent1, distance1, big1, small1} = q1;

  // Align: three bits below the last place, the lowest collects all that is shifted out.
  logic [55:0] shifted, aligned;
  logic sticky;
  always_comb begin
    shifted = {small1, 3'b0} >> distance1[5:0];
    sticky = ({small1, 3'b0} & ~({56{1'b1}} << distance1[5:0])) != '0;
    aligned = distance1 > 11'd55 ? {55'b0, small1 != '0} : {shifted[55:1], shifted[0] | sticky};
  end

  localparam int Width2 = 1 + 64 + 1 + 1 + 11 + 53 + 56;
  logic [Width2-1:0] q2;
  logic special2, sign2, subtract2;
  logic [63:0] value2;
  logic [10:0] exponent2;
  logic [52:0] big2;
  logic [55:0] small2;
  pipeline_register #(.Width(Width2), .Enable(Cycles > 2)) u_cut2 (
      .clk_i, .d_i({special1, value1, sign1, subtract1, exponent1, big1, aligned}), .q_o(q2));
  assign {special2, value2, sign2, subtract2, exponent2, big2, small2} = q2;

  logic [56:0] total;
  assign total = {1'b0, big2, 3'b0} + ({1'b0, small2} ^ {57{subtract2}}) + 57'(subtract2);

  localparam int Width3 = 1 + 64 + 1 + 11 + 57;
  logic [Width3-1:0] q3;
  logic special3, sign3;
  logic [63:0] value3;
  logic [10:0] exponent3;
  logic [56:0] total3;
  // An exact zero from a subtraction is +0.
  pipeline_register #(.Width(Width3), .Enable(Cycles > 3)) u_cut3 (
      .clk_i, .d_i({special2, value2, sign2 && !(subtract2 && total == '0), exponent2, total}), .q_o(q3));
  assign {special3, value3, sign3, exponent3, total3} = q3;

  // Normalise: a carry goes right, leading zeros go left as far as the exponent allows.
  logic [5:0] zeros, left;
  logic [55:0] mantissa;
  logic [11:0] exponent;
  always_comb begin
    zeros = 6'd56;
    for (int i = 0; i < 56; i++) if (total3[i]) zeros = 6'(55 - i);
    left = exponent3 - 11'd1 < 11'(zeros) ? 6'(exponent3 - 11'd1) : zeros;
    if (total3[56]) begin
      mantissa = {total3[56:2], total3[1] | total3[0]};
      exponent = {1'b0, exponent3} + 12'd1;
    end else begin
      mantissa = total3[55:0] << left;
      exponent = {1'b0, exponent3} - 12'(left);
    end
  end

  localparam int Width4 = 1 + 64 + 1 + 12 + 56;
  logic [Width4-1:0] q4;
  logic special4, sign4;
  logic [63:0] value4;
  logic [11:0] exponent4;
  logic [55:0] mantissa4;
  pipeline_register #(.Width(Width4), .Enable(Cycles > 4)) u_cut4 (
      .clk_i, .d_i({special3, value3, sign3, exponent, mantissa}), .q_o(q4));
  assign {special4, value4, sign4, exponent4, mantissa4} = q4;

  // Round; a carry out of the fraction raises the exponent, up to infinity.
  logic [62:0] packed_value, rounded;
  logic [63:0] sum;
  always_comb begin
    packed_value = {mantissa4[55] ? exponent4[10:0] : 11'd0, mantissa4[54:3]};
    rounded = packed_value + 63'(mantissa4[2] && (mantissa4[1:0] != '0 || mantissa4[3]));
    sum = special4 ? value4 : {sign4, exponent4 >= 12'd2047 ? {11'h7ff, 52'b0} : rounded};
  end

  delay_line #(.Width(64), .Cycles(Cycles > 5 ? Cycles - 5 : 0)) u_rest (.clk_i, .d_i(sum), .q_o(sum_o));
endmodule
