// SPDX-License-Identifier: Apache-2.0
//
// Completion scripts for three shells, made from the option table. Names of scenes, solvers and
// materials are asked from the program when the key is pressed.
#include "session.h"

#include <string.h>

// ---- what all shells need

// Where the values of a hint come from, in the words of each shell.
typedef struct hint_source {
    const char *word; // argument of _pliant_offer in bash
    const char *zsh;  // action of _arguments
    const char *fish; // arguments of complete
} hint_source;

static const hint_source hints[] = {
    [PLI_CLI_HINT_NONE] = {"none", " ", "-x"},
    [PLI_CLI_HINT_FILE] = {"file", "_files", "-r -F"},
    [PLI_CLI_HINT_FOLDER] = {"folder", "_files -/", "-x -a '(__fish_complete_directories)'"},
    [PLI_CLI_HINT_SCENE] = {"scene", "_pliant_scene", "-F -a '(__pliant_names scenes)'"},
    [PLI_CLI_HINT_SCENE_NAME] = {"scenes", "_pliant_names scenes",
                                 "-x -a '(__pliant_names scenes)'"},
    [PLI_CLI_HINT_SOLVER] = {"solvers", "_pliant_names solvers",
                             "-x -a '(__pliant_names solvers)'"},
    [PLI_CLI_HINT_MATERIAL] = {"materials", "_pliant_names materials",
                               "-x -a '(__pliant_names materials)'"},
    [PLI_CLI_HINT_KEY] = {"key", "_pliant_keys", "-x -a '(__pliant_keys)'"},
    [PLI_CLI_HINT_COMMAND] = {"command", "_pliant_commands", "-x -a '(__pliant_commands)'"},
    [PLI_CLI_HINT_BENCH] = {"bench", "_pliant_names bench", "-x -a '(__pliant_names bench)'"},
};

// The doc of an option up to its first aside, with a backslash before letters that are special
// inside the shell's quotes, and no quotes.
static void put_doc(const char *doc, const char *special)
{
    size_t length = strcspn(doc, ";(");
    while (length > 0 && doc[length - 1] == ' ') --length;
    for (size_t index = 0; index < length; ++index) {
        if (doc[index] == '\'' || doc[index] == '"') continue;
        if (strchr(special, doc[index]) != NULL) putchar('\\');
        putchar(doc[index]);
    }
}

static void put_words(const char *const *words)
{
    for (int32_t index = 0; words[index] != NULL; ++index) {
        printf("%s%s", index > 0 ? " " : "", words[index]);
    }
}

static bool has_choices(const pli_cli_option *option)
{
    pli_cli_choice choice;
    return pli_cli_get_choice(option, 0, &choice);
}

static void put_choices(const pli_cli_option *option)
{
    pli_cli_choice choice;
    for (int32_t index = 0; pli_cli_get_choice(option, index, &choice); ++index) {
        printf("%s%s", index > 0 ? " " : "", choice.name);
    }
}

static void put_command_names(void)
{
    for (int32_t index = 0; pli_cli_commands[index] != NULL; ++index) {
        printf("%s%s", index > 0 ? " " : "", pli_cli_commands[index]->name);
    }
}

// ---- bash

static const char bash_head[] =
    "# bash completion for pliant; made by 'pliant completion bash'\n"
    "_pliant_fill() {\n"
    "    mapfile -t COMPREPLY < <(compgen \"$@\")\n"
    "}\n"
    "_pliant_names() {\n"
    "    \"${COMP_WORDS[0]}\" \"$@\" 2>/dev/null | cut -d' ' -f1\n"
    "}\n"
    "_pliant_offer() {\n"
    "    case \"$1\" in\n"
    "    file) compopt -o filenames; _pliant_fill -f -- \"$2\" ;;\n"
    "    folder) compopt -o filenames; _pliant_fill -d -- \"$2\" ;;\n"
    "    scene)\n"
    "        compopt -o filenames\n"
    "        mapfile -t COMPREPLY < <(\n"
    "            compgen -W \"$(_pliant_names scenes)\" -- \"$2\"\n"
    "            compgen -f -- \"$2\"\n"
    "        )\n"
    "        ;;\n"
    "    scenes | solvers | materials | bench)\n"
    "        _pliant_fill -W \"$(_pliant_names \"$1\")\" -- \"$2\" ;;\n"
    "    key)\n"
    "        compopt -o nospace\n"
    "        _pliant_fill -S = -W \"$(_pliant_names schema --format paths)\" -- \"$2\" ;;\n"
    "    command) _pliant_fill -W \"$_pliant_commands\" -- \"$2\" ;;\n"
    "    words) _pliant_fill -W \"$3\" -- \"$2\" ;;\n"
    "    esac\n"
    "}\n";

static const char bash_begin[] =
    "_pliant() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    # the shell cuts --name=value into three words\n"
    "    if [ \"$word\" = = ]; then word=; fi\n"
    "    if [ \"$before\" = = ]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
    "    COMPREPLY=()\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        _pliant_offer words \"$word\" \"$_pliant_commands --help --version\"\n"
    "        return\n"
    "    fi\n";

static void put_bash_value(const pli_cli_command *command, const pli_cli_option *option)
{
    printf("    '%s --%s'", command->name, option->name);
    if (option->letter != 0) printf(" | '%s -%c'", command->name, option->letter);
    if (has_choices(option)) {
        printf(") _pliant_offer words \"$word\" '");
        put_choices(option);
        printf("'; return ;;\n");
    } else {
        printf(") _pliant_offer %s \"$word\"; return ;;\n", hints[option->hint].word);
    }
}

static void put_bash_operand(const pli_cli_command *command)
{
    if (command->max_operands == 0) return;
    printf("    %s) _pliant_offer ", command->name);
    if (command->choices != NULL) {
        printf("words \"$word\" '");
        put_words(command->choices);
        printf("' ;;\n");
    } else {
        printf("%s \"$word\" ;;\n", hints[command->hint].word);
    }
}

static void put_bash(void)
{
    const pli_cli_option *option;
    printf("%s_pliant_commands='", bash_head);
    put_command_names();
    printf("'\n%s    case \"${COMP_WORDS[1]} $before\" in\n", bash_begin);
    for (int32_t row = 0; pli_cli_commands[row] != NULL; ++row) {
        for (int32_t i = 0; (option = pli_cli_get_option(pli_cli_commands[row], i)) != NULL; ++i) {
            if (option->value != NULL) put_bash_value(pli_cli_commands[row], option);
        }
    }
    printf("    esac\n    case \"${COMP_WORDS[1]} $word\" in\n");
    for (int32_t row = 0; pli_cli_commands[row] != NULL; ++row) {
        printf("    '%s -'*) _pliant_offer words \"$word\" '", pli_cli_commands[row]->name);
        for (int32_t i = 0; (option = pli_cli_get_option(pli_cli_commands[row], i)) != NULL; ++i) {
            printf("%s--%s", i > 0 ? " " : "", option->name);
        }
        printf("'; return ;;\n");
    }
    printf("    esac\n    case \"${COMP_WORDS[1]}\" in\n");
    for (int32_t row = 0; pli_cli_commands[row] != NULL; ++row) {
        put_bash_operand(pli_cli_commands[row]);
    }
    printf("    esac\n}\ncomplete -F _pliant pliant\n");
}

// ---- zsh

static const char zsh_head[] =
    "#compdef pliant\n"
    "# zsh completion for pliant; made by 'pliant completion zsh'\n"
    "# the shell puts options for compadd before our own argument\n"
    "_pliant_names() {\n"
    "  local -a names\n"
    "  names=(${(f)\"$(pliant ${@[-1]} 2>/dev/null | cut -d' ' -f1)\"})\n"
    "  compadd \"${@[1,-2]}\" -a names\n"
    "}\n"
    "_pliant_scene() { _alternative 'scenes:shipped scene:_pliant_names scenes' "
    "'files:file:_files' }\n"
    "_pliant_keys() {\n"
    "  local -a keys\n"
    "  keys=(${(f)\"$(pliant schema --format paths 2>/dev/null)\"})\n"
    "  compadd \"$@\" -S = -a keys\n"
    "}\n"
    "_pliant_commands() {\n"
    "  local -a commands\n"
    "  commands=(\n";

static void put_zsh_option(const pli_cli_option *option)
{
    bool repeats = option->kind == PLI_CLI_TEXTS || option->kind == PLI_CLI_COUNT;
    const char *star = repeats ? "*" : "";
    if (option->letter != 0) {
        printf("      '%s'{-%c,--%s}'[", star, option->letter, option->name);
    } else {
        printf("      '%s--%s[", star, option->name);
    }
    put_doc(option->doc, "[]:");
    printf("]");
    if (has_choices(option)) {
        printf(":%s:(", option->value);
        put_choices(option);
        printf(")");
    } else if (option->value != NULL) {
        printf(":%s:%s", option->value, hints[option->hint].zsh);
    }
    printf("' \\\n");
}

static void put_zsh(void)
{
    printf("%s", zsh_head);
    for (int32_t row = 0; pli_cli_commands[row] != NULL; ++row) {
        printf("    '%s:", pli_cli_commands[row]->name);
        put_doc(pli_cli_commands[row]->summary, ":");
        printf("'\n");
    }
    printf("  )\n  _describe command commands\n}\n"
           "_pliant() {\n"
           "  if (( CURRENT == 2 )); then\n    _pliant_commands\n    return\n  fi\n"
           "  local command=${words[2]}\n"
           "  shift words\n  (( CURRENT-- ))\n  case $command in\n");
    for (int32_t row = 0; pli_cli_commands[row] != NULL; ++row) {
        const pli_cli_command *command = pli_cli_commands[row];
        const pli_cli_option *option;
        printf("  %s)\n    _arguments -s \\\n", command->name);
        for (int32_t index = 0; (option = pli_cli_get_option(command, index)) != NULL; ++index) {
            put_zsh_option(option);
        }
        if (command->choices != NULL) {
            printf("      '1:value:(");
            put_words(command->choices);
            printf(")'\n");
        } else if (command->max_operands > 0) {
            printf("      '*:value:%s'\n", hints[command->hint].zsh);
        } else {
            printf("      && return 0\n");
        }
        printf("    ;;\n");
    }
    printf("  esac\n}\n"
           "if [ \"$funcstack[1]\" = _pliant ]; then _pliant \"$@\"; else compdef _pliant pliant; "
           "fi\n");
}

// ---- fish

static const char fish_head[] =
    "# fish completion for pliant; made by 'pliant completion fish'\n"
    "function __pliant_names\n    pliant $argv[1] 2>/dev/null | string split -f1 ' '\nend\n"
    "function __pliant_keys\n    pliant schema --format paths 2>/dev/null | "
    "string replace -r '$' '='\nend\n"
    "function __pliant_is\n"
    "    set -l words (commandline -opc)\n"
    "    test (count $words) -gt 1; and test $words[2] = $argv[1]\n"
    "end\n"
    "function __pliant_is_first\n    test (count (commandline -opc)) -eq 1\nend\n"
    "complete -c pliant -f\n";

static void put_fish_option(const pli_cli_command *command, const pli_cli_option *option)
{
    printf("complete -c pliant -n '__pliant_is %s' -l %s", command->name, option->name);
    if (option->letter != 0) printf(" -s %c", option->letter);
    printf(" -d '");
    put_doc(option->doc, "\\");
    printf("'");
    if (has_choices(option)) {
        printf(" -x -a '");
        put_choices(option);
        printf("'");
    } else if (option->value != NULL) {
        printf(" %s", hints[option->hint].fish);
    }
    printf("\n");
}

static void put_fish(void)
{
    printf("%sfunction __pliant_commands\n    string split ' ' '", fish_head);
    put_command_names();
    printf("'\nend\n");
    for (int32_t row = 0; pli_cli_commands[row] != NULL; ++row) {
        const pli_cli_command *command = pli_cli_commands[row];
        printf("complete -c pliant -n __pliant_is_first -a %s -d '", command->name);
        put_doc(command->summary, "\\");
        printf("'\n");
        if (command->choices != NULL) {
            printf("complete -c pliant -n '__pliant_is %s' -a '", command->name);
            put_words(command->choices);
            printf("'\n");
        } else if (command->max_operands > 0) {
            printf("complete -c pliant -n '__pliant_is %s' %s\n", command->name,
                   hints[command->hint].fish);
        }
        const pli_cli_option *option;
        for (int32_t index = 0; (option = pli_cli_get_option(command, index)) != NULL; ++index) {
            put_fish_option(command, option);
        }
    }
}

// ---- the command

static const char *const shells[] = {"bash", "zsh", "fish", NULL};

static int run_completion(pli_cli_session *session)
{
    static void (*const put[])(void) = {put_bash, put_zsh, put_fish};
    for (int32_t index = 0; shells[index] != NULL; ++index) {
        if (strcmp(shells[index], session->arguments.operands[0]) == 0) put[index]();
    }
    return PLI_CLI_DONE;
}

const pli_cli_command pli_cli_command_completion = {
    .name = "completion",
    .operands = "bash|zsh|fish",
    .min_operands = 1,
    .max_operands = 1,
    .choices = shells,
    .summary = "prints the completion script for a shell",
    .about =
        "Prints a script that teaches a shell to complete the commands, options, scenes, solvers "
        "and materials of this program. 'make install' puts the scripts where shells look.",
    .examples = "  source <(pliant completion bash)\n"
                "  pliant completion fish > ~/.config/fish/completions/pliant.fish\n",
    .shared = {&pli_cli_help_options},
    .run = run_completion,
};
