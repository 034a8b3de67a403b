// SPDX-License-Identifier: Apache-2.0
// Made by bench/noc/compare with BookSim 2; its settings are there. Latencies are BookSim's, whose interfaces
// take one cycle more than ours.
#pragma once

#include "taihu/noc/traffic/traffic.h"

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
     0.5971,
     0.621,
     {{0.1194, 24.718}, {0.2388, 26.109}, {0.3583, 28.617}, {0.418, 30.440}}},
    {4,
     Pattern::transpose,
     0.2966,
     0.3272,
     {{0.0593, 23.779}, {0.1186, 24.383}, {0.178, 25.461}, {0.2076, 26.097}}},
    {4,
     Pattern::bit_complement,
     0.4059,
     0.439,
     {{0.0812, 31.705}, {0.1624, 32.957}, {0.2435, 35.011}, {0.2841, 37.488}}},
    {4,
     Pattern::tornado,
     0.9272,
     0.9643,
     {{0.1854, 26.445}, {0.3709, 27.369}, {0.5563, 28.784}, {0.649, 30.099}}},
    {4,
     Pattern::hotspot,
     0.3618,
     0.3654,
     {{0.0724, 23.900}, {0.1447, 24.897}, {0.2171, 25.924}, {0.2533, 26.974}}},
    {8,
     Pattern::uniform,
     0.3203,
     0.3364,
     {{0.0641, 38.433}, {0.1281, 39.638}, {0.1922, 42.196}, {0.2242, 44.094}}},
    {8,
     Pattern::transpose,
     0.1314,
     0.1463,
     {{0.0263, 37.600}, {0.0526, 38.457}, {0.0788, 39.427}, {0.092, 40.245}}},
    {8,
     Pattern::bit_complement,
     0.1952,
     0.2132,
     {{0.039, 51.552}, {0.0781, 52.958}, {0.1171, 55.511}, {0.1366, 57.704}}},
    {8,
     Pattern::tornado,
     0.2201,
     0.2335,
     {{0.044, 49.158}, {0.088, 50.449}, {0.1321, 52.573}, {0.1541, 54.410}}},
    {8,
     Pattern::hotspot,
     0.1337,
     0.1337,
     {{0.0267, 36.943}, {0.0535, 37.814}, {0.0802, 38.642}, {0.0936, 39.338}}},
    {16,
     Pattern::uniform,
     0.1717,
     0.1857,
     {{0.034, 65.012}, {0.068, 66.761}, {0.1021, 69.620}, {0.1191, 71.990}}},
    {16,
     Pattern::transpose,
     0.068,
     0.0765,
     {{0.0135, 64.400}, {0.0271, 64.788}, {0.0406, 66.623}, {0.0474, 68.048}}},
    {16,
     Pattern::bit_complement,
     0.103,
     0.1136,
     {{0.0204, 91.533}, {0.0408, 93.155}, {0.0611, 96.216}, {0.0713, 99.072}}},
    {16,
     Pattern::tornado,
     0.1071,
     0.1135,
     {{0.0216, 90.609}, {0.0432, 92.320}, {0.0647, 95.296}, {0.0755, 98.173}}},
    {16,
     Pattern::hotspot,
     0.0379,
     0.0386,
     {{0.0075, 62.899}, {0.015, 63.540}, {0.0224, 63.840}, {0.0262, 64.412}}},
};

}  // namespace taihu::noc
