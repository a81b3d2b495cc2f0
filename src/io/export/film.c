// SPDX-License-Identifier: Apache-2.0
//
// Films: raw pictures into the standard input of ffmpeg.
//
// The encoder is started without a shell, in a process group of its own, so that an interrupt at
// the terminal reaches the caller only, who may then still finish the film. Pictures travel through
// a socket instead of a pipe: writing to a pipe whose reader has died raises SIGPIPE and would end
// the caller's program. What the encoder complains of goes to a temporary file and from there into
// the context's message.
#include "pliant/io.h"

#include "base/memory.h"
#include "base/text.h"
#include "io/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST_PIXELS_ACROSS = 16384, WORST_QUALITY = 51, NUMBER_CAPACITY = 48, ARGUMENTS = 40 };

struct pli_film {
    pli_context *context;
    char *path;
    pli_draft *draft; // the file while it is being written
    char *program;    // the encoder
    int32_t width;
    int32_t height;
    double rate;
    int32_t quality;

    pid_t process;    // the encoder; 0: none runs
    int input;        // our end of its standard input; -1: closed
    FILE *complaints; // its standard error
};

pli_film_def pli_film_def_default(void)
{
    return (pli_film_def){
        .width = 960, .height = 600, .rate = 24, .quality = 18, .program = "ffmpeg"};
}

// what ffmpeg calls the format of a film, by the ending of its name; NULL when it is none of ours
static const char *film_format(const char *path)
{
    static const char *const known[][2] = {{"mp4", "mp4"}, {"mov", "mov"}, {"mkv", "matroska"}};
    for (int i = 0; i < 3; ++i) {
        if (strcasecmp(pli_path_ending(path), known[i][0]) == 0) return known[i][1];
    }
    return NULL;
}

static pli_status check_def(pli_context *context, const pli_film_def *def)
{
    if (def->path == NULL || film_format(def->path) == NULL) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "film '%s': the name must end in .mp4, .mov or .mkv",
                        def->path != NULL ? def->path : "");
    }
    int32_t most = MOST_PIXELS_ACROSS;
    if (def->width < 2 || def->height < 2 || def->width > most || def->height > most) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "film of %d x %d pixels; each side must be 2 to %d", def->width,
                        def->height, most);
    }
    if (def->width % 2 != 0 || def->height % 2 != 0) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "film of %d x %d pixels: H.264 needs even sides, such as %d x %d",
                        def->width, def->height, def->width + def->width % 2,
                        def->height + def->height % 2);
    }
    if (!(def->rate > 0 && def->rate <= 1000)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "film: rate is %g; allowed is up to 1000 pictures per second", def->rate);
    }
    if (def->quality < 0 || def->quality > WORST_QUALITY) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "film: quality is %d; allowed are 0 to %d",
                        def->quality, WORST_QUALITY);
    }
    return PLI_OK;
}

static pli_status copy_def(pli_context *context, const pli_film_def *def, pli_film *film)
{
    film->width = def->width;
    film->height = def->height;
    film->rate = def->rate;
    film->quality = def->quality;
    film->path = pli_string_copy(context, def->path);
    if (film->path == NULL) return PLI_ERROR_MEMORY;
    bool named = def->program != NULL && def->program[0] != '\0';
    film->program = pli_string_copy(context, named ? def->program : "ffmpeg");
    if (film->program == NULL) return PLI_ERROR_MEMORY;
    return pli_draft_create(context, film->path, &film->draft);
}

// both ends of the encoder's input and the file for its complaints; none survives an exec
static pli_status open_channels(pli_film *film, int *child_end)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return PLI_FAIL(film->context, PLI_ERROR_IO, "cannot open a socket to '%s': %s",
                        film->program, strerror(errno));
    }
    film->input = ends[0];
    *child_end = ends[1];
    film->complaints = tmpfile();
    if (film->complaints == NULL) {
        return PLI_FAIL(film->context, PLI_ERROR_IO, "cannot open a temporary file: %s",
                        strerror(errno));
    }
    (void)fcntl(fileno(film->complaints), F_SETFD, FD_CLOEXEC);
    return PLI_OK;
}

// runs the encoder with the child's end as its standard input; returns an error number
static int spawn(pli_film *film, int child_end, const char *const *arguments)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) return error;
    error = posix_spawnattr_init(&attributes);
    if (error != 0) goto done_actions;

    error = posix_spawn_file_actions_adddup2(&actions, child_end, STDIN_FILENO);
    if (error != 0) goto done;
    error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (error != 0) goto done;
    error = posix_spawn_file_actions_adddup2(&actions, fileno(film->complaints), STDERR_FILENO);
    if (error != 0) goto done;
    error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    if (error != 0) goto done;
    // the texts are only read, whatever the prototype says
    error = posix_spawnp(&film->process, film->program, &actions, &attributes,
                         (char *const *)(uintptr_t)arguments, environ);
    if (error != 0) film->process = 0;

done:
    posix_spawnattr_destroy(&attributes);
done_actions:
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

// The encoder's command line: texts that depend on the film, and the list that leads to them.
typedef struct command_line {
    char size[NUMBER_CAPACITY];
    char rate[NUMBER_CAPACITY];
    char quality[NUMBER_CAPACITY];
    pli_text output;
    int32_t count;
    const char *arguments[ARGUMENTS]; // ends with NULL
} command_line;

static void command_add(command_line *command, const char *option, const char *value)
{
    command->arguments[command->count++] = option;
    if (value != NULL) command->arguments[command->count++] = value;
}

static void command_init(const pli_film *film, command_line *command)
{
    snprintf(command->size, sizeof command->size, "%dx%d", film->width, film->height);
    snprintf(command->rate, sizeof command->rate, "%.9g", film->rate);
    snprintf(command->quality, sizeof command->quality, "%d", film->quality);
    // "file:" keeps ffmpeg from reading names such as "-a.mp4" or "a:b.mp4" as something else
    pli_text_init(&command->output, film->context);
    pli_text_format(&command->output, "file:%s", pli_draft_name(film->draft));
    command->count = 0;

    command_add(command, film->program, NULL);
    command_add(command, "-loglevel", "error");
    command_add(command, "-nostdin", "-y");
    // what comes in
    command_add(command, "-f", "rawvideo");
    command_add(command, "-pix_fmt", "rgb24");
    command_add(command, "-s", command->size);
    command_add(command, "-r", command->rate);
    command_add(command, "-i", "pipe:0");
    // what goes out: plain 4:2:0, which every player shows, marked with the colours it has
    command_add(command, "-c:v", "libx264");
    command_add(command, "-pix_fmt", "yuv420p");
    command_add(command, "-crf", command->quality);
    command_add(command, "-vf", "scale=out_color_matrix=bt709");
    command_add(command, "-colorspace", "bt709");
    command_add(command, "-color_primaries", "bt709");
    command_add(command, "-color_trc", "bt709");
    command_add(command, "-movflags", "+faststart");
    command_add(command, "-f", film_format(film->path));
    command_add(command, command->output.bytes, NULL);
    command_add(command, NULL, NULL);
}

static pli_status start_encoder(pli_film *film, int child_end)
{
    command_line command;
    command_init(film, &command);
    if (command.output.failed) {
        pli_text_clear(&command.output);
        return PLI_ERROR_MEMORY;
    }
    int error = spawn(film, child_end, command.arguments);
    pli_text_clear(&command.output);
    if (error == 0) return PLI_OK;
    if (error == ENOENT) {
        return PLI_FAIL(film->context, PLI_ERROR_UNSUPPORTED,
                        "films need the program '%s', which was not found; install ffmpeg, or "
                        "write pictures into a folder instead",
                        film->program);
    }
    return PLI_FAIL(film->context, PLI_ERROR_IO, "cannot start '%s': %s", film->program,
                    strerror(error));
}

pli_status pli_film_create(pli_context *context, const pli_film_def *def, pli_film **film)
{
    *film = NULL;
    PLI_TRY(check_def(context, def));
    pli_film *made = PLI_NEW(context, pli_film, 1, "film");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->input = -1;
    int child_end = -1;

    pli_status status = copy_def(context, def, made);
    if (status != PLI_OK) goto done;
    status = open_channels(made, &child_end);
    if (status != PLI_OK) goto done;
    status = start_encoder(made, child_end);
    if (status != PLI_OK) goto done;
    *film = made;
    made = NULL;

done:
    if (child_end >= 0) close(child_end);
    pli_film_destroy(made);
    return status;
}

// closes the encoder's input and waits for it; true when it ended well
static bool end_encoder(pli_film *film)
{
    if (film->input >= 0) close(film->input);
    film->input = -1;
    if (film->process == 0) return false;
    int ending = 0;
    pid_t ended = 0;
    do {
        ended = waitpid(film->process, &ending, 0);
    } while (ended < 0 && errno == EINTR);
    film->process = 0;
    return ended > 0 && WIFEXITED(ending) && WEXITSTATUS(ending) == 0;
}

// records a failure with the last words of the encoder
static pli_status fail_with_complaints(pli_film *film, const char *what)
{
    char words[512] = "";
    (void)fseek(film->complaints, 0, SEEK_END);
    long size = ftell(film->complaints);
    long begin = size > (long)sizeof words - 1 ? size - (long)sizeof words + 1 : 0;
    (void)fseek(film->complaints, begin, SEEK_SET);
    size_t count = fread(words, 1, sizeof words - 1, film->complaints);
    while (count > 0 && words[count - 1] == '\n') --count;
    words[count] = '\0';
    return PLI_FAIL(film->context, PLI_ERROR_IO, "film '%s': %s: %s", film->path, what,
                    words[0] != '\0' ? words : "it gave no reason");
}

pli_status pli_film_add(pli_film *film, const uint8_t *rgb)
{
    if (film->process == 0) {
        return PLI_FAIL(film->context, PLI_ERROR_ARGUMENT,
                        "film '%s' has ended; no picture can be added", film->path);
    }
    size_t left = (size_t)film->width * (size_t)film->height * 3;
    while (left > 0) {
        ssize_t sent = send(film->input, rgb, left, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) {
            // the encoder has gone; what it said is complete once it has ended
            (void)end_encoder(film);
            return fail_with_complaints(film, "the encoder stopped");
        }
        rgb += sent;
        left -= (size_t)sent;
    }
    return PLI_OK;
}

pli_status pli_film_finish(pli_film *film)
{
    if (film->process == 0) {
        return PLI_FAIL(film->context, PLI_ERROR_ARGUMENT, "film '%s' has already ended",
                        film->path);
    }
    if (!end_encoder(film)) return fail_with_complaints(film, "the encoder failed");
    return pli_draft_commit(film->draft);
}

void pli_film_destroy(pli_film *film)
{
    if (film == NULL) return;
    if (film->process != 0) {
        (void)kill(film->process, SIGTERM);
        (void)end_encoder(film);
    }
    if (film->input >= 0) close(film->input);
    if (film->complaints != NULL) fclose(film->complaints);
    pli_draft_destroy(film->draft);
    PLI_RELEASE(film->context, film->program, film->path, film);
}
