// SPDX-License-Identifier: MIT
#include "rwd-index-private.h"

#include "rw-json.h"

enum { ALWAYS = 1, REPLAYABLE = 2, PERHAPS = 4 };

static const struct {
    const char *name;
    unsigned when;
    uint64_t max; // bytes
} kinds[RWD_MEMBERS] = {
    [RWD_MANIFEST] = {"manifest.json", ALWAYS, 64ull << 20},
    [RWD_TRACE] = {"trace", ALWAYS, 64ull << 30},
    [RWD_BOOKMARKS] = {"bookmarks.json", PERHAPS, 64ull << 20},
    [RWD_SIDES] = {"sides.json", PERHAPS, 1ull << 20},
    [RWD_VMLINUX] = {"guest/vmlinux", REPLAYABLE, 512ull << 20},
    [RWD_INITRD] = {"guest/initrd.cpio", REPLAYABLE, 512ull << 20},
    [RWD_CMDLINE] = {"guest/cmdline", REPLAYABLE, 64ull << 10},
    [RWD_IMAGE] = {"image.erofs", REPLAYABLE, 64ull << 30},
    [RWD_STDIN] = {"stdin", REPLAYABLE | PERHAPS, 64ull << 30},
    [RWD_KEYFRAMES] = {"keyframes", REPLAYABLE | PERHAPS, 4ull << 30},
    [RWD_PAGES] = {"pages", REPLAYABLE | PERHAPS, 64ull << 30},
};

const char *rwd_member_name(RwdMember member)
{
    return kinds[member].name;
}

RwdMember rwd_index_next(const RwdIndex *index, int member)
{
    for (member++; member < RWD_MEMBERS && !index->members[member].present; member++)
        ;
    return (RwdMember)member;
}

uint64_t rwd_index_size(const RwdIndex *index)
{
    uint64_t size = 0;
    for (int i = 0; i < RWD_MEMBERS; i++)
        size += index->members[i].present ? index->members[i].size : 0;
    return size;
}

// ---- Writing ----

char *rwd_index_dup_text(const RwdIndex *index)
{
    JsonObject *object = json_object_new();
    JsonArray *members = json_array_new();
    for (RwdMember i = rwd_index_next(index, -1); i < RWD_MEMBERS; i = rwd_index_next(index, (int)i)) {
        JsonObject *member = json_object_new();
        json_object_set_string_member(member, "name", kinds[i].name);
        rw_json_set_u64(member, "size", index->members[i].size);
        json_object_set_string_member(member, "sha256", index->members[i].sha256);
        json_array_add_object_element(members, member);
    }
    json_object_set_string_member(object, "format", RWD_FORMAT);
    json_object_set_int_member(object, "version",
                               index->members[RWD_STDIN].present ? RWD_VERSION : RWD_VERSION - 1);
    json_object_set_string_member(object, "id", index->id);
    json_object_set_boolean_member(object, "replayable", index->replayable);
    json_object_set_array_member(object, "members", members);
    g_autoptr(JsonNode) root = json_node_new(JSON_NODE_OBJECT);
    json_node_take_object(root, object);
    g_autofree char *text = json_to_string(root, true);
    return g_strconcat(text, "\n", NULL);
}

// ---- Reading ----

static bool damaged(const char *why, GError **error)
{
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, RWD_INDEX_NAME " is damaged: %s", why);
    return false;
}

static bool read_head(RwJsonReader *reader, RwdIndex *ret, GError **error)
{
    g_autofree char *format = rw_json_dup_string(reader, "format");
    gint64 version = rw_json_int(reader, "version", 1, INT64_MAX);
    if (reader->failed || strcmp(format, RWD_FORMAT))
        return damaged("it is not an exported run's", error);
    if (version > RWD_VERSION) {
        g_set_error(error, RW_ERROR, RW_ERROR_NEWER,
                    "format version %" G_GINT64_FORMAT
                    " is newer than this rewind knows (%d): use the rewind that made it",
                    version, RWD_VERSION);
        return false;
    }
    g_autofree char *id = rw_json_dup_string(reader, "id");
    ret->replayable = rw_json_bool(reader, "replayable");
    if (reader->failed || !rw_is_hex(id, RW_ID_LENGTH))
        return damaged("no valid id", error);
    memcpy(ret->id, id, sizeof ret->id);
    return true;
}

// Members come in their order, so each at most once. *last is the one before.
static bool read_member(JsonNode *node, RwdIndex *ret, int *last, GError **error)
{
    RwJsonReader reader = {JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL, NULL};
    if (!reader.object)
        return damaged("a member is no object", error);
    g_autofree char *name = rw_json_dup_string(&reader, "name");
    g_autofree char *sha256 = rw_json_dup_string(&reader, "sha256");
    uint64_t size = rw_json_u64(&reader, "size");
    int i = *last + 1;
    while (i < RWD_MEMBERS && strcmp(kinds[i].name, name))
        i++;
    if (reader.failed || i == RWD_MEMBERS || !rw_is_hex(sha256, RW_SHA256_HEX_SIZE - 1))
        return damaged("a member has no known name, or is out of order", error);
    if (size > kinds[i].max || (!ret->replayable && kinds[i].when & REPLAYABLE))
        return damaged("a member is too large, or should not be there", error);
    ret->members[i] = (RwdEntry){true, size, ""};
    memcpy(ret->members[i].sha256, sha256, RW_SHA256_HEX_SIZE);
    *last = i;
    return true;
}

static bool check_complete(const RwdIndex *index, GError **error)
{
    for (int i = 0; i < RWD_MEMBERS; i++)
        if (!index->members[i].present && !(kinds[i].when & PERHAPS) &&
            (kinds[i].when & ALWAYS || index->replayable))
            return damaged("a member is missing", error);
    if (index->members[RWD_KEYFRAMES].present == index->members[RWD_PAGES].present)
        return true;
    return damaged("keyframes without pages, or pages without keyframes", error);
}

static bool read_object(JsonObject *object, RwdIndex *ret, GError **error)
{
    RwJsonReader reader = {object, NULL};
    *ret = (RwdIndex){0};
    int last = -1;
    if (!read_head(&reader, ret, error))
        return false;
    JsonNode *node = json_object_get_member(object, "members");
    JsonArray *members = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
    if (!members)
        return damaged("no members", error);
    for (guint i = 0; i < json_array_get_length(members); i++)
        if (!read_member(json_array_get_element(members, i), ret, &last, error))
            return false;
    return check_complete(ret, error);
}

bool rwd_index_parse(const char *text, size_t length, RwdIndex *ret, GError **error)
{
    g_autoptr(JsonParser) parser = json_parser_new_immutable();
    if (!rw_json_check(text, length) || !json_parser_load_from_data(parser, text, (gssize)length, NULL))
        return damaged("not JSON", error);
    JsonNode *root = json_parser_get_root(parser);
    if (!root || !JSON_NODE_HOLDS_OBJECT(root))
        return damaged("not an object", error);
    return read_object(json_node_get_object(root), ret, error);
}
