/* program.c - running another program, without a shell. */
#include "cli/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void stow_program_done(struct stow_program *program)
{
    stow_cli_buf_done(&program->out);
    stow_cli_buf_done(&program->messages);
}

/* The two pipes from the program: [0] is ours. */
struct pipes {
    int out[2], messages[2];
};

static void close_end(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}

static void close_pipes(struct pipes *p)
{
    for (int i = 0; i < 2; i++) {
        close_end(&p->out[i]);
        close_end(&p->messages[i]);
    }
}

static int start(const char *const *word, struct pipes *p, pid_t *ret)
{
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);

    if (code)
        return code;
    code = posix_spawn_file_actions_adddup2(&actions, p->out[1], STDOUT_FILENO);
    if (!code)
        code = posix_spawn_file_actions_adddup2(&actions, p->messages[1], STDERR_FILENO);
    if (!code)
        code = posix_spawnp(ret, word[0], &actions, NULL, (char *const *)word, environ);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

/* Adds what is there; false at the end. */
static bool drain(int from, struct stow_cli_buf *to)
{
    char block[65536];
    const ssize_t got = read(from, block, sizeof(block));

    if (got > 0)
        stow_cli_buf_add(to, (struct stow_cli_str){block, (size_t)got});
    return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

/* Both at once: a program that waits for one to be read must not wait for ever. */
static void collect(struct pipes *p, struct stow_program *ret)
{
    int *const end[] = {&p->out[0], &p->messages[0]};
    struct stow_cli_buf *const to[] = {&ret->out, &ret->messages};

    while (*end[0] >= 0 || *end[1] >= 0) {
        struct pollfd wait[] = {{*end[0], POLLIN, 0}, {*end[1], POLLIN, 0}};

        if (poll(wait, 2, -1) < 0 && errno != EINTR)
            return;
        for (int i = 0; i < 2; i++)
            if (wait[i].revents && !drain(*end[i], to[i]))
                close_end(end[i]);
    }
}

static int await(pid_t child)
{
    int status;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 128;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int stow_program_run(const char *const *word, struct stow_program *ret, struct stow_err *err)
{
    struct pipes p = {{-1, -1}, {-1, -1}};
    pid_t child;
    int code = pipe2(p.out, O_CLOEXEC) < 0 || pipe2(p.messages, O_CLOEXEC) < 0 ? errno : 0;

    memset(ret, 0, sizeof(*ret));
    if (!code)
        code = start(word, &p, &child);
    if (code) {
        close_pipes(&p);
        return stow_fail(err, STOW_EIO, "cannot run %s: %s", word[0], strerror(code));
    }
    close_end(&p.out[1]);
    close_end(&p.messages[1]);
    collect(&p, ret);
    close_pipes(&p);
    ret->status = await(child);
    return ret->out.failed || ret->messages.failed ? stow_fail_memory(err) : STOW_OK;
}
