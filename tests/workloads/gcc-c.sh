# SPDX-License-Identifier: MIT
# A C program compiled at three levels, the bytes of its assembly, and its run.
set -e
cd /tmp
cat >p.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *left, *right; int key; double weight; };
static struct node *insert(struct node *n, int key)
{
    if (!n) { n = calloc(1, sizeof *n); n->key = key; n->weight = key / 3.0; return n; }
    struct node **next = key < n->key ? &n->left : &n->right;
    *next = insert(*next, key);
    return n;
}
static double sum(const struct node *n) { return n ? sum(n->left) + n->weight + sum(n->right) : 0; }
static int depth(const struct node *n)
{
    if (!n) return 0;
    int l = depth(n->left), r = depth(n->right);
    return 1 + (l > r ? l : r);
}
int main(void)
{
    struct node *root = NULL;
    unsigned x = 1;
    for (int i = 0; i < 5000; i++) { x = x * 1664525u + 1013904223u; root = insert(root, x >> 8); }
    char text[64];
    snprintf(text, sizeof text, "%.10g", sum(root));
    printf("depth %d sum %s len %zu\n", depth(root), text, strlen(text));
    return 0;
}
END
for level in -O0 -O2 -O3; do
    gcc $level -S -o p.s p.c && sha256sum <p.s
    gcc $level -o p p.c && ./p
done
gcc -O2 -c p.c && objdump -d p.o | tail -n +4 | sha256sum && size p.o
