// SPDX-License-Identifier: MIT
#include "answers-private.h"

#include <limits.h>

#define WRITES_MAX 4096u // of a pipe, that are not read

typedef struct {
    uint64_t start, end; // bytes since the pipe is there
} Write;

typedef struct {
    GArray *writes; // of Write, those that are not read whole
    uint64_t written, read;
    bool spoilt;
} Flow;

struct _RwFlows {
    GHashTable *flows; // pipe → Flow
};

static void free_flow(gpointer data)
{
    Flow *flow = data;
    g_array_unref(flow->writes);
    g_free(flow);
}

RwFlows *rw_flows_new(void)
{
    RwFlows *flows = g_new0(RwFlows, 1);
    flows->flows = g_hash_table_new_full(NULL, NULL, NULL, free_flow);
    return flows;
}

void rw_flows_free(RwFlows *flows)
{
    if (!flows)
        return;
    g_hash_table_unref(flows->flows);
    g_free(flows);
}

static Flow *get_flow(RwFlows *flows, guint pipe)
{
    Flow *flow = g_hash_table_lookup(flows->flows, GUINT_TO_POINTER(pipe));
    if (flow)
        return flow;
    flow = g_new0(Flow, 1);
    flow->writes = g_array_new(false, false, sizeof(Write));
    g_hash_table_insert(flows->flows, GUINT_TO_POINTER(pipe), flow);
    return flow;
}

void rw_flows_write(RwFlows *flows, guint pipe, uint64_t length)
{
    Flow *flow = get_flow(flows, pipe);
    Write write = {flow->written, flow->written + length};
    flow->spoilt |= length > UINT32_MAX || flow->writes->len >= WRITES_MAX;
    if (flow->spoilt || !length)
        return;
    flow->written = write.end;
    g_array_append_val(flow->writes, write);
}

void rw_flows_spoil(RwFlows *flows, guint pipe)
{
    get_flow(flows, pipe)->spoilt = true;
}

// Within [from, to) of what was read: before the write, or in the middle of one that may come in pieces.
static bool cut_at(const Write *write, uint64_t from, uint64_t to, RwCut *ret)
{
    uint64_t first = MAX(write->start, from), last = MIN(write->end, to);
    if (write->end - write->start > PIPE_BUF && last - first > 1) {
        *ret = (RwCut){(uint32_t)(first - from + 1), (uint32_t)(last - from - 1)};
        return true;
    }
    *ret = (RwCut){(uint32_t)(first - from), (uint32_t)(first - from)};
    return write->start > from;
}

// The first and the last.
guint rw_flows_read(RwFlows *flows, guint pipe, uint64_t length, RwCut ret[RW_CUTS_MAX])
{
    Flow *flow = get_flow(flows, pipe);
    uint64_t from = flow->read, to = from + length;
    guint n = 0, past = 0;
    flow->spoilt |= to > flow->written || length > UINT32_MAX;
    if (flow->spoilt)
        return 0;
    flow->read = to;
    for (guint i = 0; i < flow->writes->len; i++) {
        const Write *write = &g_array_index(flow->writes, Write, i);
        if (write->start >= to)
            break;
        past += write->end <= to;
        if (cut_at(write, from, to, &ret[MIN(n, RW_CUTS_MAX - 1)]))
            n = MIN(n + 1, RW_CUTS_MAX);
    }
    g_array_remove_range(flow->writes, 0, past);
    return n;
}
