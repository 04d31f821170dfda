// SPDX-License-Identifier: MIT
//
// What was found of a run's holds, kept in its folder: it comes back as it was, and of what anybody else
// put there nothing is believed that can not be of the run.
#include "rw-file.h"
#include "rw-sides.h"
#include "story.h"

#include <glib/gstdio.h>
#include <string.h>

#define STEPS 400
#define VARIANTS 20000

typedef struct {
    char *dir, *path;
    RwManifest *manifest;
} Kept;

static RwHold parse_hold(const char *text)
{
    RwHold hold;
    g_assert_true(rw_hold_parse(text, &hold, NULL));
    return hold;
}

static void set_up(Kept *kept, gconstpointer data)
{
    g_autoptr(RwInputs) inputs = story_inputs("job");
    inputs->schedule.holds[0] = parse_hold("1.1.2:call write#3 until 1.1.1:return read#2 for 10ms");
    inputs->schedule.holds[1] = parse_hold("1.2:call write#1 until idle for 10ms");
    inputs->schedule.n_holds = 2;
    kept->dir = g_dir_make_tmp("rewind-sides-XXXXXX", NULL);
    kept->path = g_build_filename(kept->dir, "sides.json", NULL);
    kept->manifest = rw_manifest_new(inputs, NULL, NULL);
    kept->manifest->ended = true;
    kept->manifest->end = (RwEnd){.kind = RW_END_POWEROFF, .job_exited = true, .steps = STEPS};
}

static void tear_down(Kept *kept, gconstpointer data)
{
    g_assert_true(rw_remove_tree(kept->dir, NULL));
    rw_manifest_free(kept->manifest);
    g_free(kept->path);
    g_free(kept->dir);
}

static void add(RwSides *sides, const Kept *kept, guint index, uint64_t step)
{
    RwHoldAnswer *answer = g_new0(RwHoldAnswer, 1);
    RwExplained *explained = g_new0(RwExplained, 1);
    *answer =
        (RwHoldAnswer){.hold = kept->manifest->inputs->schedule.holds[index], .index = index, .step = step};
    answer->held = (RwHoldSide){.place = answer->hold.place, .pid = 24, .tid = 26, .thread = 3, .took = 15};
    answer->held.program = g_strdup("caf\xe9"); // no UTF-8
    answer->passed = (RwHoldSide){.pid = 24, .tid = 25, .thread = 2, .timer = true};
    if (answer->hold.until == RW_UNTIL_PASSED)
        answer->passed.place = answer->hold.passed;
    explained->held = (RwExplainedSide){.program = g_strdup("./bank"), .n = 2, .caller = 1};
    explained->held.frames = g_new0(RwSymbol, 2);
    explained->held.frames[0] = (RwSymbol){.path = g_strdup("/lib/libc.so.6"), .offset = UINT64_MAX};
    explained->held.frames[1] = (RwSymbol){.path = g_strdup("/src/bank"),
                                           .function = g_strdup("book"),
                                           .file = g_strdup("/src/bank.c"),
                                           .line = 48,
                                           .text = g_strdup("lock(\"x\");")};
    g_ptr_array_add(sides->answers, answer);
    g_ptr_array_add(sides->explained, explained);
}

static RwSides *make(const Kept *kept)
{
    RwSides *sides = g_new0(RwSides, 1);
    sides->answers = g_ptr_array_new_with_free_func(rw_hold_answer_free);
    sides->explained = g_ptr_array_new_with_free_func(rw_explained_free);
    add(sides, kept, 1, 12);
    add(sides, kept, 0, STEPS);
    return sides;
}

static void keep(const Kept *kept)
{
    g_autoptr(RwSides) sides = make(kept);
    g_autoptr(GError) error = NULL;
    g_assert_true(rw_sides_save(sides->answers, sides->explained, kept->dir, &error));
    g_assert_no_error(error);
}

static void same_place(const RwPlace *a, const RwPlace *b)
{
    g_autofree char *one = rw_place_dup_text(a), *two = rw_place_dup_text(b);
    g_assert_cmpstr(one, ==, two);
}

static void same_side(const RwHoldSide *a, const RwHoldSide *b)
{
    same_place(&a->place, &b->place);
    g_assert_cmpuint(a->pid, ==, b->pid);
    g_assert_cmpuint(a->tid, ==, b->tid);
    g_assert_cmpuint(a->thread, ==, b->thread);
    g_assert_cmpint(a->took, ==, b->took);
    g_assert_cmpint(a->timer, ==, b->timer);
    g_assert_true(!g_strcmp0(a->program, b->program)); // bytes
}

static void same_frames(const RwExplainedSide *a, const RwExplainedSide *b)
{
    g_assert_cmpstr(a->program, ==, b->program);
    g_assert_cmpuint(a->caller, ==, b->caller);
    g_assert_cmpuint(a->n, ==, b->n);
    for (size_t i = 0; i < a->n; i++) {
        g_assert_cmpstr(a->frames[i].path, ==, b->frames[i].path);
        g_assert_cmpuint(a->frames[i].offset, ==, b->frames[i].offset);
        g_assert_cmpstr(a->frames[i].function, ==, b->frames[i].function);
        g_assert_cmpstr(a->frames[i].file, ==, b->frames[i].file);
        g_assert_cmpuint(a->frames[i].line, ==, b->frames[i].line);
        g_assert_cmpstr(a->frames[i].text, ==, b->frames[i].text);
    }
}

static void test_again(Kept *kept, gconstpointer data)
{
    g_assert_null(rw_sides_load(kept->dir, kept->manifest)); // nothing is there
    keep(kept);
    g_autoptr(RwSides) was = make(kept), is = rw_sides_load(kept->dir, kept->manifest);
    g_assert_nonnull(is);
    g_assert_cmpuint(is->answers->len, ==, 2);
    for (guint i = 0; i < is->answers->len; i++) {
        const RwHoldAnswer *a = was->answers->pdata[i], *b = is->answers->pdata[i];
        const RwExplained *c = was->explained->pdata[i], *d = is->explained->pdata[i];
        g_assert_cmpuint(a->index, ==, b->index);
        g_assert_cmpuint(a->step, ==, b->step);
        g_assert_cmpint(a->hold.until, ==, b->hold.until);
        same_side(&a->held, &b->held);
        same_side(&a->passed, &b->passed);
        same_frames(&c->held, &d->held);
        same_frames(&c->passed, &d->passed);
    }
}

// The file with `from` put in the place of `to`'s beginning: it may be no JSON of ours any more.
static RwSides *load_changed(const Kept *kept, const char *from, const char *to)
{
    g_autofree char *text = NULL;
    size_t length;
    keep(kept);
    g_assert_true(rw_read_file(kept->path, 1 << 20, &text, &length, NULL));
    g_assert_nonnull(strstr(text, from));
    g_autoptr(GString) changed = g_string_new(text);
    g_string_replace(changed, from, to, 1);
    g_assert_true(rw_write_file_atomic(kept->path, changed->str, changed->len, NULL));
    return rw_sides_load(kept->dir, kept->manifest);
}

static void test_not_of_it(Kept *kept, gconstpointer data)
{
    static const char *const changes[][2] = {
        {"\"index\" : 1", "\"index\" : 2"},        {"\"step\" : 12", "\"step\" : 401"},
        {"\"step\" : 12", "\"step\" : 0"},         {"\"caller\" : 1", "\"caller\" : 2"},
        {"\"line\" : 48", "\"line\" : -1"},        {"\"tid\" : 26", "\"tid\" : 99999999"},
        {"\"fault\" : false", "\"fault\" : true"}, {"\"version\" : 1", "\"version\" : 2"},
        {"\"frames\" : [", "\"frams\" : ["},       {"\"/src/bank\"", "{\"base64\":\"6Q==\"}"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(changes); i++) {
        g_test_message("%s", changes[i][1]);
        g_assert_null(load_changed(kept, changes[i][0], changes[i][1]));
    }
    g_autoptr(RwSides) sides = load_changed(kept, "\"line\" : 48", "\"line\" : 49");
    g_assert_nonnull(sides);
}

// Whatever is there, it is read or refused.
static void test_hostile(Kept *kept, gconstpointer data)
{
    g_autofree char *text = NULL;
    size_t length;
    guint read = 0;
    keep(kept);
    g_assert_true(rw_read_file(kept->path, 1 << 20, &text, &length, NULL));
    for (guint i = 0; i < VARIANTS; i++) {
        g_autofree char *changed = g_memdup2(text, length);
        for (gint32 n = g_test_rand_int_range(1, 4); n > 0; n--)
            changed[g_test_rand_int_range(0, (gint32)length)] = (char)g_test_rand_int_range(1, 256);
        g_assert_true(g_file_set_contents_full(kept->path, changed, (gssize)length,
                                               G_FILE_SET_CONTENTS_NONE, 0644, NULL));
        g_autoptr(RwSides) sides = rw_sides_load(kept->dir, kept->manifest);
        read += sides != NULL;
    }
    g_test_message("%u of %u were read", read, VARIANTS);
    g_assert_cmpuint(read, >, 0);
    g_assert_cmpuint(read, <, VARIANTS);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/sides/again", Kept, NULL, set_up, test_again, tear_down);
    g_test_add("/sides/not-of-it", Kept, NULL, set_up, test_not_of_it, tear_down);
    g_test_add("/sides/hostile", Kept, NULL, set_up, test_hostile, tear_down);
    return g_test_run();
}
