// SPDX-License-Identifier: MIT
#include "inspect-private.h"

typedef struct {
    RwInspectBytes bytes;
    void *data;
} Reading;

static bool take_data(unsigned type, const uint8_t *payload, size_t length, void *data, GError **error)
{
    const Reading *reading = data;
    return type != REWIND_AGENT_DATA || !length || reading->bytes(payload, length, reading->data, error);
}

bool rw_inspect_cat(RwMachine *machine, const RwInspectPath *path, RwInspectBytes bytes, void *data,
                    GCancellable *cancellable, GError **error)
{
    Reading reading = {bytes, data};
    return rw_inspect_ask(machine, &(RwQuestion){REWIND_AGENT_CAT, path, 0}, take_data, &reading,
                          cancellable, error);
}

// ---- Into memory ----

typedef struct {
    GByteArray *bytes;
    size_t max;
} Whole;

static bool add_bytes(const uint8_t *bytes, size_t length, void *data, GError **error)
{
    const Whole *whole = data;
    if (length <= whole->max - whole->bytes->len) {
        rw_put_bytes(whole->bytes, bytes, length);
        return true;
    }
    g_set_error(error, RW_ERROR, RW_ERROR_FULL, "the file has more than %zu bytes", whole->max);
    return false;
}

GBytes *rw_inspect_read(RwMachine *machine, const RwInspectPath *path, size_t max,
                        GCancellable *cancellable, GError **error)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    Whole whole = {bytes, MIN(max, G_MAXUINT / 2)};
    if (!rw_inspect_cat(machine, path, add_bytes, &whole, cancellable, error))
        return NULL;
    return g_byte_array_free_to_bytes(g_steal_pointer(&bytes));
}
