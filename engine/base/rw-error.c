// SPDX-License-Identifier: MIT
#include "rw-error.h"

#include <errno.h>

// By hand: clang-format takes the words of G_DEFINE_QUARK's first argument apart.
GQuark rw_error_quark(void)
{
    return g_quark_from_static_string("rw-error-quark");
}

static const struct {
    int number;
    RwError code;
} errno_codes[] = {
    {ENOENT, RW_ERROR_NOT_FOUND},
    {EFBIG, RW_ERROR_FULL},
    {ENOSPC, RW_ERROR_FULL},
    {EDQUOT, RW_ERROR_FULL},
    {EWOULDBLOCK, RW_ERROR_BUSY},
    {ECANCELED, RW_ERROR_CANCELLED},
    {EOPNOTSUPP, RW_ERROR_UNSUPPORTED},
    {ENOSYS, RW_ERROR_UNSUPPORTED},
};

RwError rw_error_code_from_errno(int saved_errno)
{
    for (gsize i = 0; i < G_N_ELEMENTS(errno_codes); i++)
        if (errno_codes[i].number == saved_errno)
            return errno_codes[i].code;
    return RW_ERROR_IO;
}

void rw_error_from_errno(GError **error, int saved_errno, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *what = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, RW_ERROR, (int)rw_error_code_from_errno(saved_errno), "%s: %s", what,
                g_strerror(saved_errno));
}

bool rw_check_cancelled(GCancellable *cancellable, GError **error)
{
    if (!g_cancellable_is_cancelled(cancellable))
        return true;
    g_set_error_literal(error, RW_ERROR, RW_ERROR_CANCELLED, "cancelled");
    return false;
}
