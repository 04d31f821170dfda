// SPDX-License-Identifier: MIT
// Images of the host's in a conversation: files of a FUSE file system that the agent serves by asking the
// machine for their bytes, and on them loop devices with erofs. What is read comes as it is read; the
// machine's memory and its devices are as they were.
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "init.h"
#include "shell.h"
#include "with.h"

enum { BLOCK = 4096, FIRST_NODE = 2 }; // the root is FUSE's node 1

static rw_u64 asked; // the request that waits for bytes

// ---- Answers ----

static void answer(const struct shell *shell, rw_u64 unique, const void *bytes, size_t length)
{
    static char reply[sizeof(struct fuse_out_header) + REWIND_AGENT_READ_MAX];
    struct fuse_out_header head = {.len = sizeof(head) + length, .unique = unique};

    memcpy(reply, &head, sizeof(head));
    memcpy(reply + sizeof(head), bytes, length);
    // The reader of one that was interrupted does not wait any more.
    if (write(shell->fuse, reply, head.len) < 0 && errno != ENOENT)
        _exit(1);
}

static void refuse(const struct shell *shell, rw_u64 unique, int error)
{
    struct fuse_out_header head = {.len = sizeof(head), .error = -error, .unique = unique};

    if (write(shell->fuse, &head, sizeof(head)) < 0 && errno != ENOENT)
        _exit(1);
}

// ---- Nodes: a directory, and in it 0, 1, … ----

static rw_u64 size_of(const struct shell *shell, rw_u64 node)
{
    return node >= FIRST_NODE && node < FIRST_NODE + REWIND_AGENT_IMAGES_MAX
               ? shell->what.image_size[node - FIRST_NODE]
               : 0;
}

static void describe(const struct shell *shell, rw_u64 node, struct fuse_attr *ret)
{
    *ret = (struct fuse_attr){
        .ino = node,
        .size = size_of(shell, node),
        .mode = node == FUSE_ROOT_ID ? S_IFDIR | 0500 : S_IFREG | 0400,
        .nlink = 1,
        .blksize = BLOCK,
    };
}

static void look_up(const struct shell *shell, const struct fuse_in_header *head, const char *name)
{
    struct fuse_entry_out entry = {
        .nodeid = FIRST_NODE + (*name - '0'), .entry_valid = 1u << 30, .attr_valid = 1u << 30};

    if (*name < '0' || name[1] || !size_of(shell, entry.nodeid)) {
        refuse(shell, head->unique, ENOENT);
        return;
    }
    describe(shell, entry.nodeid, &entry.attr);
    answer(shell, head->unique, &entry, sizeof(entry));
}

static void get_attributes(const struct shell *shell, const struct fuse_in_header *head)
{
    struct fuse_attr_out attr = {.attr_valid = 1u << 30};

    describe(shell, head->nodeid, &attr.attr);
    answer(shell, head->unique, &attr, sizeof(attr));
}

static void begin(const struct shell *shell, const struct fuse_in_header *head,
                  const struct fuse_init_in *in)
{
    struct fuse_init_out out = {
        .major = FUSE_KERNEL_VERSION,
        .minor = FUSE_KERNEL_MINOR_VERSION,
        .max_readahead = in->max_readahead,
        .max_write = BLOCK,
        .time_gran = 1,
    };

    answer(shell, head->unique, &out, sizeof(out));
}

static void ask(struct shell *shell, const struct fuse_in_header *head, const struct fuse_read_in *in)
{
    struct rewind_agent_read read = {.image = head->nodeid - FIRST_NODE, .offset = in->offset};
    rw_u64 size = size_of(shell, head->nodeid), left = in->offset < size ? size - in->offset : 0;

    read.size = in->size < REWIND_AGENT_READ_MAX ? in->size : REWIND_AGENT_READ_MAX;
    if (read.size > left)
        read.size = left;
    if (!read.size) {
        answer(shell, head->unique, "", 0);
        return;
    }
    asked = head->unique;
    shell->reading = true;
    memcpy(agent_frame(REWIND_AGENT_READ, sizeof(read)), &read, sizeof(read));
}

void images_take(struct shell *shell, const char *bytes, size_t length)
{
    if (!shell->reading)
        return;
    shell->reading = false;
    if (length <= REWIND_AGENT_READ_MAX)
        answer(shell, asked, bytes, length);
    else
        refuse(shell, asked, EIO);
}

void images_serve(struct shell *shell)
{
    static struct {
        struct fuse_in_header head;
        char rest[FUSE_MIN_READ_BUFFER];
    } in;
    ssize_t length = read(shell->fuse, &in, sizeof(in));
    struct fuse_open_out opened = {.open_flags = FOPEN_KEEP_CACHE};

    if (length < (ssize_t)sizeof(in.head))
        return;
    switch (in.head.opcode) {
    case FUSE_INIT:
        begin(shell, &in.head, (const void *)in.rest);
        break;
    case FUSE_LOOKUP:
        look_up(shell, &in.head, in.rest);
        break;
    case FUSE_GETATTR:
        get_attributes(shell, &in.head);
        break;
    case FUSE_OPEN:
        answer(shell, in.head.unique, &opened, sizeof(opened));
        break;
    case FUSE_READ:
        ask(shell, &in.head, (const void *)in.rest);
        break;
    case FUSE_FLUSH:
    case FUSE_RELEASE:
        answer(shell, in.head.unique, "", 0);
        break;
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
        break;
    default:
        refuse(shell, in.head.unique, ENOSYS);
    }
}

// ---- The file system, by the agent ----

static bool set(int context, const char *name, unsigned value, const char *format)
{
    char text[32];

    snprintf(text, sizeof(text), format, value);
    return !fsconfig(context, FSCONFIG_SET_STRING, name, text, 0);
}

int images_open(struct shell *shell)
{
    if (!shell->what.image_size[0])
        return 0;
    make_node("/fuse", 0600, 10, 229);
    shell->fuse = open("/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    int context = fsopen("fuse", FSOPEN_CLOEXEC);

    if (shell->fuse < 0 || context < 0 || !set(context, "fd", shell->fuse, "%u") ||
        !set(context, "rootmode", S_IFDIR, "%o") || !set(context, "user_id", 0, "%u") ||
        !set(context, "group_id", 0, "%u") || !set(context, "max_read", REWIND_AGENT_READ_MAX, "%u") ||
        fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
        return errno;
    shell->files = fsmount(context, FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID);
    close(context);
    return shell->files < 0 ? errno : 0;
}

// ---- Mounting what is in them, by the process: the agent serves meanwhile ----

static int open_loop(const char *dir, int number)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/loop%d", dir, number);
    if (mknod(path, S_IFBLK | 0600, makedev(7, number)) && errno != EEXIST)
        return -1;
    return open(path, O_RDONLY | O_CLOEXEC);
}

// A loop device on an image's file. The device goes with its last user.
static int attach(const struct shell *shell, const char *dir, unsigned image)
{
    char path[128];
    struct loop_config config = {.block_size = BLOCK};
    int loop = -1, number, error = 0;

    snprintf(path, sizeof(path), "%s/control", dir);
    if (mknod(path, S_IFCHR | 0600, makedev(10, 237)) && errno != EEXIST)
        return -errno;
    int control = open(path, O_RDWR | O_CLOEXEC);

    snprintf(path, sizeof(path), "%u", image);
    config.fd = openat(shell->files, path, O_RDONLY | O_CLOEXEC);
    config.info.lo_flags = LO_FLAGS_READ_ONLY | LO_FLAGS_AUTOCLEAR;
    number = ioctl(control, LOOP_CTL_GET_FREE);
    loop = number < 0 ? -1 : open_loop(dir, number);
    if ((int)config.fd < 0 || loop < 0 || ioctl(loop, LOOP_CONFIGURE, &config))
        error = errno;
    close(control);
    close(config.fd);
    if (!error)
        return number; // stays open: it is this process's until exec, and the mount's
    close(loop);
    return -error;
}

static int mount_image(const struct shell *shell, const char *dir, const char *root, unsigned image)
{
    char device[128];
    int number = attach(shell, dir, image);

    if (number < 0)
        return -number;
    snprintf(device, sizeof(device), "%s/loop%d", dir, number);
    return mkdir(root, 0755) || mount(device, root, "erofs", MS_RDONLY, NULL) ? errno : 0;
}

int images_mount(const struct shell *shell, const char *dir)
{
    char own[64], root[64];
    int error;

    snprintf(own, sizeof(own), "%s/.images", dir);
    if (mkdir(own, 0700))
        return errno;
    for (unsigned i = 0; i < REWIND_AGENT_IMAGES_MAX && shell->what.image_size[i]; i++) {
        with_root(dir, i, root);
        if ((error = mount_image(shell, own, root, i)))
            return error;
    }
    return 0;
}
