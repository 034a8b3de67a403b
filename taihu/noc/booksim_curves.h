// SPDX-License-Identifier: Apache-2.0
// Made by bench/noc/compare with BookSim 2; its settings are there. Latencies are BookSim's, whose interfaces
// take one cycle more than ours.
#pragma once

#include "taihu/noc/traffic.h"

namespace taihu::noc {

struct BooksimPoint {
  double load, latency;
};
struct BooksimCurve {
  int size;
  Pattern pattern;
  double saturation;  ///< load at which the latency is three times that of the empty network
  double lookahead;   ///< the same with lookahead routing
  BooksimPoint points[4];
};
inline constexpr double booksim_extra_cycles = 1;

inline constexpr BooksimCurve booksim_curves[] = {
    {4,
     Pattern::uniform,
     0.5888,
     0.6238,
     {{0.1178, 24.691}, {0.2355, 26.140}, {0.3533, 28.387}, {0.4122, 30.197}}},
    {4,
     Pattern::transpose,
     0.293,
     0.3287,
     {{0.0586, 23.767}, {0.1172, 24.398}, {0.1758, 25.480}, {0.2051, 26.133}}},
    {4,
     Pattern::bit_complement,
     0.3995,
     0.4315,
     {{0.0799, 31.663}, {0.1598, 32.894}, {0.2397, 34.982}, {0.2797, 36.958}}},
    {4,
     Pattern::tornado,
     0.9333,
     0.965,
     {{0.1867, 26.481}, {0.3733, 27.388}, {0.56, 28.807}, {0.6533, 30.153}}},
    {4,
     Pattern::hotspot,
     0.342,
     0.342,
     {{0.0684, 23.837}, {0.1368, 24.739}, {0.2052, 25.806}, {0.2394, 26.561}}},
    {8,
     Pattern::uniform,
     0.3208,
     0.3399,
     {{0.0642, 38.528}, {0.1283, 39.567}, {0.1925, 41.872}, {0.2246, 44.217}}},
    {8,
     Pattern::transpose,
     0.1308,
     0.1468,
     {{0.0262, 37.571}, {0.0523, 38.446}, {0.0785, 39.424}, {0.0916, 40.078}}},
    {8,
     Pattern::bit_complement,
     0.1935,
     0.213,
     {{0.0387, 51.666}, {0.0774, 52.910}, {0.1161, 55.425}, {0.1354, 57.732}}},
    {8,
     Pattern::tornado,
     0.2233,
     0.2365,
     {{0.0447, 49.179}, {0.0893, 50.561}, {0.134, 52.713}, {0.1563, 54.437}}},
    {8,
     Pattern::hotspot,
     0.1316,
     0.1316,
     {{0.0263, 36.923}, {0.0526, 37.427}, {0.079, 38.739}, {0.0921, 38.921}}},
    {16,
     Pattern::uniform,
     0.1701,
     0.1837,
     {{0.034, 65.012}, {0.068, 66.761}, {0.1021, 69.620}, {0.1191, 71.990}}},
    {16,
     Pattern::transpose,
     0.0662,
     0.0743,
     {{0.0132, 64.126}, {0.0265, 64.799}, {0.0397, 66.638}, {0.0463, 68.009}}},
    {16,
     Pattern::bit_complement,
     0.1019,
     0.1123,
     {{0.0204, 91.533}, {0.0408, 93.155}, {0.0611, 96.216}, {0.0713, 99.072}}},
    {16,
     Pattern::tornado,
     0.1079,
     0.1143,
     {{0.0216, 90.609}, {0.0432, 92.320}, {0.0647, 95.296}, {0.0755, 98.173}}},
    {16,
     Pattern::hotspot,
     0.0374,
     0.0381,
     {{0.0075, 62.899}, {0.015, 63.540}, {0.0224, 63.840}, {0.0262, 64.412}}},
};

}  // namespace taihu::noc
