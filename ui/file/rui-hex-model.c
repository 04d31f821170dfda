// SPDX-License-Identifier: MIT
#include "rui-hex-model.h"

#include <string.h>

#define ROW 16

gboolean rui_is_binary(const guint8 *bytes, gsize length)
{
    gsize look = MIN(length, 8192);
    const char *end = NULL;
    if (!length)
        return FALSE;
    if (memchr(bytes, 0, look))
        return TRUE;
    // A character may be cut at the end of what is looked at.
    return !g_utf8_validate((const char *)bytes, (gssize)look, &end) &&
           (gsize)(end - (const char *)bytes) + 4 < look;
}

// ---- The list ----

typedef struct {
    gsize offset;
    guint count; // 1 to ROW
    guint8 bytes[ROW];
} HexRow;

struct _RuiHexModel {
    GObject parent_instance;
    GBytes *bytes; // or NULL
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
    return (guint)MIN((get_length(RUI_HEX_MODEL(list)) + ROW - 1) / ROW, G_MAXUINT - 1);
}

static gpointer get_item(GListModel *list, guint position)
{
    RuiHexModel *model = RUI_HEX_MODEL(list);
    gsize length = get_length(model), offset = (gsize)position * ROW;
    if (offset >= length)
        return NULL;
    HexRow *row = g_new0(HexRow, 1);
    row->offset = offset;
    row->count = (guint)MIN(length - offset, ROW);
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

static void rui_hex_model_init(RuiHexModel *model) {}

RuiHexModel *rui_hex_model_new(void)
{
    return g_object_new(RUI_TYPE_HEX_MODEL, NULL);
}

void rui_hex_model_set(RuiHexModel *model, GBytes *bytes)
{
    guint old = get_n_items(G_LIST_MODEL(model));
    g_clear_pointer(&model->bytes, g_bytes_unref);
    model->bytes = bytes ? g_bytes_ref(bytes) : NULL;
    g_list_model_items_changed(G_LIST_MODEL(model), 0, old, get_n_items(G_LIST_MODEL(model)));
}

// ---- A row's text ----

typedef enum { HEX_ZERO, HEX_PRINTABLE, HEX_SPACE, HEX_CONTROL, HEX_HIGH, HEX_KINDS } HexKind;

static const guint32 colors[HEX_KINDS] = {
    [HEX_ZERO] = 0x9a9996, [HEX_SPACE] = 0x2ec27e, [HEX_CONTROL] = 0xe5a50a, [HEX_HIGH] = 0x3584e4};

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

static void color(PangoAttrList *attrs, HexKind kind, gsize from, gsize until)
{
    if (!attrs || kind == HEX_PRINTABLE)
        return;
    guint32 rgb = colors[kind];
    PangoAttribute *attribute =
        pango_attr_foreground_new((rgb >> 16 & 255) * 257, (rgb >> 8 & 255) * 257, (rgb & 255) * 257);
    attribute->start_index = (guint)from;
    attribute->end_index = (guint)until;
    pango_attr_list_change(attrs, attribute); // joins what is next to each other
}

static void append_bytes(const HexRow *row, GString *text, PangoAttrList *attrs)
{
    for (guint i = 0; i < ROW; i++) {
        const char *space = i % 8 == 7 ? "  " : " ";
        gsize from = text->len;
        if (i < row->count)
            g_string_append_printf(text, "%02x%s", row->bytes[i], space);
        else
            g_string_append_printf(text, "  %s", space);
        if (i < row->count)
            color(attrs, get_kind(row->bytes[i]), from, text->len);
    }
}

static void append_characters(const HexRow *row, GString *text, PangoAttrList *attrs)
{
    for (guint i = 0; i < row->count; i++) {
        guint8 byte = row->bytes[i];
        HexKind kind = get_kind(byte);
        g_string_append_c(text, kind == HEX_PRINTABLE || byte == ' ' ? (char)byte : '.');
        color(attrs, kind, text->len - 1, text->len);
    }
}

char *rui_hex_row_dup_text(RuiRow *item, PangoAttrList **ret_attrs)
{
    const HexRow *row = rui_row_get(item);
    GString *text = g_string_new(NULL);
    PangoAttrList *attrs = ret_attrs ? pango_attr_list_new() : NULL;
    g_string_append_printf(text, "%08" G_GSIZE_MODIFIER "x  ", row->offset);
    color(attrs, HEX_ZERO, 0, text->len);
    append_bytes(row, text, attrs);
    append_characters(row, text, attrs);
    if (ret_attrs)
        *ret_attrs = attrs;
    return g_string_free(text, FALSE);
}
