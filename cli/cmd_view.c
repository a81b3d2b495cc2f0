// SPDX-License-Identifier: Apache-2.0
//
// The page in the browser on a run's folder.
#include "serving.h"
#include "signals.h"

static int run_view(pli_cli_session *session)
{
    pli_cli_signals_catch();
    const char *folder = session->arguments.operands[0];
    pli_cli_page options;
    int code = pli_cli_page_init(session, &options);
    if (code != PLI_CLI_DONE) return code;
    pli_page *page = NULL;
    pli_status status = pli_page_create_view(session->context, &options.def, folder, &page);
    if (status == PLI_OK) status = pli_cli_serve(session, page, folder, folder);
    code = status == PLI_OK ? PLI_CLI_DONE : pli_cli_report(session, status);
    pli_page_destroy(page);
    return code;
}

const pli_cli_command pli_cli_command_view = {
    .name = "view",
    .operands = "DIR",
    .min_operands = 1,
    .max_operands = 1,
    .hint = PLI_CLI_HINT_FOLDER,
    .computes = true,
    .summary = "shows the frames of a run in the browser",
    .about = "Serves a page with the frames in the folder of a run, finished or still going, and "
             "prints its address. Where there is a desktop, the browser is opened: $BROWSER, or "
             "xdg-open. The page plays the frames, turns, colours and cuts the bodies, and saves "
             "views. Ctrl-C ends.\n\n"
             "The server listens on this machine alone. The printed address opens the page once "
             "and within ten minutes; the browser that opened it is known from then on. Enter "
             "gives another address. To look from another machine, forward the port: "
             "ssh -L 8686:127.0.0.1:8686 HOST, and open the address there.",
    .examples = "  pliant view out/demo\n"
                "  pliant view out/demo --port 9000 --no-open\n",
    .shared = {&pli_cli_page_options, &pli_cli_talk_options, &pli_cli_json_options},
    .run = run_view,
};
