// SPDX-License-Identifier: MIT
#include "holds-private.h"

void rw_hold_answer_free(void *data)
{
    RwHoldAnswer *answer = data;
    if (!answer)
        return;
    g_free(answer->held.program);
    g_free(answer->passed.program);
    g_free(answer);
}

static const RwLearnedTask *find_task(const RwLearned *learned, const RwTaskName *name)
{
    for (guint i = 0; i < learned->tasks->len; i++) {
        const RwLearnedTask *task = &g_array_index(learned->tasks, RwLearnedTask, i);
        if (rw_task_name_equal(&task->name, name))
            return task;
    }
    return NULL;
}

// Which of its process's threads it is. Of one that was created before the run was watched: of those that
// ran.
static guint find_thread(const RwLearned *learned, const RwLearnedTask *task)
{
    guint n = 1;
    if (task->thread)
        return task->thread;
    for (guint i = 0; i < learned->tasks->len; i++) {
        const RwLearnedTask *other = &g_array_index(learned->tasks, RwLearnedTask, i);
        if (other == task)
            break;
        n += other->pid == task->pid;
    }
    return n;
}

static guint count_threads(const RwLearned *learned, uint32_t pid)
{
    guint n = 0;
    for (guint i = 0; i < learned->tasks->len; i++)
        n += g_array_index(learned->tasks, RwLearnedTask, i).pid == pid;
    return n;
}

static RwHoldSide make_side(const RwLearned *learned, const RwPlace *place)
{
    const RwLearnedTask *task = find_task(learned, &place->task);
    RwHoldSide side = {.place = *place};
    if (!task)
        return side;
    side.pid = task->pid;
    side.tid = task->tid;
    side.program = g_strdup(task->program);
    side.thread = count_threads(learned, task->pid) > 1 ? find_thread(learned, task) : 0;
    return side;
}

// Whether it did nothing between two orders.
static bool is_still(const RwLearned *learned, guint task, guint64 after, guint64 until)
{
    for (guint i = 0; i < learned->events->len; i++) {
        const RwLearnedEvent *event = &g_array_index(learned->events, RwLearnedEvent, i);
        if (event->order > until)
            break;
        if (event->task == task && event->order > after)
            return false;
    }
    return true;
}

const RwLearnedSignal *rw_hold_taken(const RwLearned *learned, guint task, guint64 after)
{
    for (guint i = 0; after && i < learned->signals->len; i++) {
        const RwLearnedSignal *signal = &g_array_index(learned->signals, RwLearnedSignal, i);
        if (signal->task == task && signal->order >= after)
            return is_still(learned, task, after, signal->order) ? signal : NULL;
    }
    return NULL;
}

static void take_signal(const RwLearned *learned, guint64 ended, RwHoldSide *side)
{
    const RwLearnedTask *task = find_task(learned, &side->place.task);
    if (!task)
        return;
    guint index = (guint)(task - (const RwLearnedTask *)learned->tasks->data);
    const RwLearnedSignal *signal = rw_hold_taken(learned, index, ended);
    side->took = signal ? signal->signo : 0;
    side->timer = signal && signal->origin == RW_SIGNAL_TIMER;
}

static gint by_step(gconstpointer a, gconstpointer b)
{
    const RwHoldAnswer *x = *(RwHoldAnswer *const *)a, *y = *(RwHoldAnswer *const *)b;
    return (x->step > y->step) - (x->step < y->step);
}

GPtrArray *rw_hold_answers_new(const RwLearned *learned, const RwSchedule *schedule, guint base)
{
    GPtrArray *answers = g_ptr_array_new_with_free_func(rw_hold_answer_free);
    for (guint i = base; i < schedule->n_holds; i++) {
        const RwHold *hold = &schedule->holds[i];
        RwHoldAnswer *answer = g_new0(RwHoldAnswer, 1);
        *answer = (RwHoldAnswer){.hold = *hold,
                                 .index = i,
                                 .step = learned->holds[i].step,
                                 .held = make_side(learned, &hold->place)};
        if (hold->until == RW_UNTIL_PASSED)
            answer->passed = make_side(learned, &hold->passed);
        take_signal(learned, learned->holds[i].ended, &answer->held);
        take_signal(learned, learned->holds[i].ended, &answer->passed);
        g_ptr_array_add(answers, answer);
    }
    g_ptr_array_sort(answers, by_step);
    return answers;
}

GPtrArray *rw_fault_answers_new(const RwLearned *learned, const RwSchedule *schedule, guint base)
{
    GPtrArray *answers = g_ptr_array_new_with_free_func(rw_hold_answer_free);
    for (guint i = base; i < schedule->n_faults; i++) {
        const RwFault *fault = &schedule->faults[i];
        RwHoldAnswer *answer = g_new0(RwHoldAnswer, 1);
        *answer = (RwHoldAnswer){.is_fault = true,
                                 .fault = *fault,
                                 .length = learned->faults[i].length,
                                 .hold = {.until = RW_UNTIL_TIME},
                                 .index = i,
                                 .step = learned->faults[i].step,
                                 .held = make_side(learned, &fault->place)};
        g_ptr_array_add(answers, answer);
    }
    g_ptr_array_sort(answers, by_step);
    return answers;
}
