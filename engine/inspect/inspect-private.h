// SPDX-License-Identifier: MIT
#pragma once

#include "rw-inspect.h"

#include "rw-base.h"

// ---- reply.c: what the agent answered, which nobody has vouched for ----

// One DATA or ENTRY frame's payload, borrowed. false with an error ends the reading.
typedef bool (*RwFrameFunc)(unsigned type, const uint8_t *payload, size_t length, void *data,
                            GError **error);

typedef struct {
    const char *what; // for messages
    const char *wrong_kind; // what is wrong with a path that is there, for messages
    RwFrameFunc frame;
    void *data;
    bool ended; // its last frame has come
} RwReply;

// The bytes of one record: whole frames. An RwReplyFunc, `reply` being an RwReply.
bool rw_reply_take(const uint8_t *bytes, size_t length, void *reply, GError **error);

// ---- request.c ----

typedef struct {
    unsigned op; // enum rewind_agent_op
    const RwInspectPath *path;
    uint64_t offset; // MAP
} RwQuestion;

// Asks and hands the reply's frames to `frame`; false also when the reply lacks its end.
bool rw_inspect_ask(RwMachine *machine, const RwQuestion *question, RwFrameFunc frame, void *data,
                    GCancellable *cancellable, GError **error);

// ---- list.c ----

typedef struct {
    GPtrArray *entries; // of RwInspectEntry*
    uint64_t bytes; // of all frames
} RwInspectList;

#define RW_LIST_BYTES_MAX (256u << 20)

// An RwFrameFunc, `list` being an RwInspectList: of ENTRY frames, up to so many and so large.
bool rw_inspect_list_add(unsigned type, const uint8_t *payload, size_t length, void *list, GError **error);

// ---- entry.c ----

// Of an ENTRY frame; NULL when it is damaged.
RwInspectEntry *rw_inspect_entry_parse(const uint8_t *payload, size_t length);

// ---- waits.c ----

// Whether a system call waits for the descriptor that is its first argument.
bool rw_inspect_takes_descriptor(uint32_t number);

// ---- where.c ----

// A process whose files are read.
typedef struct {
    RwMachine *machine;
    uint32_t pid;
    GCancellable *cancellable;
    GHashTable *versions; // path → version, or ""
    const char *maps; // borrowed, with `memory`; or NULL
    RwSymbolsMemory memory;
} RwInspectLook;

RwInspectLook rw_inspect_look_new(RwMachine *machine, uint32_t pid, GCancellable *cancellable);
void rw_inspect_look_clear(RwInspectLook *look);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RwInspectLook, rw_inspect_look_clear)

// /proc/PID/maps; "" of one that ends.
char *rw_inspect_look_dup_maps(const RwInspectLook *look, GError **error);
// Its files for rw_symbols_find(), good as long as the look.
RwSymbolsFiles rw_inspect_look_files(const RwInspectLook *look);

// ---- tasks.c ----

// As rw_inspect_tasks().
GPtrArray *rw_inspect_list_tasks(RwKernel *kernel);
