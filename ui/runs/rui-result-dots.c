// SPDX-License-Identifier: MIT
#include "rui-result-dots.h"

#include "rui-words.h"

#include <glib/gi18n.h>

#define SIZE 8 // of a dot, pixels
#define PITCH 11
#define FEWEST 4 // that there is always room for

struct _RuiResultDots {
    GtkWidget parent_instance;
    RwVerdict verdicts[RUI_RESULTS_MAX];
    guint count;
    char *text;
};

G_DEFINE_FINAL_TYPE(RuiResultDots, rui_result_dots, GTK_TYPE_WIDGET)

static void rui_result_dots_finalize(GObject *object)
{
    g_free(RUI_RESULT_DOTS(object)->text);
    G_OBJECT_CLASS(rui_result_dots_parent_class)->finalize(object);
}

static void rui_result_dots_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                    int *minimum, int *natural, int *minimum_baseline,
                                    int *natural_baseline)
{
    int count = (int)RUI_RESULT_DOTS(widget)->count;
    gboolean across = orientation == GTK_ORIENTATION_HORIZONTAL;
    *minimum = across ? MIN(count, FEWEST) * PITCH : PITCH;
    *natural = across ? count * PITCH : PITCH;
}

// ---- Drawing ----

// The colours of verdicts are the style's: those of its classes.
static GdkRGBA get_color(GtkWidget *widget, RwVerdict verdict)
{
    static const char *const names[] = {
        [RW_VERDICT_PASSED] = "success_color", [RW_VERDICT_FAILED] = "error_color"};
    GtkStyleContext *style = gtk_widget_get_style_context(widget);
    GdkRGBA color;
    if (verdict == RW_VERDICT_UNKNOWN || !gtk_style_context_lookup_color(style, names[verdict], &color))
        gtk_style_context_get_color(style, &color);
    return color;
}

static void draw(GtkWidget *widget, GtkSnapshot *snapshot, RwVerdict verdict, float x, float y)
{
    GdkRGBA color = get_color(widget, verdict);
    GskRoundedRect shape;
    gsk_rounded_rect_init_from_rect(&shape, &GRAPHENE_RECT_INIT(x, y, SIZE, SIZE),
                                    verdict == RW_VERDICT_FAILED ? 1 : SIZE / 2.0f);
    if (verdict == RW_VERDICT_UNKNOWN) {
        gtk_snapshot_append_border(snapshot, &shape, (float[4]){1.5f, 1.5f, 1.5f, 1.5f},
                                   (GdkRGBA[4]){color, color, color, color});
        return;
    }
    gtk_snapshot_push_rounded_clip(snapshot, &shape);
    gtk_snapshot_append_color(snapshot, &color, &shape.bounds);
    gtk_snapshot_pop(snapshot);
}

static void rui_result_dots_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    RuiResultDots *dots = RUI_RESULT_DOTS(widget);
    guint fit = MIN(dots->count, (guint)gtk_widget_get_width(widget) / PITCH);
    float y = (float)(gtk_widget_get_height(widget) - SIZE) / 2;
    gboolean rtl = gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL;
    for (guint i = 0; i < fit; i++) { // from the last one backwards
        float behind = (float)(i + 1) * PITCH - (PITCH - SIZE) / 2.0f;
        float x = rtl ? behind - SIZE : (float)gtk_widget_get_width(widget) - behind;
        draw(widget, snapshot, dots->verdicts[dots->count - 1 - i], x, y);
    }
}

static void rui_result_dots_class_init(RuiResultDotsClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->finalize = rui_result_dots_finalize;
    widget_class->measure = rui_result_dots_measure;
    widget_class->snapshot = rui_result_dots_snapshot;
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
    gtk_widget_class_set_css_name(widget_class, "dots");
}

static void rui_result_dots_init(RuiResultDots *dots) {}

GtkWidget *rui_result_dots_new(void)
{
    return g_object_new(RUI_TYPE_RESULT_DOTS, NULL);
}

// ---- What is shown ----

static guint count_of(const RuiResultDots *dots, RwVerdict verdict)
{
    guint count = 0;
    for (guint i = 0; i < dots->count; i++)
        count += dots->verdicts[i] == verdict;
    return count;
}

static char *dup_text(const RuiResultDots *dots)
{
    g_autofree char *passed = rui_dup_number(count_of(dots, RW_VERDICT_PASSED));
    g_autofree char *failed = rui_dup_number(count_of(dots, RW_VERDICT_FAILED));
    // Translators: how many of a job's last runs passed, and failed.
    return g_strdup_printf(_("The last runs: %s passed, %s failed"), passed, failed);
}

void rui_result_dots_set(RuiResultDots *dots, const RwVerdict *verdicts, guint count)
{
    guint over = count > RUI_RESULTS_MAX ? count - RUI_RESULTS_MAX : 0;
    dots->count = count - over;
    memcpy(dots->verdicts, verdicts + over, dots->count * sizeof verdicts[0]);
    g_free(dots->text);
    dots->text = dup_text(dots);
    gtk_accessible_update_property(GTK_ACCESSIBLE(dots), GTK_ACCESSIBLE_PROPERTY_LABEL, dots->text, -1);
    gtk_widget_set_tooltip_text(GTK_WIDGET(dots), dots->text);
    gtk_widget_queue_resize(GTK_WIDGET(dots));
}

const char *rui_result_dots_get_text(RuiResultDots *dots)
{
    return dots->text;
}
