// SPDX-License-Identifier: MIT
//
// Holds a machine that does a run again against the run's keyframes.
#include "rw-keyframes.h"

struct _RwKeyframesCheck {
    const RwKeyframes *keyframes; // borrowed
    RwPages *pages; // nodes of the tree that it starts from
    RwPageTree *tree; // the memory's, at the last keyframe that was passed
    guint next; // the keyframe that comes next
    guint compared;
    bool is_first; // no page is in the tree yet
    bool failed; // a page could not be hashed into it
    GError *error;
};

// The keyframe that the machine stands at; -1: none.
static int find_here(const RwKeyframes *keyframes, RwMachine *machine)
{
    for (guint i = 0; i < rw_keyframes_get_count(keyframes); i++)
        if (rw_keyframes_get(keyframes, i)->icount == rw_machine_icount(machine))
            return (int)i;
    return -1;
}

RwKeyframesCheck *rw_keyframes_check_new(RwStore *store, const RwKeyframes *keyframes, RwMachine *machine,
                                         GError **error)
{
    static const RwPageHash zeros = {0};
    int here = find_here(keyframes, machine);
    RwPages *pages = rw_pages_open(store, false, error);
    if (!pages)
        return NULL;
    RwKeyframesCheck *check = g_new0(RwKeyframesCheck, 1);
    check->keyframes = keyframes;
    check->pages = pages;
    check->tree =
        rw_page_tree_new(pages, here < 0 ? &zeros : &rw_keyframes_get(keyframes, (guint)here)->root,
                         rw_page_tree_levels(rw_machine_memory(machine)));
    check->next = (guint)(here + 1);
    check->is_first = here < 0;
    return check;
}

void rw_keyframes_check_free(RwKeyframesCheck *check)
{
    if (!check)
        return;
    rw_page_tree_free(check->tree);
    rw_pages_free(check->pages);
    g_clear_error(&check->error);
    g_free(check);
}

static void add_page(uint64_t page, const uint8_t *bytes, void *data)
{
    RwKeyframesCheck *check = data;
    RwPageHash hash;
    rw_page_hash(bytes, RW_PAGE_BYTES, &hash);
    check->failed = check->failed || !rw_page_tree_set(check->tree, page, &hash, &check->error);
}

// The tree becomes that of the memory now: only what was written since the last time is hashed.
static bool hash_memory(RwKeyframesCheck *check, RwMachine *machine, RwPageHash *ret_root, GError **error)
{
    if (check->is_first)
        rw_machine_each_touched(machine, add_page, check);
    else
        rw_machine_each_pending(machine, add_page, check);
    rw_machine_clear_pending(machine);
    check->is_first = false;
    if (!check->failed)
        return rw_page_tree_flush(check->tree, NULL, ret_root, error);
    g_propagate_error(error, g_steal_pointer(&check->error));
    return false;
}

static char *compare(RwKeyframesCheck *check, RwMachine *machine, guint i, GError **error)
{
    const RwKeyframe *frame = rw_keyframes_get(check->keyframes, i);
    g_autoptr(GBytes) was = rw_keyframes_read_state(check->keyframes, i, error);
    g_autoptr(GBytes) is = was ? rw_machine_save(machine) : NULL;
    RwPageHash root;
    if (!was || !hash_memory(check, machine, &root, error))
        return NULL;
    check->compared++;
    bool same_memory = !memcmp(&root, &frame->root, sizeof root);
    if (same_memory && g_bytes_equal(was, is))
        return NULL;
    return g_strdup_printf("at step %" G_GUINT64_FORMAT ": the machine's %s not what the keyframe has",
                           frame->step, same_memory ? "registers and devices are" : "memory is");
}

char *rw_keyframes_check_dup_difference(RwKeyframesCheck *check, RwMachine *machine, GError **error)
{
    uint64_t now = rw_machine_icount(machine);
    if (check->next >= rw_keyframes_get_count(check->keyframes))
        return NULL;
    const RwKeyframe *frame = rw_keyframes_get(check->keyframes, check->next);
    if (frame->icount > now)
        return NULL;
    check->next++;
    if (frame->icount == now)
        return compare(check, machine, check->next - 1, error);
    return g_strdup_printf("at step %" G_GUINT64_FORMAT ": there is a keyframe at another instruction",
                           frame->step);
}

guint rw_keyframes_check_get_count(const RwKeyframesCheck *check)
{
    return check->compared;
}
