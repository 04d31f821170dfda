// SPDX-License-Identifier: MIT
//
// The protocol: packets, and what is asked of the process that is debugged. It knows a process by
// GdbWorld only: world-private.h has the one on a timeline, tests have one that is made up.
#pragma once

#include "rw-bytes.h"
#include "rw-error.h"

G_BEGIN_DECLS

// ---- What is debugged ----

typedef struct {
    bool known; // else nothing but the tid is
    bool fpu_known;
    uint64_t gpr[16]; // RAX RCX RDX RBX RSP RBP RSI RDI R8 to R15
    uint64_t rip, flags, fs_base, gs_base;
    uint64_t orig_rax; // number of the system call that the thread is in; UINT64_MAX: none
    uint16_t cs, ss, ds, es, fs, gs;
    uint8_t fxsave[512]; // x87 and SSE, as FXSAVE stores them
} GdbRegisters;

typedef struct {
    uint32_t tid;
    char *name; // bytes, or NULL
    char *state; // a few words
} GdbThread;

typedef enum { GDB_CODE = 0, GDB_CODE_TOO = 1, GDB_WRITE = 2, GDB_READ = 3, GDB_ACCESS = 4 } GdbPointKind;

typedef struct {
    GdbPointKind kind; // as packets number them
    uint64_t address, length;
    GPtrArray *conditions; // of GBytes, owned by the session: see condition.c; NULL: none
} GdbPoint;

#define GDB_POINTS_MAX 48u

typedef struct {
    bool forward;
    bool step; // the thread `tid` executes an instruction: others may run before it
    uint32_t tid;
    uint32_t only; // what any other thread meets is no reason to stop; 0: whoever meets it
    uint64_t from, until; // it goes on while it is in [from, until)
    const GdbPoint *points;
    size_t n;
    uint64_t ignored; // a bit for each signal that is no reason to stop
    bool exec; // execve(2) is one; else the process ends there
    bool (*interrupted)(void *data); // asked now and then
    void *data;
} GdbResume;

typedef enum {
    GDB_STOP_STEP, // and whatever has no word of its own
    GDB_STOP_BREAK, // at `address`
    GDB_STOP_WATCH, // `point` was met, at `address`
    GDB_STOP_SIGNAL,
    GDB_STOP_BEGIN, // of what is recorded of the process,
    GDB_STOP_END, // or its end
    GDB_STOP_EXEC, // it executes another program now, or backwards the one before
    GDB_STOP_INTERRUPTED,
} GdbStopKind;

typedef struct {
    int number; // as Linux numbers them; 0: none
    int code; // si_code
    uint64_t address; // si_addr where the signal has one
    uint32_t sender; // si_pid likewise
    int status; // si_status of a child's, where it is known
} GdbSignalInfo;

typedef struct {
    GdbStopKind kind;
    uint32_t tid;
    GdbSignalInfo signal;
    uint64_t address;
    GdbPointKind point;
    char *note; // a line for the user, owned; or NULL
    char *program; // EXEC: its path, owned
} GdbStop;

typedef struct {
    uint32_t mode, uid, gid, nlink;
    uint64_t inode, size;
    int64_t mtime;
} GdbFileInfo;

// Each gets `data`. Errors are one line.
typedef struct {
    uint32_t (*pid)(void *data);
    GPtrArray *(*threads)(void *data); // of GdbThread, owned; at least one
    void (*registers)(void *data, uint32_t tid, GdbRegisters *ret);
    bool (*set_registers)(void *data, uint32_t tid, const GdbRegisters *to, GError **error);
    size_t (*read)(void *data, uint64_t va, void *ret_bytes, size_t length); // how many bytes there are
    bool (*write)(void *data, uint64_t va, const void *bytes, size_t length, GError **error);
    bool (*resume)(void *data, const GdbResume *how, GdbStop *ret, GError **error);
    // NULL: it has none of these.
    GBytes *(*auxv)(void *data, GError **error);
    char *(*program)(void *data, GError **error); // path of what it executes
    GBytes *(*file)(void *data, const char *path, GdbFileInfo *ret_info, GError **error);
    char *(*link)(void *data, const char *path, GError **error);

    char *(*monitor)(void *data, const char *command, GError **error); // text for the user
} GdbWorldOps;

typedef struct {
    const GdbWorldOps *ops;
    void *data;
} GdbWorld;

void gdb_thread_free(GdbThread *thread);
void gdb_stop_clear(GdbStop *stop);

// ---- condition.c ----

// Where a thread is that has come to a breakpoint.
typedef struct {
    const GdbRegisters *registers;
    bool (*read)(void *data, uint64_t va, void *ret_bytes, size_t length); // false: not all of it is there
    void *data;
} GdbStand;

// Whether the debugger is to know of it: one of the point's conditions holds, or it has none, or one can't
// be told, which the debugger then tells itself.
bool gdb_point_holds(const GdbPoint *point, const GdbStand *stand);

// ---- packet.c ----

#define GDB_PACKET_MAX 0x20000u // bytes of a packet, its frame not counted

typedef enum {
    GDB_NOTHING, // more bytes are needed
    GDB_PACKET,
    GDB_DAMAGED, // a packet with another checksum, or one that is too long
    GDB_ACK,
    GDB_NAK,
    GDB_INTERRUPT,
    GDB_NOISE, // bytes between packets
} GdbInput;

// What comes first in `bytes`: *ret_used of them. Of a packet the payload is put into `payload`.
GdbInput gdb_packet_parse(const uint8_t *bytes, size_t length, size_t *ret_used, GByteArray *payload);
void gdb_packet_frame(GByteArray *out, const void *payload, size_t length); // appends

int gdb_hex_digit(char digit); // -1: none
void gdb_put_hex(GString *out, const void *bytes, size_t length);
// All of `text`, into at most `max` bytes: how many; -1: it is none.
gssize gdb_from_hex(const char *text, size_t length, void *ret_bytes, size_t max);
void gdb_put_binary(GString *out, const void *bytes, size_t length); // escaped
// In place; how many bytes are left; -1: it ends within an escape.
gssize gdb_unescape(uint8_t *bytes, size_t length);

// Reads forward over a packet's text, which ends with a NUL.
typedef struct {
    const char *at, *end;
    bool failed;
} GdbText;

uint64_t gdb_text_hex(GdbText *text); // at least one digit, at most 16
bool gdb_text_skip(GdbText *text, char letter); // false, and nothing is done: another one follows
void gdb_text_expect(GdbText *text, char letter);
bool gdb_text_at_end(const GdbText *text);
// "p12.34", "34"; *ret_tid is GDB_ALL or GDB_ANY, too.
#define GDB_ANY 0u
#define GDB_ALL UINT32_MAX
void gdb_text_thread(GdbText *text, uint32_t *ret_pid, uint32_t *ret_tid);

// ---- session.c ----

typedef struct _GdbSession GdbSession;

typedef struct {
    int fd; // number that gdb knows
    GBytes *bytes;
    GdbFileInfo info;
} GdbFile;

#define GDB_FILES_MAX 64u

struct _GdbSession {
    GdbWorld world; // borrowed
    GArray *points; // of GdbPoint
    GPtrArray *files; // of GdbFile, owned
    int next_file;
    uint32_t general, resumed; // threads that H chose; GDB_ANY
    GdbStop stop; // the last one
    uint64_t ignored; // signals
    bool multiprocess, swbreak, hwbreak, exec;
    bool no_ack, ended;
    GString *reply; // to the packet at hand
    GString *console; // what the user is to see before it
    char *refused; // why something was not done; said once
    void (*warn)(const char *message, void *data);
    void *warn_data;
    void (*going)(bool goes, void *data); // it begins to go elsewhere, or stands; or NULL
    void *going_data;
    GBytes *object; // what is being read by qXfer,
    char *object_name; // its name
    bool (*interrupted)(void *data);
    void *interrupted_data;
};

GdbSession *gdb_session_new(const GdbWorld *world, uint32_t tid);
void gdb_session_free(GdbSession *session);
void gdb_session_moved(GdbSession *session, uint32_t tid); // it stands elsewhere, at that thread
void gdb_session_tell(GdbSession *session, bool goes); // whoever wants to know
// A packet's payload; the reply is in session->reply.
void gdb_session_take(GdbSession *session, const uint8_t *payload, size_t length);
void gdb_reply_ok(GdbSession *session);
void gdb_reply_error(GdbSession *session, int number); // an errno
void gdb_reply_message(GdbSession *session, const GError *error);
void gdb_put_thread(GdbSession *session, GString *out, uint32_t tid);
uint32_t gdb_current(GdbSession *session); // the thread that packets about registers mean

// Each answers packets that begin with a letter; `text` is behind it.
void gdb_take_registers(GdbSession *session, char letter, GdbText *text); // g G p P
void gdb_take_memory(GdbSession *session, char letter, GdbText *text); // m M X
void gdb_take_point(GdbSession *session, char letter, GdbText *text); // Z z
void gdb_take_query(GdbSession *session, const char *packet, size_t length); // q Q
void gdb_take_object(GdbSession *session, const char *packet); // qXfer:
void gdb_take_resume(GdbSession *session, const char *packet); // vCont c s C S b
void gdb_take_file(GdbSession *session, const char *packet, size_t length); // vFile:
void gdb_put_stop(GdbSession *session);
void gdb_file_free(GdbFile *file);

char *gdb_dup_xml(const char *text); // bytes, escaped
GBytes *gdb_list_libraries(const GdbWorld *world); // libraries.c; XML, of none where nothing is known

// registers.c
extern const char gdb_target_xml[];
// By the number of the description; false: there is no such integer.
bool gdb_register_value(const GdbRegisters *registers, uint64_t number, uint64_t *ret);

// ---- serve.c ----

bool gdb_serve(GdbSession *session, int fd, GCancellable *cancellable, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(GdbSession, gdb_session_free)

G_END_DECLS
