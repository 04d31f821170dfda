// SPDX-License-Identifier: MIT
#include "rui-hex-model.h"

#include <string.h>

#define ROW_MAX 16

// ---- The list ----

typedef struct {
    gsize offset;
    guint count; // 1 to size
    guint size; // of a whole row
    guint8 bytes[ROW_MAX];
} HexRow;

struct _RuiHexModel {
    GObject parent_instance;
    GBytes *bytes; // or NULL
    guint row; // bytes a row: 16 or 8
};

static GType get_item_type(GListModel *list)
{
    return RUI_TYPE_ROW;
}

static gsize get_length(RuiHexModel *model)
{
    return model->bytes ? g_bytes_get_size(model->bytes) : 0;
}

static guint get_n_items(GListModel *list)
{
    RuiHexModel *model = RUI_HEX_MODEL(list);
    return (guint)MIN((get_length(model) + model->row - 1) / model->row, G_MAXUINT - 1);
}

static gpointer get_item(GListModel *list, guint position)
{
    RuiHexModel *model = RUI_HEX_MODEL(list);
    gsize length = get_length(model), offset = (gsize)position * model->row;
    if (offset >= length)
        return NULL;
    HexRow *row = g_new0(HexRow, 1);
    row->offset = offset;
    row->size = model->row;
    row->count = (guint)MIN(length - offset, row->size);
    memcpy(row->bytes, (const guint8 *)g_bytes_get_data(model->bytes, NULL) + offset, row->count);
    return rui_row_new(row, g_free);
}

static void list_model_init(GListModelInterface *interface)
{
    interface->get_item_type = get_item_type;
    interface->get_n_items = get_n_items;
    interface->get_item = get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE(RuiHexModel, rui_hex_model, G_TYPE_OBJECT,
                              G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, list_model_init))

static void rui_hex_model_finalize(GObject *object)
{
    g_clear_pointer(&RUI_HEX_MODEL(object)->bytes, g_bytes_unref);
    G_OBJECT_CLASS(rui_hex_model_parent_class)->finalize(object);
}

static void rui_hex_model_class_init(RuiHexModelClass *class)
{
    G_OBJECT_CLASS(class)->finalize = rui_hex_model_finalize;
}

static void rui_hex_model_init(RuiHexModel *model)
{
    model->row = ROW_MAX;
}

RuiHexModel *rui_hex_model_new(void)
{
    return g_object_new(RUI_TYPE_HEX_MODEL, NULL);
}

// Empty in between: rows of another width are other rows.
static void change(RuiHexModel *model, GBytes *bytes, guint row)
{
    GListModel *list = G_LIST_MODEL(model);
    guint old = get_n_items(list);
    g_autoptr(GBytes) was = g_steal_pointer(&model->bytes);
    g_list_model_items_changed(list, 0, old, 0);
    model->bytes = bytes ? g_bytes_ref(bytes) : NULL;
    model->row = row;
    g_list_model_items_changed(list, 0, 0, get_n_items(list));
}

void rui_hex_model_set(RuiHexModel *model, GBytes *bytes)
{
    change(model, bytes, model->row);
}

void rui_hex_model_set_row(RuiHexModel *model, guint row)
{
    g_autoptr(GBytes) bytes = model->bytes ? g_bytes_ref(model->bytes) : NULL;
    change(model, bytes, row);
}

guint rui_hex_model_get_row(RuiHexModel *model)
{
    return model->row;
}

// ---- A row's text ----

typedef enum { HEX_ZERO, HEX_PRINTABLE, HEX_SPACE, HEX_CONTROL, HEX_HIGH, HEX_KINDS } HexKind;

// On white, and on dark grey: each can be read there.
static const guint32 colors[2][HEX_KINDS] = {
    {[HEX_ZERO] = 0x5e5c64, [HEX_SPACE] = 0x18794e, [HEX_CONTROL] = 0x8f5902, [HEX_HIGH] = 0x1a5fb4},
    {[HEX_ZERO] = 0x9a9996, [HEX_SPACE] = 0x57e389, [HEX_CONTROL] = 0xf8e45c, [HEX_HIGH] = 0x78aeed},
};

static HexKind get_kind(guint8 byte)
{
    if (!byte)
        return HEX_ZERO;
    if (byte == '\n' || byte == '\t' || byte == '\r' || byte == ' ')
        return HEX_SPACE;
    if (byte >= 0x80)
        return HEX_HIGH;
    return byte < 0x20 || byte == 0x7f ? HEX_CONTROL : HEX_PRINTABLE;
}

typedef struct {
    GString *text;
    PangoAttrList *attrs; // or NULL
    gboolean dark;
} Line;

static void color(const Line *line, HexKind kind, gsize from)
{
    if (!line->attrs || kind == HEX_PRINTABLE)
        return;
    guint32 rgb = colors[line->dark != FALSE][kind];
    PangoAttribute *attribute =
        pango_attr_foreground_new((rgb >> 16 & 255) * 257, (rgb >> 8 & 255) * 257, (rgb & 255) * 257);
    attribute->start_index = (guint)from;
    attribute->end_index = (guint)line->text->len;
    pango_attr_list_change(line->attrs, attribute); // joins what is next to each other
}

static void append_bytes(const HexRow *row, const Line *line)
{
    for (guint i = 0; i < row->size; i++) {
        const char *space = i % 8 == 7 ? "  " : " ";
        gsize from = line->text->len;
        if (i < row->count)
            g_string_append_printf(line->text, "%02x%s", row->bytes[i], space);
        else
            g_string_append_printf(line->text, "  %s", space);
        if (i < row->count)
            color(line, get_kind(row->bytes[i]), from);
    }
}

static void append_characters(const HexRow *row, const Line *line)
{
    for (guint i = 0; i < row->count; i++) {
        guint8 byte = row->bytes[i];
        HexKind kind = get_kind(byte);
        g_string_append_c(line->text, kind == HEX_PRINTABLE || byte == ' ' ? (char)byte : '.');
        color(line, kind, line->text->len - 1);
    }
}

char *rui_hex_row_dup_text(RuiRow *item, gboolean dark, PangoAttrList **ret_attrs)
{
    const HexRow *row = rui_row_get(item);
    Line line = {g_string_new(NULL), ret_attrs ? pango_attr_list_new() : NULL, dark};
    g_string_append_printf(line.text, "%08" G_GSIZE_MODIFIER "x  ", row->offset);
    color(&line, HEX_ZERO, 0);
    append_bytes(row, &line);
    append_characters(row, &line);
    if (ret_attrs)
        *ret_attrs = line.attrs;
    return g_string_free(line.text, FALSE);
}
