// SPDX-License-Identifier: MIT
//
// Who ends with the last end of a pipe changes it.
#include "learn-private.h"

#include <fcntl.h>

enum { CALL_OPEN = 2, CALL_CLOSE = 3, CALL_DUP = 32, CALL_DUP2 = 33, CALL_EXIT_GROUP = 231 };
enum { WRITER = 10, READER = 11 };

typedef struct {
    RwLearned *learned;
    RwTables tables;
    RwCalls calls;
    guint fifo;
} Story;

static void begin(Story *story)
{
    RwLearnedTask task = {.pid = WRITER};
    story->learned = rw_learned_new();
    g_array_append_val(story->learned->tasks, task);
    rw_tables_init(&story->tables, story->learned);
    story->calls = (RwCalls){.tables = &story->tables, .fds = rw_fds_new(), .ends = rw_fds_new()};
    story->calls.fifos = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_hash_table_add(story->calls.fifos, g_strdup("/fifo"));
    story->fifo = rw_calls_path_object(&story->calls, "/fifo");
}

static void end(Story *story)
{
    rw_fds_free(story->calls.fds);
    rw_fds_free(story->calls.ends);
    g_hash_table_unref(story->calls.fifos);
    rw_tables_clear(&story->tables);
    rw_learned_free(story->learned);
}

static void returned(Story *story, uint32_t pid, RwCall call, int64_t result)
{
    RwTaskPoint point = {.pid = pid, .tid = pid};
    rw_ends_return(&story->calls, &point, &call, result);
}

static void opened(Story *story, uint32_t pid, const char *name, int how, int fd)
{
    rw_fds_set(story->calls.fds, pid, fd, rw_calls_path_object(&story->calls, name));
    returned(story, pid,
             (RwCall){.number = CALL_OPEN, .arguments = {0, (uint64_t)how}, .name = (char *)name}, fd);
}

// How many pipes change with the end of a process; each is the FIFO.
static guint count_changed(Story *story, uint32_t pid)
{
    guint before = story->learned->events->len;
    RwTaskPoint point = {.pid = pid, .tid = pid};
    RwCall call = {.number = CALL_EXIT_GROUP};
    RwLearnedEvent event = {.place = {.kind = RW_PLACE_CALL, .number = CALL_EXIT_GROUP, .nth = 1}};
    rw_ends_enter(&story->calls, &point, &event, &call);
    for (guint i = before; i < story->learned->events->len; i++) {
        const RwLearnedEvent *added = &g_array_index(story->learned->events, RwLearnedEvent, i);
        g_assert_cmpuint(added->object + 1, ==, story->fifo);
        g_assert_cmphex(added->flags, ==, RW_EVENT_CHANGES);
        g_assert_cmpint(rw_event_behind(added).kind, ==, RW_PLACE_END);
    }
    return story->learned->events->len - before;
}

// The one that writes has a child, which has the same end.
static void test_last(void)
{
    Story story;
    begin(&story);
    opened(&story, WRITER, "/fifo", O_WRONLY, 3);
    opened(&story, WRITER, "/file", O_WRONLY, 4);
    opened(&story, READER, "/fifo", O_RDONLY, 3);
    rw_fds_fork(story.calls.ends, WRITER, WRITER + 10);
    g_assert_cmpuint(count_changed(&story, WRITER), ==, 0);
    g_assert_cmpuint(count_changed(&story, WRITER + 10), ==, 1);
    g_assert_cmpuint(count_changed(&story, READER), ==, 1);
    g_assert_cmpuint(count_changed(&story, READER), ==, 0);
    end(&story);
}

// Somebody who was killed has it no more.
static void test_killed(void)
{
    Story story;
    begin(&story);
    opened(&story, WRITER, "/fifo", O_WRONLY, 3);
    rw_fds_fork(story.calls.ends, WRITER, WRITER + 10);
    rw_ends_drop(&story.calls, WRITER + 10);
    g_assert_cmpuint(count_changed(&story, WRITER), ==, 1);
    end(&story);
}

static void test_descriptors(void)
{
    Story story;
    begin(&story);
    opened(&story, WRITER, "/fifo", O_WRONLY, 3);
    returned(&story, WRITER, (RwCall){.number = CALL_DUP, .arguments = {3}}, 5);
    returned(&story, WRITER, (RwCall){.number = CALL_CLOSE, .arguments = {3}}, 0);
    g_assert_cmpuint(count_changed(&story, WRITER), ==, 1);
    opened(&story, WRITER, "/fifo", O_RDWR, 3);
    opened(&story, WRITER, "/file", O_RDONLY, 4);
    returned(&story, WRITER, (RwCall){.number = CALL_DUP2, .arguments = {4, 3}}, 3);
    g_assert_cmpuint(count_changed(&story, WRITER), ==, 0);
    opened(&story, WRITER, "/fifo", O_RDONLY, 3);
    opened(&story, WRITER, "/fifo", O_WRONLY, 4);
    g_assert_cmpuint(count_changed(&story, WRITER), ==, 1); // both at once
    end(&story);
}

// Where it is not asked for nothing is told.
static void test_not_asked(void)
{
    Story story;
    begin(&story);
    g_clear_pointer(&story.calls.ends, rw_fds_free);
    opened(&story, WRITER, "/fifo", O_WRONLY, 3);
    g_assert_cmpuint(count_changed(&story, WRITER), ==, 0);
    story.calls.ends = rw_fds_new();
    end(&story);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ends/last", test_last);
    g_test_add_func("/ends/killed", test_killed);
    g_test_add_func("/ends/descriptors", test_descriptors);
    g_test_add_func("/ends/not-asked", test_not_asked);
    return g_test_run();
}
