// SPDX-License-Identifier: MIT
//
// What is JSON, varied by structure, and what an agent answers.
#include "fuzz.h"
#include "inspect-private.h"
#include "rw-image.h"
#include "rw-manifest.h"

#include <glib/gstdio.h>
#include <sys/stat.h>

static void vary(GByteArray *out, const Inputs *inputs, Random *random)
{
    gsize length;
    const char *text =
        g_bytes_get_data(inputs->inputs->pdata[random_below(random, inputs->inputs->len)], &length);
    json_vary(out, text, length, inputs, random);
}

// ---- Manifests: the id is a hash of the inputs, and is made right again ----

static void mend_id(GByteArray *bytes)
{
    char id[RW_RUN_ID_SIZE];
    g_autoptr(JsonObject) object = rw_manifest_parse_object((char *)bytes->data, bytes->len, "it", NULL);
    JsonNode *node = object ? json_object_get_member(object, "inputs") : NULL;
    g_autoptr(RwInputs) inputs =
        node && JSON_NODE_HOLDS_OBJECT(node) ? rw_inputs_from_json(json_node_get_object(node), NULL) : NULL;
    char *at = inputs ? g_strstr_len((char *)bytes->data, (gssize)bytes->len, "\"id\":\"") : NULL;
    if (!at || at + 6 + RW_RUN_ID_SIZE > (char *)bytes->data + bytes->len ||
        strspn(at + 6, "0123456789abcdef") < RW_RUN_ID_SIZE - 1)
        return;
    rw_inputs_id(inputs, id);
    memcpy(at + 6, id, RW_RUN_ID_SIZE - 1);
}

static void vary_manifest(GByteArray *out, const Inputs *inputs, Random *random)
{
    vary(out, inputs, random);
    mend_id(out);
}

static bool read_manifest(const uint8_t *bytes, size_t length)
{
    return find_target("manifest")->read(bytes, length);
}

static bool read_bookmarks(const uint8_t *bytes, size_t length)
{
    return find_target("bookmarks")->read(bytes, length);
}

static bool read_index(const uint8_t *bytes, size_t length)
{
    return find_target("index")->read(bytes, length);
}

// ---- An OCI layout: index, manifest, config; one of them is the variant, the hashes above it are right
// ----

#define NO_HASH "0000000000000000000000000000000000000000000000000000000000000000"

static const char *const oci[] = {
    "{\"schemaVersion\":2,\"manifests\":[{\"mediaType\":\"application/"
    "vnd.oci.image.manifest.v1+json\",\"digest\":"
    "\"sha256:" NO_HASH "\",\"size\":1,\"platform\":{\"architecture\":\"amd64\",\"os\":\"linux\"}}]}",
    "{\"schemaVersion\":2,\"mediaType\":\"application/"
    "vnd.oci.image.manifest.v1+json\",\"config\":{\"mediaType\":"
    "\"application/vnd.oci.image.config.v1+json\",\"digest\":\"sha256:" NO_HASH
    "\",\"size\":1},\"layers\":[]}",
    "{\"architecture\":\"amd64\",\"os\":\"linux\",\"config\":{\"Env\":[\"PATH=/"
    "bin\",\"A=b\"],\"User\":\"1:2\","
    "\"WorkingDir\":\"/work\",\"Entrypoint\":[\"/bin/"
    "sh\"]},\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[]}}",
};

static void add_oci(Inputs *inputs)
{
    for (gsize i = 0; i < G_N_ELEMENTS(oci); i++)
        g_ptr_array_add(inputs->inputs, g_bytes_new_static(oci[i], strlen(oci[i])));
}

static void vary_oci(GByteArray *out, const Inputs *inputs, Random *random)
{
    size_t which = random_below(random, G_N_ELEMENTS(oci));
    rw_put_u8(out, (uint8_t)which);
    json_vary(out, oci[which], strlen(oci[which]), inputs, random);
}

static void put_text(const char *dir, const char *name, const char *text, size_t length)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    g_assert_true(
        g_file_set_contents_full(path, text, (gssize)length, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
}

// Writes a document with the hash of what is below it, and says its own.
static void put_blob(const char *dir, const GByteArray *text, const char *below,
                     char ret_hash[RW_SHA256_HEX_SIZE])
{
    g_autofree char *copy = g_strndup((const char *)text->data, text->len);
    char *at = below ? strstr(copy, NO_HASH) : NULL;
    if (at)
        memcpy(at, below, RW_SHA256_HEX_SIZE - 1);
    rw_sha256_hex(copy, text->len, ret_hash);
    put_text(dir, ret_hash, copy, text->len);
}

static bool prepare(const char *root)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *images = g_build_filename(scratch_dir(), "images", NULL);
    g_autoptr(RwImage) image = rw_image_prepare(root, images, NULL, NULL, NULL, NULL, &error);
    g_assert_true(image || (error && error->domain == RW_ERROR && !strchr(error->message, '\n')));
    return image != NULL;
}

static bool read_oci(const uint8_t *bytes, size_t length)
{
    g_autofree char *root = g_build_filename(scratch_dir(), "oci", NULL);
    g_autofree char *blobs = g_build_filename(root, "blobs", "sha256", NULL);
    char hash[2][RW_SHA256_HEX_SIZE];
    if (!length || bytes[0] >= G_N_ELEMENTS(oci))
        return false;
    rw_remove_tree(root, NULL);
    g_mkdir_with_parents(blobs, 0700);
    put_text(root, "oci-layout", "{\"imageLayoutVersion\":\"1.0.0\"}", 30);
    for (size_t i = G_N_ELEMENTS(oci); i--;) {
        g_autoptr(GByteArray) text = g_byte_array_new();
        bool varied = bytes[0] == i;
        rw_put_bytes(text, varied ? (const void *)(bytes + 1) : oci[i],
                     varied ? length - 1 : strlen(oci[i]));
        put_blob(blobs, text, i < 2 ? hash[(i + 1) % 2] : NULL, hash[i % 2]);
    }
    g_autofree char *from = g_build_filename(blobs, hash[0], NULL),
                    *to = g_build_filename(root, "index.json", NULL);
    g_assert_cmpint(g_rename(from, to), ==, 0);
    return prepare(root);
}

// ---- Tarballs: fields of headers, whose checksums are right ----

static void put_header(GByteArray *out, const char *name, char type, const char *link, size_t size)
{
    uint8_t head[512] = {0};
    g_strlcpy((char *)head, name, 100);
    g_snprintf((char *)head + 100, 8, "%07o", 0755);
    g_snprintf((char *)head + 108, 8, "%07o", 1);
    g_snprintf((char *)head + 116, 8, "%07o", 2);
    g_snprintf((char *)head + 124, 12, "%011zo", size);
    g_snprintf((char *)head + 136, 12, "%011o", 1700000000u);
    head[156] = (uint8_t)type;
    g_strlcpy((char *)head + 157, link, 100);
    memcpy(head + 257, "ustar\00000", 8);
    rw_put_bytes(out, head, sizeof head);
}

static void put_member(GByteArray *out, const char *name, char type, const char *link, const char *text)
{
    static const uint8_t zeros[512];
    size_t size = strlen(text);
    put_header(out, name, type, link, size);
    rw_put_bytes(out, text, size);
    rw_put_bytes(out, zeros, (512 - size % 512) % 512);
}

static void mend_tar(GByteArray *bytes)
{
    for (size_t at = 0; at + 512 <= bytes->len;) {
        uint8_t *head = bytes->data + at;
        unsigned sum = 0;
        if (memcmp(head + 257, "ustar", 5)) {
            at += 512;
            continue;
        }
        memset(head + 148, ' ', 8);
        for (size_t i = 0; i < 512; i++)
            sum += head[i];
        g_snprintf((char *)head + 148, 8, "%06o", sum);
        at += 512;
    }
}

static void add_tar(Inputs *inputs)
{
    static const uint8_t end[1024];
    g_autoptr(GByteArray) tar = g_byte_array_new();
    put_member(tar, "d/", '5', "", "");
    put_member(tar, "d/file", '0', "", "what it says");
    put_member(tar, "d/link", '2', "file", "");
    put_member(tar, "d/hard", '1', "d/file", "");
    put_member(tar, "pax", 'x', "",
               "30 mtime=1700000000.123456789\n22 path=d/longer-name\n31 SCHILY.xattr.user.a=a value\n");
    put_member(tar, "x", '0', "", "x");
    put_member(tar, "dev", '3', "", "");
    put_member(tar, "fifo", '6', "", "");
    put_member(tar, "././@LongLink", 'L', "", "a/name/that/is/long");
    put_member(tar, "y", '0', "", "y");
    rw_put_bytes(tar, end, sizeof end);
    mend_tar(tar);
    g_ptr_array_add(inputs->inputs, g_bytes_new(tar->data, tar->len));
}

static bool read_tar(const uint8_t *bytes, size_t length)
{
    g_autofree char *path = g_build_filename(scratch_dir(), "root.tar", NULL);
    put_text(scratch_dir(), "root.tar", (const char *)bytes, length);
    return prepare(path);
}

// ---- What an agent answers, in records of any size ----

static bool take_frame(unsigned type, const uint8_t *payload, size_t length, void *data, GError **error)
{
    return rw_inspect_list_add(type, payload, length, data, error);
}

static bool read_reply(const uint8_t *bytes, size_t length)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) entries = g_ptr_array_new_with_free_func((GDestroyNotify)rw_inspect_entry_free);
    RwInspectList list = {.entries = entries};
    RwReply reply = {.what = "it", .wrong_kind = "not a file", .frame = take_frame, .data = &list};
    g_autofree uint8_t *copy = g_memdup2(bytes, length); // of exactly its size, for sanitizers
    if (!rw_reply_take(copy, length, &reply, &error)) {
        g_assert_true(error && error->domain == RW_ERROR);
        return false;
    }
    for (guint i = 0; i < entries->len; i++)
        g_assert_cmpint(rw_inspect_entry_type(entries->pdata[i]), !=, 0);
    return reply.ended;
}

static void put_frame(GByteArray *out, unsigned type, const void *payload, size_t length)
{
    rw_put_u16(out, (uint16_t)type);
    rw_put_u16(out, 0);
    rw_put_u32(out, (uint32_t)length);
    rw_put_bytes(out, payload, length);
}

static void add_reply(Inputs *inputs)
{
    g_autoptr(GByteArray) out = g_byte_array_new();
    for (guint i = 0; i < 3; i++) {
        g_autoptr(GByteArray) entry = g_byte_array_new();
        struct rewind_agent_entry head = {
            .mode = i ? S_IFREG | 0644 : S_IFLNK | 0777, .size = 7, .nlink = 1};
        rw_put_bytes(entry, &head, sizeof head);
        rw_put_string(entry, i ? "file" : "link");
        rw_put_string(entry, i ? "" : "target");
        put_frame(out, REWIND_AGENT_ENTRY, entry->data, entry->len);
    }
    put_frame(out, REWIND_AGENT_DATA, "bytes", 5);
    put_frame(out, REWIND_AGENT_END, "", 0);
    g_ptr_array_add(inputs->inputs, g_bytes_new(out->data, out->len));
}

void add_own_inputs(const Target *target, Inputs *inputs)
{
    if (!strcmp(target->name, "oci-json"))
        add_oci(inputs);
    else if (!strcmp(target->name, "tar"))
        add_tar(inputs);
    else if (!strcmp(target->name, "reply"))
        add_reply(inputs);
    else if (!strcmp(target->name, "gdb"))
        add_gdb_inputs(inputs);
    else if (!strcmp(target->name, "condition"))
        add_condition_inputs(inputs);
    else if (!strcmp(target->name, "kernel"))
        add_kernel(inputs);
}

const Target more_targets[] = {
    {"manifest-json", read_manifest, NULL, vary_manifest},
    {"bookmarks-json", read_bookmarks, NULL, vary},
    {"index-json", read_index, NULL, vary},
    {"oci-json", read_oci, NULL, vary_oci},
    {"tar", read_tar, mend_tar, NULL},
    {"reply", read_reply, NULL, NULL},
    {NULL, NULL, NULL, NULL},
};
