// SPDX-License-Identifier: Apache-2.0
#include "help.h"

#include <string.h>

enum { NAME_COLUMN = 14, DOC_COLUMN = 26, WIDEST = 100, DOC_CAPACITY = 1024 };

static const char *const exit_codes[][2] = {
    {"0", "done"},
    {"1", "the simulation failed: a step was rejected, or some did not converge; the message says "
          "where the state was saved"},
    {"2", "the usage, the scene or a mesh is wrong"},
    {"3", "reading or writing a file failed"},
    {"4",
     "an invariant broke: something not finite was found in the state, or check --frames found "
     "surfaces that intersect or tetrahedra that are inverted"},
    {"130", "interrupted or out of time; the state was saved, and --resume goes on from it"},
};

static const char *const environment[][2] = {
    {"OMP_NUM_THREADS", "number of threads when --threads is not given"},
    {"OMP_WAIT_POLICY", "set to passive for the program itself when it is not set"},
    {"OPENBLAS_NUM_THREADS", "set to 1 together with OMP_WAIT_POLICY when it is not set"},
    {"PLIANT_LOG", "log level when --log-level is not given"},
    {"NO_COLOR, CLICOLOR_FORCE", "never, or always, colour messages"},
    {"COLUMNS", "width of help texts and of the status line"},
};

enum {
    EXIT_COUNT = sizeof exit_codes / sizeof *exit_codes,
    ENVIRONMENT_COUNT = sizeof environment / sizeof *environment
};

// ---- plain text

static void put_spaces(FILE *out, int32_t count)
{
    for (int32_t index = 0; index < count; ++index) fputc(' ', out);
}

void pli_cli_print_wrapped(FILE *out, const char *text, int32_t used, int32_t indent,
                           int32_t columns)
{
    if (columns > WIDEST) columns = WIDEST;
    int32_t column = used;
    if (column < indent) {
        put_spaces(out, indent - column);
        column = indent;
    }
    bool starts_line = true;
    for (const char *word = text + strspn(text, " \n"); *word != '\0';) {
        int32_t length = (int32_t)strcspn(word, " \n");
        if (!starts_line && column + 1 + length > columns) {
            fputc('\n', out);
            put_spaces(out, indent);
            column = indent;
            starts_line = true;
        }
        if (!starts_line) fputc(' ', out);
        fwrite(word, 1, (size_t)length, out);
        column += length + !starts_line;
        starts_line = false;
        word += length;
        word += strspn(word, " \n");
    }
    fputc('\n', out);
}

// Writes paragraphs that are parted by blank lines.
static void put_paragraphs(FILE *out, const char *text, int32_t columns)
{
    while (*text != '\0') {
        const char *end = strstr(text, "\n\n");
        size_t length = end != NULL ? (size_t)(end - text) : strlen(text);
        char paragraph[2048];
        if (length >= sizeof paragraph) length = sizeof paragraph - 1;
        memcpy(paragraph, text, length);
        paragraph[length] = '\0';
        pli_cli_print_wrapped(out, paragraph, 0, 0, columns);
        text += length;
        text += strspn(text, "\n");
        if (*text != '\0') fputc('\n', out);
    }
}

// "-o, --output DIR"
static void name_option(const pli_cli_option *option, char *text, size_t capacity)
{
    char letter[8] = "    ";
    if (option->letter != 0) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(text, capacity, "%s--%s%s%s", letter, option->name, option->value != NULL ? " " : "",
             option->value != NULL ? option->value : "");
}

// The sentence on an option, with what it takes and its default.
static void document_option(const pli_cli_option *option, char *text, size_t capacity)
{
    size_t used = (size_t)snprintf(text, capacity, "%s", option->doc);
    pli_cli_choice choice;
    for (int32_t index = 0; pli_cli_get_choice(option, index, &choice); ++index) {
        // "level: low, high", or "level. low: hardly any; high: a lot"
        bool has_doc = choice.doc != NULL;
        const char *before = index == 0 ? (has_doc ? ". " : ": ") : (has_doc ? "; " : ", ");
        used += (size_t)snprintf(text + used, capacity - used, "%s%s%s%s", before, choice.name,
                                 has_doc ? ": " : "", has_doc ? choice.doc : "");
        if (used >= capacity) return;
    }
    if (option->fallback != NULL) {
        snprintf(text + used, capacity - used, " (default: %s)", option->fallback);
    }
}

static void put_option(FILE *out, const pli_cli_option *option, int32_t columns)
{
    char name[96];
    char doc[DOC_CAPACITY];
    name_option(option, name, sizeof name);
    document_option(option, doc, sizeof doc);
    int32_t used = (int32_t)fprintf(out, "  %s", name);
    if (used >= DOC_COLUMN) {
        fputc('\n', out);
        used = 0;
    }
    pli_cli_print_wrapped(out, doc, used, DOC_COLUMN, columns);
}

void pli_cli_print_overview(FILE *out, int32_t columns)
{
    fprintf(out, "pliant %s: simulates matter that deforms\n\n", pli_version());
    fprintf(out, "usage: pliant COMMAND [arguments]\n\n");
    for (const pli_cli_command *const *command = pli_cli_commands; *command != NULL; ++command) {
        int32_t used = (int32_t)fprintf(out, "  %s", (*command)->name);
        pli_cli_print_wrapped(out, (*command)->summary, used, NAME_COLUMN, columns);
    }
    fprintf(out,
            "\n'pliant COMMAND --help' tells more, 'pliant --version' what this build can do.\n"
            "To begin: pliant run demo\n");
}

void pli_cli_print_help(FILE *out, const pli_cli_command *command, int32_t columns)
{
    fprintf(out, "usage: pliant %s%s%s [options]\n\n", command->name,
            command->operands[0] != '\0' ? " " : "", command->operands);
    put_paragraphs(out, command->about, columns);
    fprintf(out, "\nOptions:\n");
    const pli_cli_option *option;
    for (int32_t index = 0; (option = pli_cli_get_option(command, index)) != NULL; ++index) {
        put_option(out, option, columns);
    }
    if (command->examples != NULL) fprintf(out, "\nExamples:\n%s", command->examples);
}

void pli_cli_print_version(FILE *out)
{
    fprintf(out, "pliant %s\n%s\n", pli_version(), pli_build_get()->text);
    if (pli_build_get()->commit[0] != '\0') fprintf(out, "commit %s\n", pli_build_get()->commit);
}

// ---- man page

// Writes text for roff: dashes that can be copied, and no line that looks like a request.
static void put_roff(FILE *out, const char *text)
{
    for (const char *letter = text; *letter != '\0'; ++letter) {
        bool starts_line = letter == text || letter[-1] == '\n';
        if (starts_line && (*letter == '.' || *letter == '\'')) fputs("\\&", out);
        if (*letter == '-') {
            fputs("\\-", out);
        } else if (*letter == '\\') {
            fputs("\\e", out);
        } else if (letter[0] == '\n' && letter[1] == '\n') {
            fputs("\n.PP", out);
        } else {
            fputc(*letter, out);
        }
    }
}

static void put_man_pairs(FILE *out, const char *title, const char *const pairs[][2], int32_t count)
{
    fprintf(out, ".SH %s\n", title);
    for (int32_t index = 0; index < count; ++index) {
        fprintf(out, ".TP\n.B %s\n", pairs[index][0]);
        put_roff(out, pairs[index][1]);
        fputs(".\n", out);
    }
}

static void put_man_option(FILE *out, const pli_cli_option *option)
{
    char doc[DOC_CAPACITY];
    document_option(option, doc, sizeof doc);
    fputs(".TP\n", out);
    if (option->letter != 0) fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", out);
    put_roff(out, option->name);
    fprintf(out, option->value != NULL ? "\\fR \\fI%s\\fR\n" : "\\fR\n",
            option->value != NULL ? option->value : "");
    put_roff(out, doc);
    fputs(".\n", out);
}

static void put_man_command(FILE *out, const pli_cli_command *command)
{
    fprintf(out, ".SS pliant %s %s\n", command->name, command->operands);
    put_roff(out, command->about);
    fputc('\n', out);
    const pli_cli_option *option;
    for (int32_t index = 0; (option = pli_cli_get_option(command, index)) != NULL; ++index) {
        // --help is said once for all
        if (strcmp(option->name, "help") != 0) put_man_option(out, option);
    }
    if (command->examples == NULL) return;
    fputs(".PP\nExamples:\n.PP\n.nf\n", out);
    put_roff(out, command->examples);
    fputs(".fi\n", out);
}

void pli_cli_print_man(FILE *out)
{
    fprintf(out, ".TH PLIANT 1 \"\" \"pliant %s\" \"User Commands\"\n", pli_version());
    fputs(
        ".SH NAME\npliant \\- simulates matter that deforms\n"
        ".SH SYNOPSIS\n.B pliant\n.I COMMAND\n[\\fIarguments\\fR]\n"
        ".SH DESCRIPTION\n"
        "Simulates rubber, flesh, metal, cloth and other matter that deforms, with large and safe "
        "time steps: from a scene as text to frames and pictures.\n"
        ".PP\nOptions may stand anywhere among the arguments; \\fB\\-\\-\\fR ends them. "
        "Underscores in their names count as dashes. Every command takes \\fB\\-\\-help\\fR.\n"
        ".SH COMMANDS\n",
        out);
    for (const pli_cli_command *const *command = pli_cli_commands; *command != NULL; ++command) {
        put_man_command(out, *command);
    }
    put_man_pairs(out, "EXIT STATUS", exit_codes, EXIT_COUNT);
    put_man_pairs(out, "ENVIRONMENT", environment, ENVIRONMENT_COUNT);
}
