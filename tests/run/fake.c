// SPDX-License-Identifier: MIT
#include "fake.h"

#include <string.h>

// splitmix64: https://prng.di.unimi.it/splitmix64.c describes it.
static uint64_t draw(Fake *fake, uint64_t below)
{
    uint64_t z = fake->state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return (z ^ z >> 31) % below;
}

Fake fake_new(FakeRun run, RwTraceWriter *writer)
{
    return (Fake){.run = run, .state = run.seed, .writer = writer};
}

static void put(Fake *fake, unsigned type, bool buffered, const void *payload, size_t length)
{
    uint64_t back = buffered && fake->last.step > 2 && draw(fake, 8) == 0 ? 1 : 0;
    struct rewind_record record = {
        .type = (rw_u16)type,
        .flags = buffered ? REWIND_RECORD_BUFFERED : 0,
        .size = (rw_u32)(sizeof record + length),
        .step = fake->last.step - back,
        .tsc = fake->last.tsc + draw(fake, 50),
        .pid = (rw_u32)(30 + draw(fake, 4)),
    };
    record.tid = record.pid + (rw_u32)draw(fake, 2);
    rw_trace_writer_record(fake->writer, &record, payload, length);
    fake->events++;
}

static void put_output(Fake *fake)
{
    uint8_t payload[256];
    struct rewind_output output = {.fd = (rw_u32)(1 + draw(fake, 2))};
    memcpy(payload, &output, sizeof output);
    int n = g_snprintf((char *)payload + sizeof output, 200,
                       "line %" G_GUINT64_FORMAT " of step %" G_GUINT64_FORMAT "\n", fake->events,
                       fake->last.step);
    put(fake, REWIND_RECORD_OUTPUT, false, payload, sizeof output + (size_t)n);
}

static void put_switch(Fake *fake)
{
    struct rewind_switch switch_ = {.next_pid = (rw_u32)draw(fake, 40), .next_tid = (rw_u32)draw(fake, 40)};
    put(fake, REWIND_RECORD_SWITCH, true, &switch_, sizeof switch_);
}

static void put_step(Fake *fake)
{
    RwStepInfo *last = &fake->last;
    last->step++;
    last->kind = (RwStepKind)(RW_STEP_RECORD + draw(fake, RW_STEP_OTHER));
    last->icount += draw(fake, 5000);
    last->tsc += draw(fake, 90000);
    last->perturb = (RwPerturb){0};
    if (draw(fake, 4) == 0)
        last->perturb =
            (RwPerturb){RW_PERTURB_RESCHED | RW_PERTURB_STALL, (uint32_t)draw(fake, 1u << 20), 0, 0};
    rw_trace_writer_step(fake->writer, last);
}

void fake_tell(Fake *fake, uint64_t until)
{
    while (fake->last.step < until) {
        for (uint64_t n = draw(fake, fake->run.per_step + 1); n; n--) {
            if (draw(fake, 3))
                put_switch(fake);
            else
                put_output(fake);
        }
        put_step(fake);
    }
}
