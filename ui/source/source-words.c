// SPDX-License-Identifier: MIT
#include "source-words.h"

#include "rui-words.h"

#include <glib/gi18n.h>

static SourceWords words_of_start(guint64 start)
{
    g_autofree char *number = rui_dup_number(start);
    char *text = start ? g_strdup_printf(_("The machine is still starting at this step. The job starts "
                                           "with step %s: go there or further."),
                                         number)
                       : g_strdup(_("It never does in this run: the machine ended before."));
    return (SourceWords){_("The Job Has Not Started"), text};
}

static const char *get_program(const RwSource *source)
{
    const RwSourceFrame *frame = rw_source_get_frame(source);
    return frame && frame->symbol.path ? frame->symbol.path : _("The program");
}

static SourceWords words_of_debug(const RwSource *source)
{
    char *text =
        source->reason
            // Translators: a program's path; what to do, in English.
            ? g_strdup_printf(_("%s has none. Compile it with -g and record again, or: %s"),
                              get_program(source), source->reason)
            : g_strdup_printf(_("%s has none. Compile it with -g and record again."), get_program(source));
    return (SourceWords){_("No Debug Information"), text};
}

static SourceWords words_of_file(const RwSource *source)
{
    const RwSymbol *symbol = &rw_source_get_frame(source)->symbol;
    char *text = source->reason
                     // Translators: a path; why, in English.
                     ? g_strdup_printf(_("%s, line %u, cannot be shown: %s"), symbol->file, symbol->line,
                                       source->reason)
                     : g_strdup_printf(_("The thread is in line %u of %s, which is not there at this step. "
                                         "Keep the sources in the root, where they were compiled."),
                                       symbol->line, symbol->file);
    return (SourceWords){_("No Source in the Image"), text};
}

static SourceWords words_of_large(const RwSource *source)
{
    const RwSymbol *symbol = &rw_source_get_frame(source)->symbol;
    // Translators: a path; a line; a number of MiB.
    return (SourceWords){_("The Source Is Too Large"),
                         g_strdup_printf(_("%s, line %u: files of more than %u MiB are not shown here. The "
                                           "Files tab has it."),
                                         symbol->file, symbol->line, RW_SOURCE_TEXT_MAX >> 20)};
}

static SourceWords words_of_version(const RwSource *source)
{
    const RwSymbol *symbol = &rw_source_get_frame(source)->symbol;
    return (SourceWords){_("Another Version of the Source"),
                         g_strdup_printf(_("%s has no line %u at this step. Compile the program again from "
                                           "the source in the root."),
                                         symbol->file, symbol->line)};
}

SourceWords source_words_of(const RwSource *source, guint64 start)
{
    switch (source->state) {
    case RW_SOURCE_EARLY:
        return words_of_start(start);
    case RW_SOURCE_IDLE:
        return (SourceWords){
            _("No Program Is There"),
            g_strdup(_("No thread of the job is there at this step. Go to an earlier one."))};
    case RW_SOURCE_GONE:
        return (SourceWords){_("This Thread Is Not There"),
                             g_strdup(_("It has not started at this step, or has ended. Choose another one "
                                        "above."))};
    case RW_SOURCE_NOWHERE:
        return (SourceWords){_("In the Kernel"),
                             g_strdup(_("The thread is about to start or to end: only the kernel’s code "
                                        "has it. Go a step back or on."))};
    case RW_SOURCE_NO_FILE:
        return words_of_file(source);
    case RW_SOURCE_LARGE:
        return words_of_large(source);
    case RW_SOURCE_OTHER_TEXT:
        return words_of_version(source);
    default:
        return words_of_debug(source);
    }
}

SourceWords source_words_of_binary(const RwSource *source)
{
    const RwSymbol *symbol = &rw_source_get_frame(source)->symbol;
    return (SourceWords){
        _("No Source in the Image"),
        g_strdup_printf(_("%s is no text at this step. The Files tab shows its bytes."), symbol->file)};
}

static const char *get_state(RwTaskState state)
{
    static const char *const states[RW_N_TASK_STATES] = {
        [RW_TASK_RUNNING] = N_("has the CPU"),  [RW_TASK_RUNNABLE] = N_("could go on"),
        [RW_TASK_SLEEPING] = N_("waits"),       [RW_TASK_WAITING] = N_("waits"),
        [RW_TASK_STOPPED] = N_("stopped"),      [RW_TASK_HELD] = N_("held"),
        [RW_TASK_STALLED] = N_("put to sleep"), [RW_TASK_ZOMBIE] = N_("ended"),
        [RW_TASK_DEAD] = N_("ended"),
    };
    return state < RW_N_TASK_STATES && states[state] ? _(states[state]) : "";
}

char *source_words_dup_thread(const RwSourceThread *thread)
{
    // Translators: a thread: its name, process/thread, "has the CPU" or "waits".
    return g_strdup_printf(_("%s %u/%u, %s"), thread->name, thread->pid, thread->tid,
                           get_state(thread->state));
}

char *source_words_dup_ended(const RwSource *source)
{
    g_autofree char *number = rui_dup_number(source->position.step);
    return g_strdup_printf(_("The job has ended. This is where it was last, at step %s."), number);
}

char *source_words_dup_written(const RwSourceWritten *written, const char *name)
{
    g_autofree char *file = written->file ? g_path_get_basename(written->file) : NULL;
    if (!written->found)
        return g_strdup_printf(_("%s: nobody has written it since the job began"), name);
    if (!file)
        return g_strdup_printf(_("%s: written here by thread %u"), name, written->tid);
    // Translators: a variable; a thread; a file and a line.
    return g_strdup_printf(_("%s: written here by thread %u, %s:%u"), name, written->tid, file,
                           written->line);
}
