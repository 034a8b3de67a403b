// SPDX-License-Identifier: Apache-2.0
// The learned communicators of a router (LSBA), searched by number: the ports that contributions come in by and, with
// Counts, how many contributions there are and how many of them have passed no other level-1 router. One lookup per
// input port for heads that are being written, and one for the unit, which also writes.
module path_table #(
    /// Communicators that it can hold, 1 or more.
    parameter int Entries = 5,
    /// Counts contributions (level 1); without, only ports are noted (level 2).
    parameter bit Counts = 0,
    localparam int Bits = noc_pkg::CommunicatorBits,
    localparam int CountBits = noc_pkg::WeightBits
) (
    input logic clk_i,
    input logic rst_ni,
    // Heads being written, per input port
    input logic [5*Bits-1:0] communicator_i,
    output logic [4:0] known_o,
    output logic [24:0] paths_o,
    // The unit
    input logic [Bits-1:0] unit_communicator_i,
    output logic [Entries-1:0] unit_hit_o,
    output logic [CountBits-1:0] unit_total_o,
    output logic [CountBits-1:0] unit_direct_o,
    output logic [Entries*Bits-1:0] numbers_o,
    // A pseudo packet: notes the port, or forgets the communicator
    input logic learn_i,
    input logic [4:0] learn_port_i,
    input logic forget_i,
    input logic seen_i,
    output logic full_o  // no entry for this communicator
);
  logic [Entries-1:0] used_q, hit, free, chosen;
  logic [Entries*Bits-1:0] number_q;
  logic [Entries*5-1:0] ports_q;

  always_comb begin
    known_o = '0;
    paths_o = '0;
    for (int p = 0; p < 5; p++) begin
      for (int e = 0; e < Entries; e++) begin
        if (used_q[e] && number_q[e*Bits+:Bits] == communicator_i[p*Bits+:Bits]) begin
          known_o[p] = 1'b1;
          paths_o[p*5+:5] = paths_o[p*5+:5] | ports_q[e*5+:5];
        end
      end
    end
    for (int e = 0; e < Entries; e++) hit[e] = used_q[e] && number_q[e*Bits+:Bits] == unit_communicator_i;
    free = ~used_q & (used_q + 1'b1);
    chosen = hit != '0 ? hit : free;
  end
  assign unit_hit_o = hit;
  assign numbers_o = number_q;
  assign full_o = chosen == '0;

  always_ff @(posedge clk_i) begin
    for (int e = 0; e < Entries; e++) begin
      if (learn_i && chosen[e] && !forget_i) begin
        number_q[e*Bits+:Bits] <= unit_communicator_i;
        ports_q[e*5+:5] <= (hit[e] ? ports_q[e*5+:5] : '0) | learn_port_i;
      end
    end
    if (!rst_ni) used_q <= '0;
    else if (learn_i) used_q <= forget_i ? used_q & ~hit : used_q | chosen;
  end

  if (Counts) begin : gen_counts
    logic [Entries*CountBits-1:0] total_q, direct_q;
    always_comb begin
      unit_total_o = '0;
      unit_direct_o = '0;
      for (int e = 0; e < Entries; e++) begin
        if (hit[e]) begin
          unit_total_o = unit_total_o | total_q[e*CountBits+:CountBits];
          unit_direct_o = unit_direct_o | direct_q[e*CountBits+:CountBits];
        end
      end
    end
    always_ff @(posedge clk_i) begin
      for (int e = 0; e < Entries; e++) begin
        if (learn_i && chosen[e]) begin
          total_q[e*CountBits+:CountBits] <= (hit[e] ? total_q[e*CountBits+:CountBits] : '0) + 1'b1;
          direct_q[e*CountBits+:CountBits] <=
              (hit[e] ? direct_q[e*CountBits+:CountBits] : '0) + CountBits'(!seen_i);
        end
      end
    end
  end else begin : gen_no_counts
    assign unit_total_o = '0;
    assign unit_direct_o = '0;
    logic unused;
    assign unused = seen_i;
  end
endmodule
