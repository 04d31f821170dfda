// SPDX-License-Identifier: MIT
//
// Locks that system calls take: of files, and names that only one can make.
#include "learn-private.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

enum {
    CALL_FLOCK = 73,
    CALL_RENAME = 82,
    CALL_MKDIR = 83,
    CALL_RMDIR = 84,
    CALL_LINK = 86,
    CALL_UNLINK = 87,
    CALL_SYMLINK = 88,
    CALL_MKDIRAT = 258,
    CALL_UNLINKAT = 263,
    CALL_RENAMEAT = 264,
    CALL_LINKAT = 265,
    CALL_SYMLINKAT = 266,
    CALL_RENAMEAT2 = 316,
};

// Of open file descriptions: fcntl(2).
enum { OFD_SETLK = 37, OFD_SETLKW = 38 };

static bool waits(const RwCall *call)
{
    int command = (int)call->arguments[1];
    return call->number == CALL_FLOCK ? !(command & LOCK_NB) : command == F_SETLKW || command == OFD_SETLKW;
}

bool rw_lock_is_one(const RwCall *call)
{
    int command = (int)call->arguments[1];
    return call->number == CALL_FLOCK || command == F_SETLK || command == F_SETLKW ||
           command == OFD_SETLK || command == OFD_SETLKW;
}

bool rw_lock_duplicates(const RwCall *call)
{
    int command = (int)call->arguments[1];
    return call->number == RW_CALL_FCNTL && (command == F_DUPFD || command == F_DUPFD_CLOEXEC);
}

static char *dup_key(uint64_t number, const char *name)
{
    return g_strdup_printf("%s %s", number == CALL_FLOCK ? "flock" : "fcntl", name);
}

guint rw_lock_object(RwCalls *calls, uint64_t number, const char *name)
{
    g_autofree char *key = dup_key(number, name);
    return rw_tables_object(calls->tables, RW_OBJECT_LOCK, key, 0) + 1;
}

guint rw_lock_find(const RwCalls *calls, bool whole, const char *name)
{
    g_autofree char *key = dup_key(whole ? CALL_FLOCK : RW_CALL_FCNTL, name);
    return rw_tables_find(calls->tables, RW_OBJECT_LOCK, key);
}

typedef enum { LOCK_SHARED, LOCK_ALONE, LOCK_NONE } Lock;

static void see(RwLearnedEvent *event, Lock lock, bool blocks)
{
    static const uint32_t flags[] = {
        [LOCK_SHARED] = RW_EVENT_READS | RW_EVENT_LOCKS,
        [LOCK_ALONE] = RW_EVENT_READS | RW_EVENT_CHANGES | RW_EVENT_LOCKS,
        [LOCK_NONE] = RW_EVENT_CHANGES | RW_EVENT_UNLOCKS,
    };
    event->flags |= flags[lock] | (blocks && lock != LOCK_NONE ? RW_EVENT_BLOCKS : 0);
    event->detail = (uint32_t)lock + 1;
}

// Ranges are told apart where they begin at the file's start, as nearly all do.
static void see_range(RwMachine *machine, const RwCall *call, RwLearnedEvent *event)
{
    struct flock lock;
    if (!rw_machine_read_user(machine, call->arguments[2], &lock, sizeof lock))
        return;
    see(event,
        lock.l_type == F_UNLCK   ? LOCK_NONE
        : lock.l_type == F_WRLCK ? LOCK_ALONE
                                 : LOCK_SHARED,
        waits(call));
    if (lock.l_whence != SEEK_SET || lock.l_start < 0 || lock.l_len < 0)
        return;
    event->start = (uint64_t)lock.l_start;
    event->end = lock.l_len ? event->start + (uint64_t)lock.l_len : UINT64_MAX;
    event->detail |= (uint32_t)lock.l_start << 2;
}

void rw_lock_see(RwMachine *machine, const RwCall *call, RwLearnedEvent *event)
{
    int operation = (int)call->arguments[1];
    if (call->number == CALL_FLOCK)
        see(event,
            operation & LOCK_UN   ? LOCK_NONE
            : operation & LOCK_EX ? LOCK_ALONE
                                  : LOCK_SHARED,
            waits(call));
    else if (rw_lock_is_one(call))
        see_range(machine, call, event);
    else
        event->flags |= RW_EVENT_READS;
}

uint32_t rw_lock_of_name(uint64_t number, bool second)
{
    switch (number) {
    case CALL_MKDIR:
    case CALL_MKDIRAT:
    case CALL_SYMLINK:
    case CALL_SYMLINKAT:
        return RW_EVENT_LOCKS;
    case CALL_LINK:
    case CALL_LINKAT:
        return second ? RW_EVENT_LOCKS : 0;
    case CALL_RMDIR:
    case CALL_UNLINK:
    case CALL_UNLINKAT:
        return RW_EVENT_UNLOCKS;
    case CALL_RENAME:
    case CALL_RENAMEAT:
    case CALL_RENAMEAT2:
        return second ? 0 : RW_EVENT_UNLOCKS;
    default:
        return 0;
    }
}
