// SPDX-License-Identifier: MIT
//
// `prepare-image ROOT FOLDER` prints the path of the root's image, which it makes in the folder.
#include "rw-image.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwImage) image = NULL;
    if (argc == 3)
        image = rw_image_prepare(argv[1], argv[2], NULL, NULL, NULL, NULL, &error);
    if (image)
        printf("%s\n", image->path);
    else
        fprintf(stderr, "prepare-image: %s\n", error ? error->message : "usage: prepare-image ROOT FOLDER");
    return image ? 0 : 1;
}
