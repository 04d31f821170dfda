// SPDX-License-Identifier: MIT
#include "rw-perturb.h"

#include <string.h>

#define N_ // what is to be translated is where it is shown

const RwPerturbInfo rw_perturbs[RW_N_PERTURBS] = {
#define RW_PERTURB_KIND(ID, AMOUNT, UNIT, NAME, MEMBER, WORDS, STEP_WORDS, BRIEF, TITLE)                   \
    {.bit = RW_PERTURB_##ID,                                                                               \
     .amount = offsetof(RwPerturb, AMOUNT),                                                                \
     .unit = RW_UNIT_##UNIT,                                                                               \
     .name = NAME,                                                                                         \
     .member = MEMBER,                                                                                     \
     .words = WORDS,                                                                                       \
     .step_words = STEP_WORDS,                                                                             \
     .brief = BRIEF,                                                                                       \
     .title = TITLE},
#include "rw-perturb.def"
#undef RW_PERTURB_KIND
};

uint32_t *rw_perturb_amount(RwPerturb *perturb, unsigned row)
{
    size_t offset = rw_perturbs[row].amount;
    return offset ? (uint32_t *)((char *)perturb + offset) : NULL;
}

uint32_t rw_perturb_get_amount(const RwPerturb *perturb, unsigned row)
{
    RwPerturb copy = *perturb;
    const uint32_t *amount = rw_perturb_amount(&copy, row);
    return amount ? *amount : 0;
}

bool rw_perturb_equal(const RwPerturb *a, const RwPerturb *b)
{
    bool same = a->kinds == b->kinds;
    for (unsigned row = 0; row < RW_N_PERTURBS; row++)
        same = same && rw_perturb_get_amount(a, row) == rw_perturb_get_amount(b, row);
    return same;
}

void rw_perturb_keep(RwPerturb *perturb, uint32_t kinds)
{
    perturb->kinds &= kinds;
    for (unsigned row = 0; row < RW_N_PERTURBS; row++) {
        uint32_t *amount = rw_perturb_amount(perturb, row);
        if (amount && !(perturb->kinds & rw_perturbs[row].bit))
            *amount = 0;
    }
}

uint32_t rw_perturb_from_name(const char *name)
{
    for (unsigned row = 0; row < RW_N_PERTURBS; row++)
        if (!strcmp(name, rw_perturbs[row].name))
            return rw_perturbs[row].bit;
    return 0;
}
