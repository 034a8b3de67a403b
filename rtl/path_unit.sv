// SPDX-License-Identifier: Apache-2.0
// The unit of a level-2 router: the table of learned paths. Each cycle it takes one waiting pseudo packet, round
// robin, notes the port it came by and lets it go on to the root.
module path_unit #(
    /// Input VCs of links and core: 5 * Vcs.
    parameter int Inputs = 10,
    /// Virtual channels per port, 2 or more.
    parameter int Vcs = 2,
    /// As the router's.
    parameter bit YFirst = 1,
    /// Entries of the table of communicators, 1 to 1024; further communicators stay with software.
    parameter int Communicators = 5
) (
    input logic clk_i,
    input logic rst_ni,
    input logic [noc_pkg::NodeBits-1:0] node_i,
    input logic [5*noc_pkg::CommunicatorBits-1:0] communicator_i,
    output logic [4:0] known_o,
    output logic [24:0] paths_o,
    input logic [Inputs-1:0] want_i,
    input logic [Inputs*noc_pkg::FlitBits-1:0] front_i,
    output logic [Inputs-1:0] begin_o,
    output logic [4:0] route_o,
    output logic [1:0] marks_o
);
  localparam int W = noc_pkg::FlitBits;
  localparam int PointerBits = $clog2(Inputs);

  logic [PointerBits-1:0] pointer_q, pointer_next;
  logic [4:0] port;
  logic [noc_pkg::CommunicatorBits-1:0] communicator;
  logic [noc_pkg::NodeBits-1:0] destination;
  logic forget, full;
  round_robin #(.Width(Inputs)) u_choice (
      .request_i(want_i), .pointer_i(pointer_q), .grant_o(begin_o), .next_o(pointer_next));

  always_comb begin
    port = '0;
    communicator = '0;
    destination = '0;
    forget = 1'b0;
    for (int i = 0; i < Inputs; i++) begin
      if (begin_o[i]) begin
        port = port | 5'd1 << i / Vcs;
        communicator = communicator | front_i[i*W+noc_pkg::CommunicatorLsb+:noc_pkg::CommunicatorBits];
        destination = destination | front_i[i*W+noc_pkg::DestinationLsb+:noc_pkg::NodeBits];
        forget = forget | front_i[i*W+noc_pkg::MarkForget];
      end
    end
  end
  assign route_o = noc_pkg::route(node_i, destination, YFirst);
  assign marks_o = {1'b0, full && !forget};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) pointer_q <= '0;
    else if (want_i != '0) pointer_q <= pointer_next;
  end

  logic [Communicators-1:0] hit;
  logic [noc_pkg::WeightBits-1:0] total, direct;
  logic [Communicators*noc_pkg::CommunicatorBits-1:0] numbers;
  path_table #(.Entries(Communicators)) u_table (
      .clk_i,
      .rst_ni,
      .communicator_i,
      .known_o,
      .paths_o,
      .unit_communicator_i(communicator),
      .unit_hit_o(hit),
      .unit_total_o(total),
      .unit_direct_o(direct),
      .numbers_o(numbers),
      .learn_i(want_i != '0),
      .learn_port_i(port),
      .forget_i(forget),
      .seen_i(1'b0),
      .full_o(full)
  );
  logic unused;
  assign unused = &{1'b0, hit, total, direct, numbers, front_i};
endmodule
