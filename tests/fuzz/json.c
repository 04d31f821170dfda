// SPDX-License-Identifier: MIT
//
// Variants of JSON by structure: still JSON, with other types, numbers out of range, members twice, deep
// nesting, text that is hard to take.
#include "fuzz.h"

#include <json-glib/json-glib.h>

typedef struct {
    GString *text;
    Random *random;
    const Inputs *inputs;
    size_t at; // nodes so far
    size_t change[3]; // which of them become something else
} Writer;

static void write_node(Writer *writer, JsonNode *node);

static void write_odd(Writer *writer)
{
    static const char *const odd[] = {"null",
                                      "true",
                                      "false",
                                      "0",
                                      "-1",
                                      "1",
                                      "1.0",
                                      "0.5",
                                      "-0",
                                      "1e308",
                                      "1e999",
                                      "2147483648",
                                      "4294967296",
                                      "9223372036854775807",
                                      "9223372036854775808",
                                      "-9223372036854775808",
                                      "-9223372036854775809",
                                      "18446744073709551615",
                                      "18446744073709551616",
                                      "\"\"",
                                      "\"0\"",
                                      "\"-1\"",
                                      "\"18446744073709551615\"",
                                      "\"18446744073709551616\"",
                                      "\" 1\"",
                                      "\"\\u0000\"",
                                      "\"a\\u0000b\"",
                                      "\"\\ud800\"",
                                      "\"\\udc00\\ud800\"",
                                      "\"\\ud83d\\ude00\"",
                                      "\"\\uffff\"",
                                      "\"../../x\"",
                                      "\"/\"",
                                      "\"%s%n\"",
                                      "\"\\n\\u001b[2J\"",
                                      "[]",
                                      "{}",
                                      "[[]]",
                                      "[null]",
                                      "{\"\":null}",
                                      "{\"base64\":\"AAA=\"}",
                                      "{\"base64\":\"YQ==\"}",
                                      "{\"base64\":\"!\"}",
                                      "{\"base64\":5}",
                                      "{\"base64\":\"YQ==\",\"base64\":[]}"};
    size_t pick = random_below(writer->random, G_N_ELEMENTS(odd) + 2);
    if (pick < G_N_ELEMENTS(odd)) {
        g_string_append(writer->text, odd[pick]);
        return;
    }
    g_autofree char *large = g_strnfill(1 + random_below(writer->random, 70000), pick % 2 ? 'a' : '7');
    g_string_append_printf(writer->text, pick % 2 ? "\"%s\"" : "%.300s", large);
}

// Some part of some input.
static void write_other(Writer *writer)
{
    gsize length;
    const char *bytes = g_bytes_get_data(
        writer->inputs->inputs->pdata[random_below(writer->random, writer->inputs->inputs->len)], &length);
    g_autoptr(JsonParser) parser = json_parser_new();
    if (!json_parser_load_from_data(parser, bytes, (gssize)length, NULL))
        return write_odd(writer);
    JsonNode *node = json_parser_get_root(parser);
    while (random_below(writer->random, 4) && JSON_NODE_HOLDS_OBJECT(node)) {
        g_autoptr(GList) values = json_object_get_values(json_node_get_object(node));
        guint n = g_list_length(values);
        node = n ? g_list_nth_data(values, (guint)random_below(writer->random, n)) : node;
    }
    g_autofree char *text = json_to_string(node, false);
    g_string_append(writer->text, text);
}

static void write_nested(Writer *writer, JsonNode *node)
{
    bool objects = random_below(writer->random, 2);
    size_t n = 1 + random_below(writer->random, random_below(writer->random, 4) ? 4 : 90);
    for (size_t i = 0; i < n; i++)
        g_string_append(writer->text, objects ? "{\"a\":" : "[");
    write_node(writer, node);
    for (size_t i = 0; i < n; i++)
        g_string_append_c(writer->text, objects ? '}' : ']');
}

// ---- As it is, but for the parts below ----

static void write_string(Writer *writer, const char *string)
{
    g_autoptr(JsonNode) node = json_node_init_string(json_node_alloc(), string);
    g_autofree char *text = json_to_string(node, false);
    g_string_append(writer->text, text);
}

// How often a child comes: seldom not at all, twice, or a thousand times.
static size_t times(Writer *writer, bool changed)
{
    size_t pick = changed ? random_below(writer->random, 6) : 3;
    return pick == 0 ? 0 : pick == 1 ? 2 : pick == 2 && !random_below(writer->random, 20) ? 1000 : 1;
}

static void write_member(Writer *writer, const char *name, JsonNode *node, bool again)
{
    if (writer->text->str[writer->text->len - 1] != '{')
        g_string_append_c(writer->text, ',');
    write_string(writer, name);
    g_string_append_c(writer->text, ':');
    if (again && random_below(writer->random, 2))
        write_odd(writer);
    else
        write_node(writer, node);
}

static void write_object(Writer *writer, JsonObject *object, bool changed)
{
    JsonObjectIter iter;
    const char *name;
    JsonNode *node;
    g_string_append_c(writer->text, '{');
    json_object_iter_init(&iter, object);
    while (json_object_iter_next(&iter, &name, &node))
        for (size_t n = times(writer, changed), i = 0; i < n; i++)
            write_member(writer, name, node, i > 0);
    g_string_append_c(writer->text, '}');
}

static void write_array(Writer *writer, JsonArray *array, bool changed)
{
    g_string_append_c(writer->text, '[');
    for (guint i = 0; i < json_array_get_length(array); i++)
        for (size_t n = times(writer, changed); n; n--) {
            if (writer->text->str[writer->text->len - 1] != '[')
                g_string_append_c(writer->text, ',');
            write_node(writer, json_array_get_element(array, i));
        }
    g_string_append_c(writer->text, ']');
}

static void write_plain(Writer *writer, JsonNode *node, bool changed)
{
    if (JSON_NODE_HOLDS_OBJECT(node)) {
        write_object(writer, json_node_get_object(node), changed);
    } else if (JSON_NODE_HOLDS_ARRAY(node)) {
        write_array(writer, json_node_get_array(node), changed);
    } else {
        g_autofree char *text = json_to_string(node, false);
        g_string_append(writer->text, text);
    }
}

static void write_changed(Writer *writer, JsonNode *node)
{
    switch (random_below(writer->random, 6)) {
    case 0:
        write_other(writer);
        break;
    case 1:
        write_nested(writer, node);
        break;
    case 2:
    case 3:
        write_plain(writer, node, true);
        break;
    default:
        write_odd(writer);
    }
}

static void write_node(Writer *writer, JsonNode *node)
{
    size_t here = writer->at++;
    for (size_t i = 0; i < G_N_ELEMENTS(writer->change); i++)
        if (writer->change[i] == here) {
            writer->change[i] = SIZE_MAX; // once
            write_changed(writer, node);
            return;
        }
    write_plain(writer, node, false);
}

static size_t count_nodes(JsonNode *node)
{
    Random none = {1};
    Writer writer = {.text = g_string_new(NULL), .random = &none, .change = {SIZE_MAX, SIZE_MAX, SIZE_MAX}};
    write_node(&writer, node);
    g_string_free(writer.text, true);
    return writer.at;
}

void json_vary(GByteArray *out, const char *text, size_t length, const Inputs *inputs, Random *random)
{
    g_autoptr(JsonParser) parser = json_parser_new();
    g_assert_true(json_parser_load_from_data(parser, text, (gssize)length, NULL));
    JsonNode *root = json_parser_get_root(parser);
    size_t nodes = count_nodes(root), changes = 1 + random_below(random, 3);
    Writer writer = {.text = g_string_new(NULL), .random = random, .inputs = inputs};
    for (size_t i = 0; i < G_N_ELEMENTS(writer.change); i++)
        writer.change[i] = i < changes ? random_below(random, nodes) : SIZE_MAX;
    write_node(&writer, root);
    rw_put_bytes(out, writer.text->str, writer.text->len);
    g_string_free(writer.text, true);
}
