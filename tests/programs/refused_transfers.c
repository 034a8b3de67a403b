// SPDX-License-Identifier: Apache-2.0
// Transfers whose scratchpad side does not lie in the scratchpad of the calling thread, or runs over its end, as
// programs see them that are not checked builds: an error, and nothing is written. Built with --spm=64K.
#include <string.h>

#include "check.h"

#undef dma_get
#undef dma_put
#undef dma_iget
#undef dma_get_stride
#undef dma_bcast

static double source[16], target[16];
static char memory[65536];
static int problems, refusals;

static void expect(int holds) {
    if (!holds) __atomic_fetch_add(&problems, 1, __ATOMIC_RELAXED);
}

static char *of_first;
__kernel void refused(void *argument) {
    (void)argument;
    const size_t all = spm_available();
    char *buffer = spm_malloc(all), here[8] = {0};
    int reply = 0;
    expect(dma_get(buffer, source, 0) == M_SUCCESS && dma_get(buffer, source, 1) == M_SUCCESS);
    expect(dma_get(buffer + 1, (char *)source + 3, 13) == M_SUCCESS && memcmp(buffer + 1, (char *)source + 3, 13) == 0);
    expect(dma_get(buffer, memory, all) == M_SUCCESS && dma_get(buffer, memory, 65537) == M_ERROR_ARGUMENT);
    expect(dma_get(buffer + all - 7, source, 8) == M_ERROR_ARGUMENT && dma_put(target, here, 8) == M_ERROR_ARGUMENT);
    expect(dma_put(target, buffer, (size_t)-1) == M_ERROR_ARGUMENT && dma_put(target, here, 0) == M_SUCCESS);
    expect(dma_iget(here, source, 8, &reply) == M_ERROR_ARGUMENT && reply == 0);
    expect(dma_get_stride(buffer + all - 7, source, 8, 4, 8) == M_ERROR_ARGUMENT);
    if (m_rank(CCC_ARRAY) == 0) of_first = buffer;
    m_barrier(CCC_ARRAY);
    if (m_rank(CCC_ARRAY) != 0) expect(dma_get(of_first, source, 8) == M_ERROR_ARGUMENT);
    // The others get it although one calls wrongly; with differing calls nobody but the agreeing ones gets anything.
    const int is_first = m_rank(CCC_ARRAY) == 0;
    buffer[0] = 77;
    expect(dma_bcast(is_first ? here : buffer, memory, 5) == (is_first ? M_ERROR_ARGUMENT : M_SUCCESS));
    if (!is_first) expect(memcmp(buffer, memory, 5) == 0);
    expect(dma_bcast(buffer, memory, all) == M_SUCCESS && memcmp(buffer, memory, all) == 0);
    expect(dma_bcast(buffer, memory, 0) == M_SUCCESS && dma_bcast(buffer, memory, 65537) == M_ERROR_ARGUMENT);
    if (m_size(CCC_ARRAY) > 1) {
        const int code = dma_bcast(buffer, memory, is_first ? 3 : 4);
        expect(code == M_SUCCESS || code == M_ERROR_ARGUMENT);
        __atomic_fetch_add(&refusals, code == M_ERROR_ARGUMENT, __ATOMIC_RELAXED);
    }
    spm_free(buffer);
}

int main(void) {
    for (int i = 0; i < 16; i++) source[i] = i + 1;
    for (size_t i = 0; i < sizeof memory; i++) memory[i] = (char)(i % 251);
    m_set_errors(M_ERRORS_RETURN);
    m_run(refused, NULL);
    m_set_errors(M_ERRORS_ABORT);
    CHECK(problems == 0);
    CHECK(m_size(CCC_ARRAY) == 1 || refusals > 0);
    for (int i = 0; i < 16; i++) CHECK(target[i] == 0);
    return all_checks_passed("refused_transfers");
}
