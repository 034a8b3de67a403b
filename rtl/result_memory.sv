// SPDX-License-Identifier: Apache-2.0
// Partial results: 64 bytes for each of `Slots` operations. Written either by flits that are stored, at any byte
// position, or by the arithmetic unit, word by word; read by the arithmetic unit and by the result that leaves.
module result_memory #(
    /// Operations, 1 or more; 64 bytes of flip-flops each.
    parameter int Slots = 10,
    localparam int SlotBits = Slots > 1 ? $clog2(Slots) : 1
) (
    input logic clk_i,
    input logic [SlotBits-1:0] slot_i,  // of the packet that the unit works on
    // Storing: up to 16 bytes to a byte position
    input logic store_i,
    input logic [6:0] position_i,
    input logic [4:0] bytes_i,
    input logic [127:0] data_i,
    // Arithmetic
    input logic write_i,
    input logic [2:0] write_word_i,
    input logic [63:0] write_data_i,
    input logic [2:0] read_word_i,
    output logic [63:0] read_data_o,
    // The result that leaves: words 2n - 1 and 2n, of flit 0 the upper one
    input logic [SlotBits-1:0] leave_slot_i,
    input logic [2:0] leave_flit_i,
    output logic [127:0] leave_data_o
);
  logic [512*Slots-1:0] word_q;

  // The bytes moved to their place within three words from word position / 8 on.
  logic [191:0] moved;
  logic [23:0] enable, bytes;
  logic [511:0] data;
  logic [63:0] enables;
  always_comb begin
    moved = 192'(data_i) << {position_i[2:0], 3'b0};
    bytes = ~(24'hffffff << bytes_i);
    enable = store_i ? bytes << position_i[2:0] : '0;
    for (int w = 0; w < 8; w++) begin
      data[w*64+:64] = write_data_i;
      enables[w*8+:8] = write_i && write_word_i == 3'(w) ? 8'hff : 8'h0;
      for (int lane = 0; lane < 3; lane++) begin
        if (store_i && 4'(w) == {1'b0, position_i[5:3]} + 4'(lane)) begin
          data[w*64+:64] = moved[lane*64+:64];
          enables[w*8+:8] = enable[lane*8+:8];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int s = 0; s < Slots; s++) begin
      if ((store_i || write_i) && slot_i == SlotBits'(s)) begin
        for (int b = 0; b < 64; b++) if (enables[b]) word_q[(s*64+b)*8+:8] <= data[b*8+:8];
      end
    end
  end

  // Even and odd words are read apart: a flit has at most one of each.
  logic [2:0] above;
  always_comb begin
    read_data_o = '0;
    leave_data_o = '0;
    above = leave_flit_i - 3'd1;
    for (int s = 0; s < Slots; s++) begin
      for (int w = 0; w < 8; w++) begin
        if (slot_i == SlotBits'(s) && read_word_i == 3'(w)) read_data_o = read_data_o | word_q[(s*8+w)*64+:64];
        if (leave_slot_i == SlotBits'(s) && w % 2 == 1 && above[1:0] == 2'(w / 2) && leave_flit_i != '0)
          leave_data_o[63:0] = leave_data_o[63:0] | word_q[(s*8+w)*64+:64];
        if (leave_slot_i == SlotBits'(s) && w % 2 == 0 && leave_flit_i == 3'(w / 2))
          leave_data_o[127:64] = leave_data_o[127:64] | word_q[(s*8+w)*64+:64];
      end
    end
  end
  logic unused;
  assign unused = &{1'b0, position_i[6], above[2]};
endmodule
