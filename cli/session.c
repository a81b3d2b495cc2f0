// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include "signals.h"

const char *pli_cli_choose_output(const pli_cli_session *session, const char *folder,
                                  const char *name, char *text, size_t capacity)
{
    if (session->arguments.output != NULL) return session->arguments.output;
    snprintf(text, capacity, "%s/%s", folder, name);
    return text;
}

bool pli_cli_ask_cancel(void *user)
{
    (void)user;
    return pli_cli_stop_requested();
}

int pli_cli_end(pli_cli_session *session, pli_status status, const char *output)
{
    pli_cli_set_status(&session->console, "");
    if (status == PLI_OK) return PLI_CLI_DONE;
    if (status != PLI_ERROR_INTERRUPTED) return pli_cli_report(session, status);
    pli_cli_error(&session->console, "stopped by %s; what was finished is in %s",
                  pli_cli_stop_signal(), output);
    return PLI_CLI_INTERRUPTED;
}
