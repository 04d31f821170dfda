// SPDX-License-Identifier: MIT
#include "fixture.h"

#include <string.h>

Fixture *fixture_new(void)
{
    Fixture *fixture = g_new(Fixture, 1);
    fixture->top = g_dir_make_tmp("rw-image-XXXXXX", NULL);
    g_assert_nonnull(fixture->top);
    fixture->images = g_build_filename(fixture->top, "home", "images", NULL);
    fixture->tar = g_build_filename(fixture->top, "root.tar", NULL);
    return fixture;
}

void fixture_free(Fixture *fixture)
{
    g_autoptr(GError) error = NULL;
    rw_remove_tree(fixture->top, &error);
    g_assert_no_error(error);
    g_free(fixture->top);
    g_free(fixture->images);
    g_free(fixture->tar);
    g_free(fixture);
}

static void add_acl(struct archive_entry *entry)
{
    const int type = ARCHIVE_ENTRY_ACL_TYPE_ACCESS, r = ARCHIVE_ENTRY_ACL_READ, w = ARCHIVE_ENTRY_ACL_WRITE;
    archive_entry_acl_add_entry(entry, type, r | w, ARCHIVE_ENTRY_ACL_USER_OBJ, -1, "");
    archive_entry_acl_add_entry(entry, type, r | w, ARCHIVE_ENTRY_ACL_USER, 7, "seven");
    archive_entry_acl_add_entry(entry, type, r | w, ARCHIVE_ENTRY_ACL_GROUP_OBJ, -1, "");
    archive_entry_acl_add_entry(entry, type, r, ARCHIVE_ENTRY_ACL_MASK, -1, "");
    archive_entry_acl_add_entry(entry, type, 0, ARCHIVE_ENTRY_ACL_OTHER, -1, "");
}

static void fill_entry(struct archive_entry *entry, const Member *member)
{
    archive_entry_copy_pathname(entry, member->name);
    archive_entry_set_mode(entry, member->mode);
    archive_entry_set_uid(entry, member->uid);
    archive_entry_set_gid(entry, member->gid);
    archive_entry_set_mtime(entry, member->mtime, member->nsec);
    archive_entry_set_rdevmajor(entry, member->major);
    archive_entry_set_rdevminor(entry, member->minor);
    if (S_ISLNK(member->mode))
        archive_entry_copy_symlink(entry, member->data);
    else if (member->hard_link)
        archive_entry_copy_hardlink(entry, member->hard_link);
    else if (S_ISREG(member->mode))
        archive_entry_set_size(entry, member->sparse ? (int64_t)member->sparse
                                                     : (int64_t)(member->data ? strlen(member->data) : 0));
    if (member->sparse)
        archive_entry_sparse_add_entry(entry, (int64_t)(member->sparse - strlen(member->data)),
                                       (int64_t)strlen(member->data));
    if (member->xattr)
        archive_entry_xattr_add_entry(entry, member->xattr, member->value,
                                      member->value_len ? member->value_len : strlen(member->value));
    if (member->acl)
        add_acl(entry);
}

// libarchive wants the bytes of a hole, too, and leaves them out.
static void write_sparse(struct archive *out, const Member *member)
{
    static const char zeros[65536];
    uint64_t hole = member->sparse - strlen(member->data);
    while (hole) {
        size_t n = MIN(hole, sizeof zeros);
        g_assert_cmpint(archive_write_data(out, zeros, n), ==, n);
        hole -= n;
    }
}

static void write_member(struct archive *out, const Member *member)
{
    struct archive_entry *entry = archive_entry_new();
    fill_entry(entry, member);
    g_assert_cmpint(archive_write_header(out, entry), >=, ARCHIVE_WARN);
    if (member->sparse)
        write_sparse(out, member);
    if (S_ISREG(member->mode) && member->data && !member->hard_link)
        g_assert_cmpint(archive_write_data(out, member->data, strlen(member->data)), ==,
                        strlen(member->data));
    archive_entry_free(entry);
}

void write_tar(const char *path, const Member *members, guint n, const guint *order, int filter)
{
    struct archive *out = archive_write_new();
    g_assert_cmpint(archive_write_set_format_pax(out), ==, ARCHIVE_OK);
    g_assert_cmpint(archive_write_add_filter(out, filter), ==, ARCHIVE_OK);
    // Names as bytes.
    g_assert_cmpint(archive_write_set_options(out, "hdrcharset=BINARY"), ==, ARCHIVE_OK);
    g_assert_cmpint(archive_write_open_filename(out, path), ==, ARCHIVE_OK);
    for (guint i = 0; i < n; i++)
        write_member(out, &members[order ? order[i] : i]);
    g_assert_cmpint(archive_write_close(out), ==, ARCHIVE_OK);
    archive_write_free(out);
}

RwImage *prepare(Fixture *fixture, const char *root)
{
    g_autoptr(GError) error = NULL;
    RwImage *image = rw_image_prepare(root, fixture->images, NULL, NULL, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_nonnull(image);
    g_assert_cmpuint(count_files(fixture->images, "tmp-"), ==, 0);
    return image;
}

void prepare_fails(Fixture *fixture, const char *root, const RwImageLimits *limits, RwError code,
                   const char *text)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(rw_image_prepare(root, fixture->images, limits, NULL, NULL, NULL, &error));
    g_assert_error(error, RW_ERROR, (int)code);
    g_test_message("%s", error->message);
    g_assert_null(strchr(error->message, '\n'));
    if (!strstr(error->message, text))
        g_error("\"%s\" does not say \"%s\"", error->message, text);
    g_assert_cmpuint(count_files(fixture->images, ""), ==, 0);
}

char *dup_read_image(const RwImage *image, gsize *ret_len)
{
    char *data;
    g_assert_true(g_file_get_contents(image->path, &data, ret_len, NULL));
    return data;
}

guint count_files(const char *dir, const char *prefix)
{
    g_autoptr(GDir) names = g_dir_open(dir, 0, NULL);
    const char *name;
    guint n = 0;
    while (names && (name = g_dir_read_name(names)))
        n += g_str_has_prefix(name, prefix);
    return n;
}

void put_file(const char *path, const void *data, size_t len)
{
    g_assert_true(g_file_set_contents(path, data, (gssize)len, NULL));
}
