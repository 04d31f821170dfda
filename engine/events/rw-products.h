// SPDX-License-Identifier: MIT
//
// What became of the outputs that a job declared, as the guest told after the job's end.
#pragma once

#include "rw-machine.h"

#include <stdbool.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef struct {
    char *path; // absolute
    uint32_t state; // enum rewind_product_state
    uint8_t sha256[RW_SHA256_SIZE]; // of its serialisation as a Nix archive; zeros unless it is present
} RwProduct;

// "absent", "present", "unreadable"
const char *rw_product_state_name(uint32_t state);

// Of a REWIND_RECORD_PRODUCT; NULL when it is damaged.
RwProduct *rw_product_from_record(const uint8_t *payload, size_t length);
void rw_product_free(RwProduct *product);
// "<64 hex digits>", or the name of its state.
char *rw_product_dup_text(const RwProduct *product);

GPtrArray *rw_products_new(void); // of RwProduct*, owned
JsonArray *rw_products_to_json(const GPtrArray *products);
// Adds to `products`; trusts nothing. A node that is NULL or null has none.
bool rw_products_from_json(JsonNode *node, GPtrArray *products);
// The hash over all of them that RwEnd has.
void rw_products_digest(const GPtrArray *products, uint8_t ret_digest[RW_SHA256_SIZE]);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwProduct, rw_product_free)

G_END_DECLS
