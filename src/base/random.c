// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"

#include <math.h>

typedef struct philox_block {
    uint32_t word[4];
} philox_block;

static philox_block philox_round(philox_block c, uint32_t key0, uint32_t key1)
{
    uint64_t product0 = (uint64_t)0xD2511F53u * c.word[0];
    uint64_t product1 = (uint64_t)0xCD9E8D57u * c.word[2];
    philox_block next = {{(uint32_t)(product1 >> 32) ^ c.word[1] ^ key0, (uint32_t)product1,
                          (uint32_t)(product0 >> 32) ^ c.word[3] ^ key1, (uint32_t)product0}};
    return next;
}

static philox_block philox(pli_random random, uint64_t index)
{
    philox_block c = {{(uint32_t)index, (uint32_t)(index >> 32), (uint32_t)random.stream,
                       (uint32_t)(random.stream >> 32)}};
    uint32_t key0 = (uint32_t)random.seed;
    uint32_t key1 = (uint32_t)(random.seed >> 32);
    for (int round = 0; round < 10; ++round) {
        c = philox_round(c, key0, key1);
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return c;
}

static double unit_from_bits(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

static uint64_t join(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

uint64_t pli_random_bits(pli_random random, uint64_t index)
{
    philox_block block = philox(random, index);
    return join(block.word[0], block.word[1]);
}

double pli_random_uniform(pli_random random, uint64_t index)
{
    return unit_from_bits(pli_random_bits(random, index));
}

double pli_random_range(pli_random random, uint64_t index, double low, double high)
{
    return low + (high - low) * pli_random_uniform(random, index);
}

double pli_random_normal(pli_random random, uint64_t index)
{
    // Box and Muller 1958; one block of random bits holds both uniforms
    philox_block block = philox(random, index);
    double u = 1.0 - unit_from_bits(join(block.word[0], block.word[1])); // in (0, 1]
    double angle = 6.283185307179586 * unit_from_bits(join(block.word[2], block.word[3]));
    return sqrt(-2.0 * log(u)) * cos(angle);
}
