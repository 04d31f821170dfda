// SPDX-License-Identifier: MIT
//
// Images of layers: OCI layouts (https://github.com/opencontainers/image-spec/blob/main/image-layout.md)
// and what `docker save` writes. Messages don't name the source: the caller does.
#pragma once

#include "blobs-private.h"
#include "rw-image.h"

#define RW_LAYERS_MAX 4096u

typedef struct {
    char *path; // among the blobs
    char digest[RW_SHA256_HEX_SIZE]; // of the blob; "" when nothing says
    char diff_id[RW_SHA256_HEX_SIZE]; // of the tarball in it
} RwLayer;

typedef struct {
    GArray *layers; // of RwLayer, the lowest first
    RwImageDefaults *defaults;
    char key[RW_SHA256_HEX_SIZE]; // what the image is a function of: the hash of its manifest; "" unknown
} RwLayers;

void rw_layers_free(RwLayers *layers);

// Whether it is an image of layers at all.
bool rw_layers_is_oci(RwBlobs *blobs);
bool rw_layers_is_docker(RwBlobs *blobs);
// Its one image for linux/amd64.
RwLayers *rw_layers_read_oci(RwBlobs *blobs, GError **error);
RwLayers *rw_layers_read_docker(RwBlobs *blobs, GError **error);

// Puts the layers on top of each other into the tree, and checks their hashes.
bool rw_layers_apply(const RwLayers *layers, RwBlobs *blobs, RwTree *tree, RwSpool *spool,
                     const RwImageLimits *limits, RwWork *work, GError **error);

// ---- What both kinds share ----

// "sha256:<64 hex digits>"; other algorithms are UNSUPPORTED.
bool rw_digest_parse(const char *digest, char ret_hex[RW_SHA256_HEX_SIZE], GError **error);
// The config that says what the image is for. `paths` has one per layer; their digests are set by the
// caller.
RwLayers *rw_layers_from_config(GBytes *config, char *const *paths, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwLayers, rw_layers_free)
