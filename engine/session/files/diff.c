// SPDX-License-Identifier: MIT
#include "rw-diff.h"

#include "rw-error.h"
#include "rw-hash.h"

#define AROUND 3u // lines shown before and after a difference

typedef struct {
    const char *bytes;
    gsize length; // with its newline
} Line;

typedef struct {
    GArray *lines; // of Line
    guint *ids; // the same number: the same line
    bool *only; // the other text does not have it there
} Text;

typedef struct {
    Text left, right;
    GCancellable *cancellable;
} Diff;

// ---- Lines as numbers ----

static guint hash_line(gconstpointer key)
{
    const Line *line = key;
    return rw_keyed_hash(line->bytes, line->length);
}

static gboolean is_same_line(gconstpointer a, gconstpointer b)
{
    const Line *left = a, *right = b;
    return left->length == right->length && !memcmp(left->bytes, right->bytes, left->length);
}

static void split(Text *text, GBytes *bytes)
{
    gsize length;
    const char *at = g_bytes_get_data(bytes, &length), *end = at + length;
    text->lines = g_array_new(false, false, sizeof(Line));
    while (length && at < end) {
        const char *newline = memchr(at, '\n', (gsize)(end - at));
        Line line = {at, (gsize)((newline ? newline + 1 : end) - at)};
        g_array_append_val(text->lines, line);
        at += line.length;
    }
    text->ids = g_new(guint, text->lines->len + 1);
    text->only = g_new0(bool, text->lines->len + 1);
}

static void number(Text *text, GHashTable *ids)
{
    for (guint i = 0; i < text->lines->len; i++) {
        Line *line = &g_array_index(text->lines, Line, i);
        gpointer id;
        if (!g_hash_table_lookup_extended(ids, line, NULL, &id)) {
            id = GUINT_TO_POINTER(g_hash_table_size(ids));
            g_hash_table_insert(ids, line, id);
        }
        text->ids[i] = GPOINTER_TO_UINT(id);
    }
}

static void text_clear(Text *text)
{
    g_array_unref(text->lines);
    g_free(text->ids);
    g_free(text->only);
}

// ---- The fewest changes ----

// What is between the common beginning and end of both.
typedef struct {
    const guint *left, *right;
    int n, m;
    bool *only_left, *only_right;
} Middle;

// How far down the left text each diagonal (left - right) gets with so many changes.
typedef struct {
    GPtrArray *rounds; // of gint32 *: a copy of all before each number of changes, of 2 * d + 1 from -d on
    gint32 *reach; // of the current one, by diagonal + m_offset
    int offset;
} Reach;

static int advance(const Middle *middle, Reach *reach, int d, int k)
{
    const gint32 *at = reach->reach + reach->offset;
    int x = k == -d || (k != d && at[k - 1] < at[k + 1]) ? at[k + 1] : at[k - 1] + 1;
    while (x < middle->n && x - k < middle->m && middle->left[x] == middle->right[x - k])
        x++;
    return x;
}

static void keep_round(Reach *reach, int d)
{
    g_ptr_array_add(reach->rounds,
                    g_memdup2(reach->reach + reach->offset - d, sizeof(gint32) * (2 * (gsize)d + 1)));
}

// Returns the number of changes; -1: more than `most`, or cancelled.
static int search(const Middle *middle, Reach *reach, int most, GCancellable *cancellable)
{
    reach->reach[reach->offset + 1] = 0;
    for (int d = 0; d <= most && !g_cancellable_is_cancelled(cancellable); d++) {
        for (int k = -d; k <= d; k += 2) {
            // Beyond an end of either text there is nothing.
            int x = advance(middle, reach, d, k);
            reach->reach[reach->offset + k] = x;
            if (x >= middle->n && x - k >= middle->m)
                return d;
        }
        keep_round(reach, d);
    }
    return -1;
}

static void walk_back(const Middle *middle, const Reach *reach, int d)
{
    int x = middle->n, y = middle->m;
    for (; d > 0; d--) {
        const gint32 *at = (const gint32 *)reach->rounds->pdata[d - 1] + (d - 1); // by diagonal
        int k = x - y;
        bool down = k == -d || (k != d && at[k - 1] < at[k + 1]);
        int before = down ? k + 1 : k - 1;
        x = at[before];
        y = x - before;
        if (down)
            middle->only_right[y] = true;
        else
            middle->only_left[x] = true;
    }
}

static void change_all(const Middle *middle)
{
    memset(middle->only_left, true, (gsize)middle->n * sizeof(bool));
    memset(middle->only_right, true, (gsize)middle->m * sizeof(bool));
}

static void find_changes(const Middle *middle, GCancellable *cancellable)
{
    int most = (int)MIN((gint64)middle->n + middle->m, 2 * (gint64)RW_DIFF_MOST);
    Reach reach = {g_ptr_array_new_with_free_func(g_free), g_new0(gint32, 2 * (gsize)most + 3), most + 1};
    int d = search(middle, &reach, most, cancellable);
    if (d >= 0)
        walk_back(middle, &reach, d);
    else
        change_all(middle);
    g_ptr_array_unref(reach.rounds);
    g_free(reach.reach);
}

static void compare(Diff *diff)
{
    Text *left = &diff->left, *right = &diff->right;
    guint n = left->lines->len, m = right->lines->len, head = 0, tail = 0;
    while (head < MIN(n, m) && left->ids[head] == right->ids[head])
        head++;
    while (tail < MIN(n, m) - head && left->ids[n - tail - 1] == right->ids[m - tail - 1])
        tail++;
    Middle middle = {left->ids + head,       right->ids + head, (int)(n - head - tail),
                     (int)(m - head - tail), left->only + head, right->only + head};
    find_changes(&middle, diff->cancellable);
}

// ---- Writing ----

static void write_line(GByteArray *out, const Text *text, guint number, char mark)
{
    static const char without[] = "\n\\ No newline at end of file\n";
    const Line *line = &g_array_index(text->lines, Line, number);
    g_byte_array_append(out, (const guint8 *)&mark, 1);
    g_byte_array_append(out, (const guint8 *)line->bytes, (guint)line->length);
    if (line->bytes[line->length - 1] != '\n')
        g_byte_array_append(out, (const guint8 *)without, sizeof without - 1);
}

typedef struct {
    guint left, right;
} At;

static bool is_end(const Diff *diff, At at)
{
    return at.left == diff->left.lines->len && at.right == diff->right.lines->len;
}

static bool is_change(const Diff *diff, At at)
{
    return (at.left < diff->left.lines->len && diff->left.only[at.left]) ||
           (at.right < diff->right.lines->len && diff->right.only[at.right]);
}

// Where what belongs together ends: behind the last of the changes with no more than 2 * AROUND same lines
// between them.
static At find_end(const Diff *diff, At at)
{
    At end = at;
    for (guint same = 0; !is_end(diff, at) && same <= 2 * AROUND;) {
        bool change = is_change(diff, at);
        bool left = !change || (at.left < diff->left.lines->len && diff->left.only[at.left]);
        bool right = !change || !left;
        at.left += left;
        at.right += right;
        same = change ? 0 : same + 1;
        if (change)
            end = at;
    }
    return end;
}

static void write_hunk(GByteArray *out, const Diff *diff, At from, At first, At end)
{
    guint after = MIN(AROUND, diff->left.lines->len - end.left);
    guint n = end.left + after - from.left, m = end.right + after - from.right;
    g_autofree char *head =
        g_strdup_printf("@@ -%u,%u +%u,%u @@\n", from.left + (n > 0), n, from.right + (m > 0), m);
    g_byte_array_append(out, (const guint8 *)head, (guint)strlen(head));
    for (guint i = from.left; i < first.left; i++)
        write_line(out, &diff->left, i, ' ');
    for (At at = first; at.left < end.left || at.right < end.right;) {
        if (at.left < end.left && diff->left.only[at.left]) {
            write_line(out, &diff->left, at.left++, '-');
        } else if (at.right < end.right && diff->right.only[at.right]) {
            write_line(out, &diff->right, at.right++, '+');
        } else {
            write_line(out, &diff->left, at.left++, ' ');
            at.right++;
        }
    }
    for (guint i = 0; i < after; i++)
        write_line(out, &diff->left, end.left + i, ' ');
}

static void write_all(GByteArray *out, const Diff *diff, const char *left_name, const char *right_name)
{
    for (At at = {0, 0}; !is_end(diff, at);) {
        if (!is_change(diff, at)) {
            at.left++;
            at.right++;
            continue;
        }
        if (!out->len) {
            g_autofree char *head = g_strdup_printf("--- %s\n+++ %s\n", left_name, right_name);
            g_byte_array_append(out, (const guint8 *)head, (guint)strlen(head));
        }
        guint before = MIN(AROUND, at.left);
        At end = find_end(diff, at);
        write_hunk(out, diff, (At){at.left - before, at.right - before}, at, end);
        at = end;
    }
}

GBytes *rw_diff_new(GBytes *left, GBytes *right, const char *left_name, const char *right_name,
                    GCancellable *cancellable)
{
    Diff diff = {.cancellable = cancellable};
    g_autoptr(GHashTable) ids = g_hash_table_new(hash_line, is_same_line);
    g_autoptr(GByteArray) out = g_byte_array_new();
    split(&diff.left, left);
    split(&diff.right, right);
    number(&diff.left, ids);
    number(&diff.right, ids);
    compare(&diff);
    bool whole = !g_cancellable_is_cancelled(cancellable);
    if (whole)
        write_all(out, &diff, left_name, right_name);
    text_clear(&diff.left);
    text_clear(&diff.right);
    return whole ? g_byte_array_free_to_bytes(g_steal_pointer(&out)) : NULL;
}

gsize rw_diff_find_first(GBytes *left, GBytes *right)
{
    gsize n, m, at = 0;
    const guint8 *a = g_bytes_get_data(left, &n), *b = g_bytes_get_data(right, &m);
    while (at < MIN(n, m) && a[at] == b[at])
        at++;
    return at;
}
