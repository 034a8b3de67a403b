// SPDX-License-Identifier: Apache-2.0
// Words of flits on their way into the arithmetic unit. Per cycle up to two come and one goes; a word that comes can
// go in the same cycle.
module word_queue #(
    /// Words that can wait, 1 or more; the two that come do not count.
    parameter int Depth = 3
) (
    input logic clk_i,
    input logic rst_ni,
    input logic [1:0] put_i,  // words that come: 0, 1 or 2
    input logic [127:0] data_i,  // the lower one first
    output logic ready_o,
    output logic [63:0] data_o,
    input logic get_i
);
  localparam int CountBits = $clog2(Depth + 3);
  logic [64*Depth-1:0] word_q;
  logic [64*(Depth+2)-1:0] words;
  logic [CountBits-1:0] count_q, count;

  always_comb begin
    count = count_q + CountBits'(put_i);
    words = {128'b0, word_q};
    for (int w = 0; w < Depth + 2; w++) begin
      if (CountBits'(w) == count_q) words[w*64+:64] = data_i[63:0];
      if (CountBits'(w) == count_q + 1'b1) words[w*64+:64] = data_i[127:64];
    end
  end
  assign ready_o = count != '0;
  assign data_o = words[63:0];

  always_ff @(posedge clk_i) begin
    word_q <= get_i ? words[64+:64*Depth] : words[0+:64*Depth];
    if (!rst_ni) count_q <= '0;
    else count_q <= count - CountBits'(get_i);
  end
  logic unused;
  assign unused = &{1'b0, words[64*(Depth+1)+:64]};
endmodule
