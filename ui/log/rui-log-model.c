// SPDX-License-Identifier: MIT
#include "rui-log-model.h"

struct _RuiLine {
    GObject parent_instance;
    RwLine line;
};

G_DEFINE_FINAL_TYPE(RuiLine, rui_line, G_TYPE_OBJECT)

static void rui_line_class_init(RuiLineClass *class) {}

static void rui_line_init(RuiLine *line) {}

void rui_line_get(RuiLine *line, RwLine *ret)
{
    *ret = line->line;
}

struct _RuiLogModel {
    GObject parent_instance;
    const RwText *text;
    guint64 step;
    guint count, made;
    RwFilter filter;
    GArray *lines; // of guint32: those of the text that the filter has; NULL: all
};

static GType get_item_type(GListModel *model)
{
    return RUI_TYPE_LINE;
}

static guint get_n_items(GListModel *model)
{
    return RUI_LOG_MODEL(model)->count;
}

// Of the text's, for one of the model's.
static guint get_line(RuiLogModel *model, guint position)
{
    return model->lines ? g_array_index(model->lines, guint32, position) : position;
}

static gpointer get_item(GListModel *list, guint position)
{
    RuiLogModel *model = RUI_LOG_MODEL(list);
    if (position >= model->count)
        return NULL;
    RuiLine *line = g_object_new(RUI_TYPE_LINE, NULL);
    rw_text_get_line(model->text, get_line(model, position), model->step, &line->line);
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

static void set_count(RuiLogModel *model, guint count)
{
    guint old = model->count;
    model->count = count;
    if (old != count)
        g_list_model_items_changed(G_LIST_MODEL(model), MIN(old, count), old > count ? old - count : 0,
                                   count > old ? count - old : 0);
}

// A line that goes on: between two steps only the last of those that both have does.
static void set_step(RuiLogModel *model, guint64 step)
{
    RwLine before, after;
    guint last = model->count - 1;
    guint64 old = model->step;
    model->step = step;
    if (!model->count)
        return;
    guint line = get_line(model, last);
    rw_text_get_line(model->text, line, old, &before);
    rw_text_get_line(model->text, line, step, &after);
    if (before.length != after.length)
        g_list_model_items_changed(G_LIST_MODEL(model), last, 1, 1);
}

static guint count_lines(RuiLogModel *model, const RwText *text, guint64 step)
{
    guint count = text ? rw_text_count_lines(text, step) : 0, low = 0;
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

// Lines go and come at the end only: all others stay the same objects of the list.
void rui_log_model_set(RuiLogModel *model, const RwText *text, guint64 step)
{
    if (text != model->text) {
        set_count(model, 0);
        g_clear_pointer(&model->lines, g_array_unref);
        if (text && !rw_filter_is_none(&model->filter))
            model->lines = rw_text_find_lines(text, &model->filter);
    }
    guint count = count_lines(model, text, step);
    model->text = text;
    set_count(model, MIN(model->count, count));
    set_step(model, step);
    set_count(model, count);
}

void rui_log_model_set_filter(RuiLogModel *model, const RwFilter *filter)
{
    model->filter = *filter;
    rui_log_model_set(model, NULL, 0);
}
