// SPDX-License-Identifier: Apache-2.0
// The libraries of plugins.c, chosen by -D.
extern int host_counter;
int host_add(int value);

#ifdef PING
int pong(int depth);
static int calls;
int ping_calls(void) {
  return calls;
}
int ping(int depth) {
  ++calls;
  return depth == 0 ? 0 : pong(depth - 1);
}
int overridden(void) {
  return 1;
}
int library_calls_overridden(void) {
  return overridden();
}
#endif

#ifdef PONG
int ping(int depth);
int pong(int depth) {
  return depth == 0 ? 0 : ping(depth - 1);
}
#endif

#ifdef PROVIDER
int provided(void) {
  return 7;
}
#endif

#ifdef PLUGIN
int provided(void);
int plugin_constructed;
__attribute__((constructor)) static void begin(void) {
  ++plugin_constructed;
}
__attribute__((destructor)) static void finish(void) {
  host_counter += 1000;
}
int plugin_run(int value) {
  return host_add(value) + provided();
}
#endif
