// SPDX-License-Identifier: Apache-2.0
// What all modules share: ports, the flit and the fields of a head flit.
//
// A flit on a link or in a buffer has 130 bits: head, tail, 128 bits of payload. The payload of a head is
//   [63:0] first word of data   [66:64] kind   [70:67] operation of the arithmetic unit   [77:71] length
//   [87:78] communicator   [95:88] number of the operation   [103:96] source {y, x}   [111:104] destination {y, x}
//   [120:112] weight (contributions inside)   [126:121] place (gather) or content (broadcast)
// Length counts bytes of data; in kind plain it counts flits. A learn packet has no data and keeps three marks in
// bits 0 to 2. Bodies carry two words of data, the lower word first.
/* verilator lint_off UNUSEDPARAM */
package noc_pkg;
  localparam int PayloadBits = 128;
  localparam int FlitBits = 130;
  localparam int TailBit = 128;
  localparam int HeadBit = 129;

  // Ports: east 0, south 1, west 2, north 3, local 4; results of the router's own unit enter as input 5.
  localparam int Ports = 5;
  localparam int East = 0;
  localparam int South = 1;
  localparam int West = 2;
  localparam int North = 3;
  localparam int Local = 4;

  localparam int KindLsb = 64;
  localparam int ArithmeticLsb = 67;
  localparam int LengthLsb = 71;
  localparam int CommunicatorLsb = 78;
  localparam int OperationLsb = 88;
  localparam int SourceLsb = 96;
  localparam int DestinationLsb = 104;
  localparam int WeightLsb = 112;
  localparam int PlaceLsb = 121;
  localparam int CommunicatorBits = 10;
  localparam int OperationBits = 8;
  localparam int NodeBits = 8;
  localparam int LengthBits = 7;
  localparam int WeightBits = 9;
  localparam int PlaceBits = 6;

  localparam bit [2:0] KindPlain = 0;
  localparam bit [2:0] KindMessage = 1;
  localparam bit [2:0] KindLearn = 2;
  localparam bit [2:0] KindReduce = 3;
  localparam bit [2:0] KindGather = 4;
  localparam bit [2:0] KindGathered = 5;
  localparam bit [2:0] KindBroadcast = 6;

  localparam int MarkBeyond = 0;  // a router on the way had no table entry left
  localparam int MarkSeen = 1;    // a level-1 router has counted the packet
  localparam int MarkForget = 2;  // routers forget the communicator

  // When a VC is given to the next packet.
  localparam int Wormhole = 0;    // when the tail of the packet before has left, with or without a credit
  localparam int CutThrough = 1;  // with credits for the whole packet
  localparam int Atomic = 2;      // when its buffer is empty

  // When the output port of a head is found.
  localparam int AtWrite = 0;  // when it is written into the buffer
  localparam int AtFront = 1;  // when it is in front: a cycle later behind another packet

  // Operations of the arithmetic unit.
  localparam bit [3:0] AddDouble = 0;
  localparam bit [3:0] MultiplyDouble = 1;
  localparam bit [3:0] MinDouble = 2;
  localparam bit [3:0] MaxDouble = 3;
  localparam bit [3:0] AddInteger = 4;
  localparam bit [3:0] MinInteger = 5;
  localparam bit [3:0] MaxInteger = 6;
  localparam bit [3:0] BitAnd = 7;
  localparam bit [3:0] BitOr = 8;
  localparam bit [3:0] BitXor = 9;

  // Flits of a packet of this many bytes of data: 8 in the head, 16 in each body.
  function automatic bit [5:0] flits_for_bytes(input bit [6:0] bytes);
    flits_for_bytes = bytes <= 7'd8 ? 6'd1 : 6'd1 + 6'((bytes + 7'd7) >> 4);
  endfunction

  // Flits of a packet, from the fields of its head.
  function automatic bit [5:0] flits_of(input bit [2:0] kind, input bit [6:0] length);
    flits_of = kind == KindPlain ? length[5:0] : flits_for_bytes(length);
  endfunction

  // Output by which a packet leaves the router at `here` (nodes are {y, x}), one bit per port.
  function automatic bit [4:0] route(input bit [7:0] here, input bit [7:0] destination, input bit y_first);
    bit same_x, same_y, x_now, y_now;
    same_x = here[3:0] == destination[3:0];
    same_y = here[7:4] == destination[7:4];
    y_now = !same_y && (y_first || same_x);
    x_now = !same_x && (!y_first || same_y);
    route[East] = x_now && destination[3:0] > here[3:0];
    route[West] = x_now && destination[3:0] < here[3:0];
    route[South] = y_now && destination[7:4] > here[7:4];
    route[North] = y_now && destination[7:4] < here[7:4];
    route[Local] = same_x && same_y;
  endfunction
endpackage
/* verilator lint_on UNUSEDPARAM */
