// SPDX-License-Identifier: Apache-2.0
// Switch allocation. Each input port chooses the first output at or behind its pointer that one of its VCs can send
// to. It nominates the first VC at or behind another pointer that can send there. Each output port takes the first
// nominating input port at or behind its pointer. Pointers move only for winners.
module switch_allocator #(
    /// 5, or 6 with a collective unit.
    parameter int InputPorts = 5,
    /// VCs of each, 1 or more.
    parameter int Vcs = 2,
    localparam int Inputs = InputPorts * Vcs
) (
    input logic clk_i,
    input logic rst_ni,
    input logic [Inputs*5-1:0] able_i,  // per input VC, outputs that it can send to
    output logic [Inputs-1:0] nominee_o,
    output logic [5*InputPorts-1:0] select_o  // per output, the input port it takes
);
  localparam int VcBits = Vcs > 1 ? $clog2(Vcs) : 1;
  localparam int PortBits = $clog2(InputPorts);

  logic [InputPorts*5-1:0] request;
  for (genvar i = 0; i < InputPorts; i++) begin : gen_input
    logic [4:0] outputs, chosen;
    logic [2:0] output_q, output_next;
    logic [Vcs-1:0] able;
    logic [VcBits-1:0] vc_q, vc_next;
    logic won;
    always_comb begin
      outputs = '0;
      for (int v = 0; v < Vcs; v++) outputs = outputs | able_i[(i*Vcs+v)*5+:5];
      for (int v = 0; v < Vcs; v++) able[v] = (able_i[(i*Vcs+v)*5+:5] & chosen) != '0;
    end
    round_robin #(.Width(5)) u_choose (
        .request_i(outputs),
        .pointer_i(output_q),
        .grant_o(chosen),
        .next_o(output_next)
    );
    round_robin #(.Width(Vcs)) u_nominate (
        .request_i(able),
        .pointer_i(vc_q),
        .grant_o(nominee_o[i*Vcs+:Vcs]),
        .next_o(vc_next)
    );
    always_comb begin
      request[i*5+:5] = '0;
      for (int v = 0; v < Vcs; v++)
        if (nominee_o[i*Vcs+v]) request[i*5+:5] = request[i*5+:5] | able_i[(i*Vcs+v)*5+:5];
      won = 1'b0;
      for (int p = 0; p < 5; p++) won = won || select_o[p*InputPorts+i];
    end
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        output_q <= '0;
        vc_q <= '0;
      end else if (won) begin
        output_q <= output_next;
        vc_q <= vc_next;
      end
    end
  end

  for (genvar p = 0; p < 5; p++) begin : gen_output
    logic [InputPorts-1:0] wanted;
    logic [PortBits-1:0] pointer_q, pointer_next;
    for (genvar i = 0; i < InputPorts; i++) begin : gen_wanted
      assign wanted[i] = request[i*5+p];
    end
    round_robin #(.Width(InputPorts)) u_take (
        .request_i(wanted),
        .pointer_i(pointer_q),
        .grant_o(select_o[p*InputPorts+:InputPorts]),
        .next_o(pointer_next)
    );
    always_ff @(posedge clk_i) begin
      if (!rst_ni) pointer_q <= '0;
      else if (wanted != '0) pointer_q <= pointer_next;
    end
  end
endmodule
