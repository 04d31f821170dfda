// SPDX-License-Identifier: MIT
#include "job-private.h"

static bool set_variable(GPtrArray *env, const char *variable, GError **error)
{
    const char *equals = strchr(variable, '=');
    if (!equals || equals == variable) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "-e %s: must be KEY=VALUE", variable);
        return false;
    }
    for (guint i = 0; i < env->len; i++)
        if (!strncmp(env->pdata[i], variable, (size_t)(equals - variable) + 1)) {
            g_free(env->pdata[i]);
            env->pdata[i] = g_strdup(variable);
            return true;
        }
    g_ptr_array_add(env, g_strdup(variable));
    return true;
}

static bool set_variables(GPtrArray *env, char **variables, GError **error)
{
    for (; variables && *variables; variables++)
        if (!set_variable(env, *variables, error))
            return false;
    return true;
}

bool rw_job_make_env(const RwJobRequest *request, const RwImageDefaults *defaults, const char *home,
                     RwInputs *inputs, GError **error)
{
    GPtrArray *env = g_ptr_array_new();
    g_auto(GStrv) usual = rw_inputs_dup_default_env(inputs->uid, inputs->tty);
    g_autofree char *own_home = g_strconcat("HOME=", home, NULL);
    bool ok = set_variables(env, usual, error) && (!home || set_variable(env, own_home, error)) &&
              set_variables(env, defaults ? defaults->env : NULL, error) &&
              set_variables(env, request->env, error);
    g_ptr_array_add(env, NULL);
    g_strfreev(inputs->env);
    inputs->env = (char **)g_ptr_array_free(env, false);
    return ok;
}

bool rw_job_parse_user(const char *text, RwInputs *inputs, GError **error)
{
    if (!text)
        return true;
    g_auto(GStrv) ids = g_strsplit(text, ":", 2);
    guint64 uid, gid;
    if (!ids[0] || !g_ascii_string_to_unsigned(ids[0], 10, 0, G_MAXUINT32 - 1, &uid, NULL) ||
        !g_ascii_string_to_unsigned(ids[1] ? ids[1] : ids[0], 10, 0, G_MAXUINT32 - 1, &gid, NULL)) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "--user %s: must be UID or UID:GID in numbers", text);
        return false;
    }
    inputs->uid = (uint32_t)uid;
    inputs->gid = (uint32_t)gid;
    return true;
}
