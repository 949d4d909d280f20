/* Which instruction sets the processor has. */

#include "common.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <cpuid.h>

/* Bits of CPUID, as in the manuals of Intel and AMD; together they are the level x86-64-v3. */
static const uint32_t LEAF1_ECX = 1u << 0 | 1u << 9 | 1u << 12 | 1u << 19 | 1u << 20 | 1u << 22 |
                                  1u << 23 | 1u << 27 | 1u << 28 |
                                  1u << 29,  /* sse3 ssse3 fma sse4 movbe popcnt osxsave avx f16c */
    LEAF7_EBX = 1u << 3 | 1u << 5 | 1u << 8, /* bmi1 avx2 bmi2 */
    EXTENDED_ECX = 1u << 0 | 1u << 5,        /* lahf lzcnt */
    SAVED_STATE = 1u << 1 | 1u << 2;         /* the system saves the SSE and AVX registers */

int misword_runs_avx2(void) {
    uint32_t a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & LEAF1_ECX) != LEAF1_ECX) {
        return 0;
    }
    uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & SAVED_STATE) != SAVED_STATE) {
        return 0;
    }
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & LEAF7_EBX) != LEAF7_EBX) {
        return 0;
    }
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & EXTENDED_ECX) == EXTENDED_ECX;
}

#else

int misword_runs_avx2(void) { return 0; }

#endif
