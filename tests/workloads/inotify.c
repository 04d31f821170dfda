// SPDX-License-Identifier: MIT
//
// What inotify reports of files that come, change and go.

#include "w.h"

#include <sys/inotify.h>
#include <sys/stat.h>

static void touch(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

int main(void)
{
    CHECK(mkdir("/tmp/watched", 0755) == 0);
    int watcher = inotify_init1(IN_NONBLOCK);
    CHECK(watcher >= 0 && inotify_add_watch(watcher, "/tmp/watched", IN_ALL_EVENTS) == 1);
    touch("/tmp/watched/a", "one");
    touch("/tmp/watched/a", "two");
    CHECK(rename("/tmp/watched/a", "/tmp/watched/b") == 0 && chmod("/tmp/watched/b", 0600) == 0);
    CHECK(mkdir("/tmp/watched/folder", 0700) == 0 && rmdir("/tmp/watched/folder") == 0);
    CHECK(symlink("b", "/tmp/watched/link") == 0 && unlink("/tmp/watched/link") == 0);
    CHECK(unlink("/tmp/watched/b") == 0 && rmdir("/tmp/watched") == 0);

    _Alignas(struct inotify_event) char buffer[8192];
    ssize_t count = read(watcher, buffer, sizeof buffer);
    uint32_t first_cookie = 0;
    for (char *at = buffer; at < buffer + count;) {
        struct inotify_event *event = (struct inotify_event *)at;
        if (event->cookie != 0 && first_cookie == 0)
            first_cookie = event->cookie;
        printf("%08x cookie %d %s\n", event->mask, event->cookie != 0 && event->cookie == first_cookie,
               event->len > 0 ? event->name : "");
        at += sizeof *event + event->len;
    }
    return 0;
}
