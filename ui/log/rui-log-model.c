// SPDX-License-Identifier: MIT
#include "rui-log-model.h"

struct _RuiLine {
    GObject parent_instance;
    RwLine line;
    gboolean to_come;
    guint part, columns;
};

G_DEFINE_FINAL_TYPE(RuiLine, rui_line, G_TYPE_OBJECT)

static void rui_line_class_init(RuiLineClass *class) {}

static void rui_line_init(RuiLine *line) {}

void rui_line_get(RuiLine *line, RwLine *ret)
{
    *ret = line->line;
}

gboolean rui_line_is_to_come(RuiLine *line)
{
    return line->to_come;
}

guint rui_line_get_part(RuiLine *line, guint *ret_columns)
{
    *ret_columns = line->columns;
    return line->part;
}

struct _RuiLogModel {
    GObject parent_instance;
    const RwText *text;
    guint64 step;
    guint columns; // of a part
    guint count, written, made; // written: how many of the `count` had begun by the step
    RwFilter filter;
    const RwLineKinds *kinds; // of the text's lines; NULL: all are shown
    guint wanted; // bit 1 << RwLineKind: lines of that kind are shown
    GArray *lines; // of guint32: those of the text that are shown; NULL: all
    GArray *parts; // of guint32: the row that each of these begins with, and their number; NULL: a row each
};

static GType get_item_type(GListModel *model)
{
    return RUI_TYPE_LINE;
}

// The first row of one of the lines that are shown, or how many rows there are.
static guint get_row(RuiLogModel *model, guint line)
{
    return model->parts ? g_array_index(model->parts, guint32, line) : line;
}

static guint get_n_items(GListModel *list)
{
    RuiLogModel *model = RUI_LOG_MODEL(list);
    return get_row(model, model->count);
}

// The line that has a row.
static guint find_line(RuiLogModel *model, guint row)
{
    guint low = 0, high = model->count;
    while (model->parts && high - low > 1) {
        guint middle = low + (high - low) / 2;
        if (get_row(model, middle) <= row)
            low = middle;
        else
            high = middle;
    }
    return model->parts ? low : row;
}

// Of the text's, for one of the model's.
static guint get_line(RuiLogModel *model, guint position)
{
    return model->lines ? g_array_index(model->lines, guint32, position) : position;
}

static gpointer get_item(GListModel *list, guint position)
{
    RuiLogModel *model = RUI_LOG_MODEL(list);
    if (position >= get_n_items(list))
        return NULL;
    RuiLine *line = g_object_new(RUI_TYPE_LINE, NULL);
    guint at = find_line(model, position);
    line->to_come = at >= model->written;
    line->columns = model->parts ? model->columns : 0;
    line->part = position - get_row(model, at);
    rw_text_get_line(model->text, get_line(model, at), line->to_come ? G_MAXUINT64 : model->step,
                     &line->line);
    model->made++;
    return line;
}

static void list_model_init(GListModelInterface *interface)
{
    interface->get_item_type = get_item_type;
    interface->get_n_items = get_n_items;
    interface->get_item = get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE(RuiLogModel, rui_log_model, G_TYPE_OBJECT,
                              G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, list_model_init))

static void rui_log_model_finalize(GObject *object)
{
    g_clear_pointer(&RUI_LOG_MODEL(object)->lines, g_array_unref);
    g_clear_pointer(&RUI_LOG_MODEL(object)->parts, g_array_unref);
    G_OBJECT_CLASS(rui_log_model_parent_class)->finalize(object);
}

static void rui_log_model_class_init(RuiLogModelClass *class)
{
    G_OBJECT_CLASS(class)->finalize = rui_log_model_finalize;
}

static void rui_log_model_init(RuiLogModel *model)
{
    model->filter = RW_FILTER_NONE;
}

RuiLogModel *rui_log_model_new(void)
{
    return g_object_new(RUI_TYPE_LOG_MODEL, NULL);
}

guint rui_log_model_get_made(RuiLogModel *model)
{
    return model->made;
}

// ---- What is shown ----

static gboolean has_kind(RuiLogModel *model, guint32 line)
{
    return line < model->kinds->lines->len &&
           (model->wanted >> g_array_index(model->kinds->lines, guint8, line) & 1) != 0;
}

static void drop_other_kinds(RuiLogModel *model)
{
    guint kept = 0;
    for (guint i = 0; i < model->lines->len; i++) {
        guint32 line = g_array_index(model->lines, guint32, i);
        if (has_kind(model, line))
            g_array_index(model->lines, guint32, kept++) = line;
    }
    g_array_set_size(model->lines, kept);
}

static void find_lines(RuiLogModel *model)
{
    g_clear_pointer(&model->lines, g_array_unref);
    if (!model->text || (rw_filter_is_none(&model->filter) && !model->kinds))
        return;
    model->lines = rw_text_find_lines(model->text, &model->filter);
    if (model->kinds)
        drop_other_kinds(model);
}

// How many of those that are shown had begun by a step.
static guint count_lines(RuiLogModel *model, guint64 step)
{
    guint count = model->text ? rw_text_count_lines(model->text, step) : 0, low = 0;
    if (!model->lines)
        return count;
    for (guint high = model->lines->len; low < high;) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(model->lines, guint32, middle) < count)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void show_all(RuiLogModel *model)
{
    guint old = get_n_items(G_LIST_MODEL(model));
    g_clear_pointer(&model->parts, g_array_unref);
    find_lines(model);
    model->count = count_lines(model, G_MAXUINT64);
    model->written = count_lines(model, model->step);
    g_list_model_items_changed(G_LIST_MODEL(model), 0, old, model->count);
}

void rui_log_model_set_text(RuiLogModel *model, const RwText *text)
{
    if (text == model->text)
        return;
    model->text = text;
    model->kinds = NULL;
    show_all(model);
}

void rui_log_model_set_filter(RuiLogModel *model, const RwFilter *filter)
{
    model->filter = *filter;
    show_all(model);
}

void rui_log_model_set_kinds(RuiLogModel *model, const RwLineKinds *kinds, guint wanted)
{
    if (kinds == model->kinds && wanted == model->wanted)
        return;
    model->kinds = kinds;
    model->wanted = wanted;
    show_all(model);
}

// ---- Parts ----

void rui_log_model_set_parts(RuiLogModel *model, GArray *starts, guint columns)
{
    guint old = get_n_items(G_LIST_MODEL(model));
    if (starts == model->parts || (starts && starts->len != model->count + 1))
        return;
    g_clear_pointer(&model->parts, g_array_unref);
    model->parts = starts ? g_array_ref(starts) : NULL;
    model->columns = columns;
    g_list_model_items_changed(G_LIST_MODEL(model), 0, old, get_n_items(G_LIST_MODEL(model)));
}

GArray *rui_log_model_dup_lines(RuiLogModel *model, guint *ret_count)
{
    *ret_count = model->count;
    return model->lines ? g_array_ref(model->lines) : NULL;
}

// ---- The step ----

static gsize get_last_length(RuiLogModel *model)
{
    RwLine line = {0};
    if (model->written)
        rw_text_get_line(model->text, get_line(model, model->written - 1), model->step, &line);
    return line.length;
}

gboolean rui_log_model_set_step(RuiLogModel *model, guint64 step)
{
    guint written = model->written;
    gsize length = get_last_length(model); // a line that goes on
    model->step = step;
    model->written = count_lines(model, step);
    return model->written != written || get_last_length(model) != length;
}

guint rui_log_model_get_written(RuiLogModel *model)
{
    return get_row(model, model->written);
}
