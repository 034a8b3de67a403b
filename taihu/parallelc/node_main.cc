// SPDX-License-Identifier: Apache-2.0
// parallelc-node: the node process program. All of it is in libparallelc.so, which programs link as well; this executable
// only tells that library that it is hosted by a node process.
extern "C" {

__attribute__((visibility("default"))) extern const int taihu_node_process = 1;

int taihu_run_node_process(int argc, char** argv);
}

int main(int argc, char** argv) { return taihu_run_node_process(argc, argv); }
