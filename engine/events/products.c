// SPDX-License-Identifier: MIT
#include "rw-products.h"

#include "rw-base.h"
#include "rw-json.h"

static const char *const state_names[] = {
    [REWIND_PRODUCT_ABSENT] = "absent",
    [REWIND_PRODUCT_PRESENT] = "present",
    [REWIND_PRODUCT_UNREADABLE] = "unreadable",
};

const char *rw_product_state_name(uint32_t state)
{
    return state < G_N_ELEMENTS(state_names) ? state_names[state] : "unknown";
}

GPtrArray *rw_products_new(void)
{
    return g_ptr_array_new_with_free_func((GDestroyNotify)rw_product_free);
}

void rw_product_free(RwProduct *product)
{
    if (!product)
        return;
    g_free(product->path);
    g_free(product);
}

RwProduct *rw_product_from_record(const uint8_t *payload, size_t length)
{
    struct rewind_product head;
    RwReader reader = RW_READER_INIT(payload, length);
    rw_reader_skip(&reader, sizeof head);
    const char *path = rw_reader_string(&reader);
    if (reader.failed || !rw_copy_out(payload, length, 0, &head, sizeof head) ||
        head.state >= G_N_ELEMENTS(state_names))
        return NULL;
    RwProduct *product = g_new0(RwProduct, 1);
    product->path = g_strdup(path);
    product->state = head.state;
    memcpy(product->sha256, head.sha256, sizeof product->sha256);
    return product;
}

char *rw_product_dup_text(const RwProduct *product)
{
    char hex[RW_SHA256_HEX_SIZE];
    rw_hex_from_digest(product->sha256, hex);
    return g_strdup(product->state == REWIND_PRODUCT_PRESENT ? hex : rw_product_state_name(product->state));
}

void rw_products_digest(const GPtrArray *products, uint8_t ret_digest[RW_SHA256_SIZE])
{
    memset(ret_digest, 0, RW_SHA256_SIZE);
    for (guint i = 0; i < products->len; i++) {
        const RwProduct *product = products->pdata[i];
        rw_end_add_output(ret_digest, product->path, product->state, product->sha256);
    }
}

// ---- JSON ----

JsonArray *rw_products_to_json(const GPtrArray *products)
{
    JsonArray *array = json_array_new();
    for (guint i = 0; i < products->len; i++) {
        const RwProduct *product = products->pdata[i];
        g_autofree char *text = rw_product_dup_text(product);
        JsonObject *object = json_object_new();
        rw_json_set_string(object, "path", product->path);
        json_object_set_string_member(object, "state", rw_product_state_name(product->state));
        rw_json_set_string(object, "sha256", product->state == REWIND_PRODUCT_PRESENT ? text : NULL);
        json_array_add_object_element(array, object);
    }
    return array;
}

static void read_state(RwJsonReader *reader, RwProduct *product)
{
    g_autofree char *name = rw_json_dup_string(reader, "state");
    for (uint32_t state = 0; state < G_N_ELEMENTS(state_names); state++) {
        if (strcmp(name, state_names[state]))
            continue;
        product->state = state;
        return;
    }
    if (!reader->failed)
        reader->failed = "state";
}

static void read_hash(RwJsonReader *reader, RwProduct *product)
{
    g_autofree char *hex = rw_json_dup_string(reader, "sha256");
    if (!rw_digest_from_hex(hex, product->sha256) && !reader->failed)
        reader->failed = "sha256";
}

static bool read_product(JsonObject *object, RwProduct *product)
{
    RwJsonReader reader = {object, NULL};
    product->path = rw_json_dup_string(&reader, "path");
    read_state(&reader, product);
    if (product->state == REWIND_PRODUCT_PRESENT)
        read_hash(&reader, product);
    return !reader.failed;
}

bool rw_products_from_json(JsonNode *node, GPtrArray *products)
{
    if (!node || json_node_is_null(node))
        return true;
    JsonArray *array = JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonNode *element = json_array_get_element(array, i);
        RwProduct *product = g_new0(RwProduct, 1);
        g_ptr_array_add(products, product);
        if (!JSON_NODE_HOLDS_OBJECT(element) || !read_product(json_node_get_object(element), product))
            return false;
    }
    return array != NULL;
}
