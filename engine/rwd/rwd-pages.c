// SPDX-License-Identifier: MIT
#include "rwd-pages-private.h"

#include "rw-hash.h"

#define HEAD 2u // bytes of an object's length
#define SEEN 0x100u // in what is known of a hash, besides its level: 0 for a page, more for the nodes above

struct RwdPages {
    RwPagesWriter *writer;
    GHashTable *known; // RwPageHash * → level + 1, SEEN once the object came
    uint64_t missing; // of those
    uint64_t left; // bytes of the member
    uint8_t object[HEAD + RW_PAGE_BYTES]; // the one that is being read
    size_t used;
};

// What a node names is the sender's free choice until its object comes, so the hashes are hashed.
static guint hash_hash(gconstpointer hash)
{
    return rw_keyed_hash(hash, sizeof(RwPageHash));
}

static gboolean hash_equal(gconstpointer a, gconstpointer b)
{
    return !memcmp(a, b, sizeof(RwPageHash));
}

RwdPages *rwd_pages_new(uint64_t size, RwPagesWriter *writer)
{
    RwdPages *pages = g_new0(RwdPages, 1);
    pages->writer = writer;
    pages->left = size;
    pages->known = g_hash_table_new_full(hash_hash, hash_equal, g_free, NULL);
    return pages;
}

void rwd_pages_free(RwdPages *pages)
{
    if (!pages)
        return;
    g_hash_table_unref(pages->known);
    g_free(pages);
}

static bool damaged(const char *why, GError **error)
{
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "damaged: pages: %s", why);
    return false;
}

static bool expect(RwdPages *pages, const RwPageHash *hash, unsigned level, GError **error)
{
    unsigned known = GPOINTER_TO_UINT(g_hash_table_lookup(pages->known, hash));
    if (rw_page_hash_is_zero(hash))
        return true;
    if (known)
        return (known & ~SEEN) == level + 1 || damaged("an object is at two levels", error);
    // Each takes some bytes, so a list of hashes with nothing behind them gets no further than this.
    if (++pages->missing > pages->left / (HEAD + 1) || g_hash_table_size(pages->known) >= RWD_OBJECTS_MAX)
        return damaged("more objects are needed than there are", error);
    g_hash_table_insert(pages->known, g_memdup2(hash, sizeof *hash), GUINT_TO_POINTER(level + 1));
    return true;
}

bool rwd_pages_expect(RwdPages *pages, const RwPageHash *root, unsigned levels, GError **error)
{
    return expect(pages, root, levels, error);
}

static bool expect_below(RwdPages *pages, const uint8_t *node, unsigned level, GError **error)
{
    for (unsigned i = 0; i < RW_TREE_FANOUT; i++) {
        RwPageHash hash;
        memcpy(&hash, node + i * sizeof hash, sizeof hash);
        if (!expect(pages, &hash, level - 1, error))
            return false;
    }
    return true;
}

static bool put(RwdPages *pages, const uint8_t *bytes, size_t length, const RwPageHash *hash,
                GError **error)
{
    RwPageHash stored;
    if (!pages->writer)
        return true;
    return rw_pages_writer_put(pages->writer, bytes, length, &stored, error) &&
           (hash_equal(&stored, hash) || damaged("a page of zeros", error));
}

static bool take_object(RwdPages *pages, const uint8_t *bytes, size_t length, GError **error)
{
    RwPageHash hash;
    gpointer key, value;
    rw_sha256_bytes(bytes, length, hash.v);
    if (!g_hash_table_lookup_extended(pages->known, &hash, &key, &value))
        return damaged("an object is damaged, or no keyframe needs it", error);
    unsigned level = GPOINTER_TO_UINT(value) - 1;
    if (level + 1 >= SEEN)
        return damaged("an object is there twice", error);
    if (length != (level ? RW_TREE_NODE_BYTES : RW_PAGE_BYTES))
        return damaged("an object has a wrong length", error);
    g_hash_table_insert(pages->known, g_memdup2(&hash, sizeof hash), GUINT_TO_POINTER((level + 1) | SEEN));
    pages->missing--;
    return put(pages, bytes, length, &hash, error) && (!level || expect_below(pages, bytes, level, error));
}

bool rwd_pages_take(void *data, const uint8_t *bytes, size_t length, GError **error)
{
    RwdPages *pages = data;
    while (length) {
        size_t want = pages->used < HEAD ? HEAD : HEAD + rw_load_u16(pages->object);
        if (want > sizeof pages->object)
            return damaged("an object has a wrong length", error);
        size_t n = MIN(want - pages->used, length);
        memcpy(pages->object + pages->used, bytes, n);
        pages->used += n;
        pages->left -= MIN(n, pages->left);
        bytes += n;
        length -= n;
        want = pages->used < HEAD ? HEAD : HEAD + rw_load_u16(pages->object);
        if (pages->used < HEAD || pages->used < want)
            continue;
        if (!take_object(pages, pages->object + HEAD, want - HEAD, error))
            return false;
        pages->used = 0;
    }
    return true;
}

bool rwd_pages_finish(RwdPages *pages, GError **error)
{
    if (pages->used)
        return damaged("the last object is cut short", error);
    return !pages->missing || damaged("objects that a keyframe needs are missing", error);
}
