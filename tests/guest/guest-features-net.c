// SPDX-License-Identifier: MIT
// Network devices, which namespaces are joined with.
#include "guest-features.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

struct request {
    struct nlmsghdr header;
    struct ifinfomsg info;
    char attributes[128];
};

static struct rtattr *add(struct request *request, unsigned short type, const char *text)
{
    struct rtattr *attribute = (struct rtattr *)((char *)request + NLMSG_ALIGN(request->header.nlmsg_len));
    size_t length = text ? strlen(text) + 1 : 0;
    attribute->rta_type = type;
    attribute->rta_len = (unsigned short)RTA_LENGTH(length);
    if (text)
        memcpy(RTA_DATA(attribute), text, length);
    request->header.nlmsg_len = NLMSG_ALIGN(request->header.nlmsg_len) + RTA_ALIGN(attribute->rta_len);
    return attribute;
}

// What "ip link add NAME type KIND" sends.
static const char *add_link(int netlink, const char *name, const char *kind)
{
    struct request request = {
        .header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)),
                   .nlmsg_type = RTM_NEWLINK,
                   .nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK},
    };
    struct {
        struct nlmsghdr header;
        struct nlmsgerr error;
        char rest[512];
    } reply;
    add(&request, IFLA_IFNAME, name);
    struct rtattr *info = add(&request, IFLA_LINKINFO, NULL);
    add(&request, IFLA_INFO_KIND, kind);
    info->rta_len = (unsigned short)((char *)&request + request.header.nlmsg_len - (char *)info);
    MUST(send(netlink, &request, request.header.nlmsg_len, 0) > 0);
    MUST(recv(netlink, &reply, sizeof reply, 0) > 0);
    errno = -reply.error.error;
    MUST(reply.header.nlmsg_type == NLMSG_ERROR && !reply.error.error);
    MUST(if_nametoindex(name) > 0);
    return NULL;
}

const char *feature_links(void)
{
    static const char *const kinds[] = {"dummy", "bridge", "veth"};
    int netlink = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    const char *failed = NULL;
    MUST(netlink >= 0);
    MUST(!if_nametoindex("dummy0")); // none is there that nobody asked for
    for (unsigned i = 0; i < 3 && !failed; i++) {
        char name[16];
        snprintf(name, sizeof name, "my%s", kinds[i]);
        failed = add_link(netlink, name, kinds[i]);
    }
    return failed;
}

const char *feature_tun(void)
{
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
    int fd = open("/dev/net/tun", O_RDWR);
    MUST(fd >= 0);
    strcpy(request.ifr_name, "tap7");
    MUST(!ioctl(fd, TUNSETIFF, &request));
    MUST(if_nametoindex("tap7") > 0);
    return NULL;
}

// A frame on loopback is seen by the socket that sent it.
const char *feature_packet(void)
{
    char frame[64] = {0}, in[64];
    int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
    MUST(fd >= 0);
    struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
    to.sll_ifindex = (int)if_nametoindex("lo");
    MUST(!bind(fd, (struct sockaddr *)&to, sizeof to));
    memcpy(frame + 12, "\x88\xb5probe", 7);
    MUST(send(fd, frame, sizeof frame, 0) == sizeof frame);
    MUST(recv(fd, in, sizeof in, 0) == sizeof in && !memcmp(in, frame, sizeof in));
    return NULL;
}
