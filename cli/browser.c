// SPDX-License-Identifier: Apache-2.0
#include "browser.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

extern char **environ;

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0';
}

// In a group of its own, so that Ctrl-C of ours does not close it, with the signals that we ignore
// as they were.
static bool set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t restored;
    sigemptyset(&restored);
    sigaddset(&restored, SIGPIPE);
    sigaddset(&restored, SIGXFSZ);
    return posix_spawnattr_setpgroup(attributes, 0) == 0 &&
           posix_spawnattr_setsigdefault(attributes, &restored) == 0 &&
           posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF) == 0;
}

// Without our streams: standard output is for the address alone.
static bool set_streams(posix_spawn_file_actions_t *actions)
{
    bool done = true;
    for (int stream = 0; stream <= 2; ++stream) {
        done =
            done && posix_spawn_file_actions_addopen(actions, stream, "/dev/null", O_RDWR, 0) == 0;
    }
    return done;
}

static bool start(char *const *values)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t child = 0;
    if (posix_spawn_file_actions_init(&actions) != 0) return false;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return false;
    }
    bool started = set_attributes(&attributes) && set_streams(&actions) &&
                   posix_spawnp(&child, values[0], &actions, &attributes, values, environ) == 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return started;
}

bool pli_cli_open_browser(const char *address)
{
    char *target = (char *)address;
    if (is_set("BROWSER")) {
        // may be a command with options
        char *values[] = {"sh", "-c", "exec $BROWSER \"$1\"", "sh", target, NULL};
        return start(values);
    }
    if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) return false;
    char *values[] = {"xdg-open", target, NULL};
    return start(values);
}
