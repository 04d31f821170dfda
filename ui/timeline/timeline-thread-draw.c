// SPDX-License-Identifier: MIT
//
// The threads' bars, made once into a texture for a range and a size. A pixel is looked up in a row, not a
// bar: where a thread had several states within one, its height says how much of that it had the CPU.
#include "timeline-private.h"

#include "rui-hues.h"

#include <glib/gi18n.h>
#include <math.h>
#include <pango/pangocairo.h>

#define WORD_FITS 30 // pixels from which on a bar says what it is
#define ARROW_NEEDS 10 // so many pixels in a row for each arrow, else they would hide the bars
#define ARROW_HEAD 3

typedef struct {
    RuiTimeline *timeline;
    const TimelineThreads *of;
    guint32 *pixels;
    cairo_t *cairo;
    int width, scale; // in the device's pixels
    int top, height; // of the row, in these
    guint64 *times; // where each pixel begins, and the last one ends
    GdkRGBA hue, held, text;
} Painter;

static guint32 to_pixel(const GdkRGBA *color)
{
    return 0xff000000 | (guint32)(color->red * 255 + 0.5f) << 16 |
           (guint32)(color->green * 255 + 0.5f) << 8 | (guint32)(color->blue * 255 + 0.5f);
}

// ---- Columns of a pixel ----

static void fill(const Painter *painter, int x, int from, int until, const GdkRGBA *color)
{
    for (int y = from; y < until; y++)
        painter->pixels[(painter->top + y) * painter->width + x] = to_pixel(color);
}

// Edges, and stripes in between: downwards, and crossed.
static void fill_striped(const Painter *painter, int x, const GdkRGBA *color, gboolean crossed)
{
    int period = 5 * painter->scale, scale = painter->scale;
    for (int y = 0; y < painter->height; y++) {
        gboolean edge = y < scale || y >= painter->height - scale;
        gboolean stripe = (x + y) % period < 2 * scale;
        gboolean other = crossed && (x - y + painter->height * 5) % period < 2 * scale;
        if (edge || stripe || other)
            fill(painter, x, y, y + 1, color);
    }
}

static void fill_state(const Painter *painter, int x, guint state)
{
    int middle = painter->height / 2;
    if (state == RW_THREAD_RUNS)
        fill(painter, x, 0, painter->height, &painter->hue);
    else if (state == RW_THREAD_READY)
        fill_striped(painter, x, &painter->hue, FALSE);
    else if (state == RW_THREAD_HELD)
        fill_striped(painter, x, &painter->held, TRUE);
    else if (state == RW_THREAD_BLOCKED)
        fill(painter, x, middle, middle + painter->scale, &painter->hue);
}

// Several within a pixel.
static void fill_share(const Painter *painter, int x, double share)
{
    int height = (int)ceil(share * painter->height);
    fill(painter, x, painter->height - height, painter->height, &painter->hue);
    fill_state(painter, x, height ? RW_THREAD_AWAY : RW_THREAD_BLOCKED);
}

// ---- Words in bars ----

static void write_word(const Painter *painter, const RwThreadBar *bar, int from, int until)
{
    const char *word = bar->state == RW_THREAD_HELD ? _("held") : rw_thread_bar_get_call(bar);
    int width, height, scale = painter->scale;
    if (!word || until - from < WORD_FITS * scale)
        return;
    g_autoptr(PangoLayout) layout = timeline_layout_new(painter->timeline, word, 0);
    pango_layout_get_pixel_size(layout, &width, &height);
    int x = (from + until) / 2 - width * scale / 2, y = (painter->height - height * scale) / 2;
    if (until - from < (width + 8) * scale)
        return;
    for (int clear = x - 3 * scale; clear < x + (width + 3) * scale; clear++)
        for (int row = scale; row < painter->height - scale; row++)
            painter->pixels[(painter->top + row) * painter->width + clear] = 0;
    cairo_surface_mark_dirty(cairo_get_target(painter->cairo));
    gdk_cairo_set_source_rgba(painter->cairo,
                              bar->state == RW_THREAD_HELD ? &painter->held : &painter->text);
    cairo_move_to(painter->cairo, x / (double)scale, (painter->top + y) / (double)scale);
    pango_cairo_show_layout(painter->cairo, layout);
    cairo_surface_flush(cairo_get_target(painter->cairo));
}

// ---- Rows ----

// The first pixel from x on that ends after a time.
static int find_pixel(const Painter *painter, int x, guint64 time)
{
    int low = x, high = painter->width;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (painter->times[middle + 1] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// More than one bar has something of the pixel. Returns the one that has its end.
static guint paint_shared(const Painter *painter, const RwThreadRow *row, guint bar, int x)
{
    guint64 from = painter->times[x], until = painter->times[x + 1];
    guint last = rw_thread_row_find(row, bar, until - 1);
    guint64 ran = rw_thread_row_get_ran(row, last, until) - rw_thread_row_get_ran(row, bar, from);
    if (last == bar || (bar == G_MAXUINT && last == 0) || last == bar + 1) {
        // One change: what has more of it has it.
        guint64 change = row->bars[bar == G_MAXUINT ? 0 : bar + 1].from;
        guint more = change - from > until - change ? bar : last;
        if (more != G_MAXUINT)
            fill_state(painter, x, row->bars[more].state);
    } else {
        fill_share(painter, x, (double)ran / (double)(until - from));
    }
    return last;
}

static void paint_row(const Painter *painter, const RwThreadRow *row)
{
    guint64 cut = rw_thread_rows_get_cut(painter->of->rows);
    guint bar = 0;
    for (int x = 0; x < painter->width && !(cut && painter->times[x] >= cut);) {
        guint at = rw_thread_row_find(row, bar, painter->times[x]);
        guint64 end = at == G_MAXUINT ? row->bars[0].from : rw_thread_row_get_end(row, at);
        int until = find_pixel(painter, x, end); // those before have this bar alone
        bar = at == G_MAXUINT ? 0 : at;
        if (until == x) {
            paint_shared(painter, row, at, x++);
            continue;
        }
        for (int i = x; at != G_MAXUINT && i < until; i++)
            fill_state(painter, i, row->bars[at].state);
        if (at != G_MAXUINT)
            write_word(painter, &row->bars[at], x, until);
        x = until;
    }
}

// ---- Marks and arrows ----

static gboolean is_in_sight(const Painter *painter, guint64 time)
{
    return time >= painter->times[0] && time < painter->times[painter->width];
}

static double get_middle(const Painter *painter, guint number)
{
    int rows = (int)(number - painter->of->first);
    return painter->of->top - painter->timeline->metrics.rows_top +
           (rows + 0.5) * painter->timeline->metrics.row;
}

// From one row to another.
static void draw_arrow(const Painter *painter, double x, guint from, guint to)
{
    const TimelineThreads *of = painter->of;
    if (from == to || from < of->first || from >= of->end || to < of->first || to >= of->end)
        return;
    double start = get_middle(painter, from), down = to > from ? 1 : -1;
    double end = get_middle(painter, to) - down * painter->timeline->metrics.row / 4.0;
    cairo_rectangle(painter->cairo, x - 0.5, MIN(start, end), 1, fabs(end - start));
    cairo_fill(painter->cairo);
    cairo_move_to(painter->cairo, x - ARROW_HEAD, end - down * ARROW_HEAD);
    cairo_line_to(painter->cairo, x, end + down * ARROW_HEAD);
    cairo_line_to(painter->cairo, x + ARROW_HEAD, end - down * ARROW_HEAD);
    cairo_close_path(painter->cairo);
    cairo_fill(painter->cairo);
}

// Where the CPU was taken: a wedge on the row's upper edge.
static void draw_taken(const Painter *painter, double x, guint number)
{
    double top = get_middle(painter, number) - painter->timeline->metrics.row / 2.0;
    cairo_move_to(painter->cairo, x - 4, top);
    cairo_line_to(painter->cairo, x + 4, top);
    cairo_line_to(painter->cairo, x, top + 6);
    cairo_close_path(painter->cairo);
    cairo_fill(painter->cairo);
}

static gboolean is_taken(const RwThreadBar *bar)
{
    return bar->state == RW_THREAD_HELD ||
           (bar->state == RW_THREAD_READY && bar->cause >= RW_CAUSE_TAKEN && bar->cause != RW_CAUSE_YIELD);
}

static void draw_change(const Painter *painter, const RwThreadBar *bar, guint number)
{
    double x = (find_pixel(painter, 0, bar->from) + 0.5) / painter->scale;
    gboolean scheduled = bar->state == RW_THREAD_HELD || bar->cause == RW_CAUSE_SCHEDULE;
    gboolean woken = bar->state == RW_THREAD_READY && bar->cause == RW_CAUSE_WOKEN;
    gdk_cairo_set_source_rgba(painter->cairo, scheduled ? &painter->held : &painter->text);
    if (is_taken(bar))
        draw_taken(painter, x, number);
    if (bar->other != RW_NO_THREAD && (woken || is_taken(bar)))
        draw_arrow(painter, x, woken ? bar->other : number, woken ? number : bar->other);
}

static guint get_first_in_sight(const Painter *painter, const RwThreadRow *row)
{
    guint first = painter->times[0] ? rw_thread_row_find(row, 0, painter->times[0] - 1) : G_MAXUINT;
    return first == G_MAXUINT ? 0 : first + 1;
}

// How many bars begin in sight.
static guint count_changes(const Painter *painter)
{
    guint count = 0;
    for (guint i = painter->of->first; i < painter->of->end; i++) {
        const RwThreadRow *row = rw_thread_rows_get(painter->of->rows, i);
        guint last = rw_thread_row_find(row, 0, painter->times[painter->width]);
        guint first = get_first_in_sight(painter, row);
        count += last == G_MAXUINT || last < first ? 0 : last - first + 1;
    }
    return count;
}

static void draw_changes(const Painter *painter, guint number)
{
    const RwThreadRow *row = rw_thread_rows_get(painter->of->rows, number);
    for (guint i = get_first_in_sight(painter, row);
         i < row->n_bars && is_in_sight(painter, row->bars[i].from); i++)
        draw_change(painter, &row->bars[i], number);
}

// The first one of those behind a time that the schedule made.
static guint find_marked(const RwThreadRow *row, guint low, guint64 time)
{
    guint high = row->n_marked;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (row->bars[row->marked[middle]].from < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// What the schedule did is seen however little room it has, one of it a pixel.
static void draw_marked(const Painter *painter, guint number)
{
    const RwThreadRow *row = rw_thread_rows_get(painter->of->rows, number);
    guint i = find_marked(row, 0, painter->times[0]);
    while (i < row->n_marked && is_in_sight(painter, row->bars[row->marked[i]].from)) {
        const RwThreadBar *bar = &row->bars[row->marked[i]];
        int x = find_pixel(painter, 0, bar->from);
        int end = find_pixel(painter, x, rw_thread_row_get_end(row, row->marked[i]));
        if (bar->state == RW_THREAD_HELD && end - x < 3 * painter->scale) {
            gdk_cairo_set_source_rgba(painter->cairo, &painter->held);
            cairo_rectangle(painter->cairo, x / (double)painter->scale,
                            get_middle(painter, number) - painter->timeline->metrics.row / 2.0, 3,
                            painter->timeline->metrics.row - 1);
            cairo_fill(painter->cairo);
        }
        draw_change(painter, bar, number);
        i = find_marked(row, i + 1, painter->times[x + 1]);
    }
}

// ---- All of it ----

static void find_times(Painter *painter)
{
    double left = timeline_get_left(painter->timeline);
    for (int x = 0; x <= painter->width; x++) {
        guint64 time =
            timeline_get_time_at(painter->timeline, painter->of->index, left + x / (double)painter->scale);
        painter->times[x] = x ? MAX(time, painter->times[x - 1]) : time;
    }
}

static void draw_run(Painter *painter)
{
    RuiTimeline *timeline = painter->timeline;
    find_times(painter);
    for (guint i = painter->of->first; i < painter->of->end; i++) {
        int below = painter->of->top - timeline->metrics.rows_top +
                    (int)(i - painter->of->first) * timeline->metrics.row;
        painter->top = below * painter->scale;
        painter->hue = rui_hue(GTK_WIDGET(timeline), timeline_get_thread_hue(timeline, painter->of, i));
        paint_row(painter, rw_thread_rows_get(painter->of->rows, i));
    }
    cairo_surface_mark_dirty(cairo_get_target(painter->cairo));
    guint rows = painter->of->end - painter->of->first;
    gboolean roomy =
        count_changes(painter) <= (guint)(painter->width / painter->scale / ARROW_NEEDS) * rows;
    for (guint i = painter->of->first; i < painter->of->end; i++) {
        if (roomy)
            draw_changes(painter, i);
        draw_marked(painter, i);
    }
    cairo_surface_flush(cairo_get_target(painter->cairo));
}

void timeline_draw_threads(RuiTimeline *timeline, guint32 *pixels)
{
    const TimelinePicture *picture = &timeline->rows_of;
    cairo_surface_t *surface = cairo_image_surface_create_for_data(
        (guchar *)pixels, CAIRO_FORMAT_ARGB32, picture->width, picture->height, picture->width * 4);
    cairo_surface_set_device_scale(surface, picture->scale, picture->scale);
    TimelineThreads of;
    Painter painter = {.timeline = timeline,
                       .of = &of,
                       .pixels = pixels,
                       .cairo = cairo_create(surface),
                       .width = picture->width,
                       .scale = picture->scale,
                       .height = (timeline->metrics.row - 2) * picture->scale,
                       .times = g_new(guint64, picture->width + 1),
                       .held = timeline_get_color(timeline, "#8f5902", "#f8e45c"),
                       .text = timeline_get_text_color(timeline, 1)};
    for (guint compared = 0; compared < 2; compared++)
        if (timeline_get_threads(timeline, compared, &of) && (int)of.top < timeline->metrics.lanes_top)
            draw_run(&painter);
    g_free(painter.times);
    cairo_destroy(painter.cairo);
    cairo_surface_destroy(surface);
}
