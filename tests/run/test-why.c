// SPDX-License-Identifier: MIT
//
// What is said of a run that ended for something outside its programs.
#include "rw-manifest.h"
#include "rw-why.h"

#include <elf.h>
#include <string.h>

static const RwEnd passed = {.kind = RW_END_POWEROFF, .job_exited = true},
                   failed = {.kind = RW_END_POWEROFF, .job_exited = true, .job_status = 1 << 8},
                   illegal = {.kind = RW_END_POWEROFF, .job_exited = true, .job_status = 4},
                   stalled = {.kind = RW_END_STALLED};

static void tell(RwWhy *why, uint32_t kind, uint64_t value, const void *bytes, uint32_t length,
                 const char *text)
{
    struct rewind_reason reason = {.kind = kind, .length = length, .value = value};
    struct rewind_record record = {.type = REWIND_RECORD_REASON, .pid = 7};
    g_autoptr(GByteArray) payload = g_byte_array_new();
    memcpy(reason.bytes, bytes, MIN(length, sizeof reason.bytes));
    g_byte_array_append(payload, (const guint8 *)&reason, sizeof reason);
    g_byte_array_append(payload, (const guint8 *)text, (guint)strlen(text) + 1);
    record.size = (rw_u32)(sizeof record + payload->len);
    rw_why_add(why, &record, payload->data, payload->len);
}

static void expect(const RwWhy *why, const RwEnd *end, const char *wanted)
{
    g_autoptr(RwInputs) inputs = rw_inputs_new();
    inputs->memory = 512u << 20;
    inputs->model = RW_CPU_MODEL_V2;
    g_autofree char *text = rw_why_dup_text(why, inputs, end);
    if (!wanted)
        g_assert_cmpstr(text, ==, NULL);
    else if (!text || !strstr(text, wanted))
        g_error("'%s' has no '%s'", text, wanted);
}

static void test_each(void)
{
    static const uint8_t vaddps[] = {0xc5, 0xf4, 0x58, 0xc2}, ud2[] = {0x0f, 0x0b};
    static const uint8_t small[20] = {0x7f, 'E', 'L', 'F', ELFCLASS32},
                         arm[20] = {0x7f, 'E', 'L', 'F', ELFCLASS64};
    static const struct {
        uint32_t kind;
        uint64_t value;
        const void *bytes;
        uint32_t length;
        const RwEnd *end;
        const char *wanted;
    } cases[] = {
        {REWIND_REASON_MEMORY, 0, "", 0, &failed, "process 7 was killed for want of memory"},
        {REWIND_REASON_MEMORY, 0, "", 0, &failed, "512 MiB: try --mem 1024"},
        {REWIND_REASON_SPACE, 400u << 20, "", 0, &failed, "a file system of 400 MiB was full"},
        {REWIND_REASON_SPACE, 400u << 20, "", 0, &failed, "--mem 1024"},
        {REWIND_REASON_INSTRUCTION, 0x401136, vaddps, 4, &illegal,
         "'vaddps ymm0, ymm1, ymm2' at 0x401136: --cpu v2"},
        {REWIND_REASON_INSTRUCTION, 0x401136, ud2, 2, &illegal, "'ud2'"},
        {REWIND_REASON_INSTRUCTION, 0x401136, vaddps, 1, &illegal, "the instruction  at 0x401136"},
        {REWIND_REASON_FORMAT, 0, small, 20, &failed, "/bin/it is a 32-bit program"},
        {REWIND_REASON_FORMAT, 0, arm, 20, &failed, "/bin/it is a program for another kind of processor"},
        {REWIND_REASON_FORMAT, 0, small, 2, &failed, "/bin/it is a program for another"},
        {REWIND_REASON_TERMINAL, 0, "", 0, &stalled, "waits for input on the terminal"},
        {REWIND_REASON_INPUT, 0, "", 0, &failed, "-i gives the command one"},
        {REWIND_REASON_INPUT, 0, "", 0, &passed, "-i gives the command one"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        RwWhy why = {0};
        tell(&why, cases[i].kind, cases[i].value, cases[i].bytes, cases[i].length, "/bin/it");
        expect(&why, cases[i].end, cases[i].wanted);
        if (cases[i].kind != REWIND_REASON_INPUT)
            expect(&why, &passed, NULL); // it may have got over it
        rw_why_clear(&why);
        expect(&why, cases[i].end, NULL);
    }
}

// Of several the one that explains most, and of that the latest.
static void test_several(void)
{
    RwWhy why = {0};
    tell(&why, REWIND_REASON_INPUT, 0, "", 0, "");
    tell(&why, REWIND_REASON_SPACE, 100u << 20, "", 0, "");
    expect(&why, &failed, "full");
    expect(&why, &passed, "empty");
    tell(&why, REWIND_REASON_SPACE, 200u << 20, "", 0, "");
    expect(&why, &failed, "200 MiB");
    tell(&why, REWIND_REASON_MEMORY, 0, "", 0, "");
    expect(&why, &failed, "want of memory");
    rw_why_clear(&why);
}

// A guest may say anything.
static void test_hostile(void)
{
    RwWhy why = {0};
    tell(&why, REWIND_REASON_FORMAT, 0, "", 0, "a\nb\033[2J\xff");
    expect(&why, &failed, "a b [2J");
    rw_why_clear(&why);
    tell(&why, 0, 0, "", 0, "");
    tell(&why, RW_WHY_KINDS, 0, "", 0, "");
    tell(&why, UINT32_MAX, 0, "", 0, "");
    struct rewind_reason reason = {.kind = REWIND_REASON_INSTRUCTION, .length = 25};
    struct rewind_record record = {.type = REWIND_RECORD_REASON, .size = sizeof record + sizeof reason};
    rw_why_add(&why, &record, (const uint8_t *)&reason, sizeof reason);
    expect(&why, &illegal, NULL);
    reason.length = 0;
    rw_why_add(&why, &record, (const uint8_t *)&reason, sizeof reason); // without its text
    expect(&why, &illegal, "does not know");
    rw_why_clear(&why);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/why/each", test_each);
    g_test_add_func("/why/several", test_several);
    g_test_add_func("/why/hostile", test_hostile);
    return g_test_run();
}
