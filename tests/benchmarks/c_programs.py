"""Programs in C that benchmarks play with: bots that cost next to nothing, and a floor."""

import subprocess
from pathlib import Path

BOT = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* bot [FILE]: says ready, and answers each ask with the next line of FILE, over and over;
   without FILE it takes one, whatever is asked. */
static char in[1 << 20], out[1 << 16];
int main(int argc, char **argv) {
    char *lines = 0, *next = 0;
    long size = 0, held = 0;
    if (argc > 1) {
        FILE *file = fopen(argv[1], "r");
        if (!file) return 1;
        fseek(file, 0, SEEK_END);
        lines = next = malloc((size = ftell(file)) + 1);
        rewind(file);
        if (fread(lines, 1, size, file) != (size_t)size) return 1;
        fclose(file);
    }
    for (;;) {
        long got = read(0, in + held, sizeof in - 1 - held);
        if (got <= 0) return 0;
        held += got;
        char *line = in, *end;
        for (; (end = memchr(line, '\n', in + held - line)); line = end + 1) {
            if (!strncmp(line, "{\"type\":\"hello\"", 15)) {
                if (write(1, "{\"type\":\"ready\"}\n", 17) < 0) return 1;
            } else if (strncmp(line, "{\"type\":\"ask\"", 13)) {
                continue;
            } else if (lines) {
                if (next == lines + size) next = lines;
                char *stop = strchr(next, '\n') + 1;
                if (write(1, next, stop - next) < 0) return 1;
                next = stop;
            } else {
                int length = sprintf(out, "{\"id\":%ld,\"move\":{\"take\":1}}\n",
                                     atol(strstr(line, "\"id\":") + 5));
                if (write(1, out, length) < 0) return 1;
            }
        }
        held -= line - in;
        memmove(in, line, held);
    }
}
"""
"""A bot whose answers are known beforehand."""

PARENT = r"""
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
/* parent BOT LINE COUNT: asks two bots in turn so many times; prints seconds, wall and CPU. */
static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}
int main(int argc, char **argv) {
    int to[2][2], from[2][2];
    static char line[1 << 16], in[1 << 16];
    if (argc < 4) return 1;
    for (int bot = 0; bot < 2; bot++) {
        if (pipe(to[bot]) || pipe(from[bot])) return 1;
        if (!fork()) {
            dup2(to[bot][0], 0), dup2(from[bot][1], 1);
            for (int fd = 3; fd < 64; fd++) close(fd);
            execl(argv[1], argv[1], (char *)0);
            return 1;
        }
    }
    int size = sprintf(line, "%s\n", argv[2]);
    double wall = 0, cpu = 0;
    for (int i = -1000; i < atoi(argv[3]); i++) {
        int bot = i & 1;
        struct pollfd fd = {from[bot][0], POLLIN, 0};
        if (!i) wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
        if (write(to[bot][1], line, size) < 0 || poll(&fd, 1, -1) < 0) return 1;
        if (read(from[bot][0], in, sizeof in) <= 0) return 1;
    }
    printf("%.9f %.9f\n", now(CLOCK_MONOTONIC) - wall, now(CLOCK_PROCESS_CPUTIME_ID) - cpu);
}
"""
"""The least that a runner can do: write, poll, read."""

GAME = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* A game that is a program: two take one in turn, as many times as its option says. */
#define ABOUT "{\"type\":\"game\",\"name\":\"taking_in_c\",\"title\":\"Take one.\",\"seats\":[2]," \
    "\"options\":{\"rounds\":{\"type\":\"integer\",\"default\":1}},\"decisions\":{\"take\":{" \
    "\"type\":\"object\",\"properties\":{\"take\":{\"const\":1}},\"required\":[\"take\"]," \
    "\"additionalProperties\":false}}}\n"
static char in[1 << 16], out[1 << 12];
int main(void) {
    long left = 0, held = 0;
    char filler[151];
    memset(filler, 'x', 150), filler[150] = 0;
    for (;;) {
        long got = read(0, in + held, sizeof in - 1 - held);
        if (got <= 0) return 0;
        held += got, in[held] = 0;
        char *line = in, *end;
        for (; (end = memchr(line, '\n', in + held - line)); line = end + 1) {
            int length;
            if (!strncmp(line, "{\"type\":\"hello\"", 15)) {
                length = sprintf(out, ABOUT);
            } else if (!strncmp(line, "{\"type\":\"end\"", 13)) {
                continue;
            } else {
                if (!strncmp(line, "{\"type\":\"new\"", 13))
                    left = atol(strstr(line, "\"rounds\":") + 9);
                else
                    left--;
                if (left)
                    length = sprintf(out, "{\"type\":\"state\",\"asks\":[{\"seat\":%ld,"
                        "\"decision\":\"take\",\"view\":{\"filler\":\"%s\"},"
                        "\"legal\":[{\"take\":1}]}]}\n", left & 1, filler);
                else
                    length = sprintf(out, "{\"type\":\"state\",\"places\":[1,1],"
                        "\"reason\":\"over\"}\n");
            }
            if (write(1, out, length) < 0) return 1;
        }
        held -= line - in;
        memmove(in, line, held);
    }
}
"""
"""The game of the benchmark of decisions, as a program."""


def compiled(folder: Path, name: str, source: str) -> Path:
    """Return a program in C; raise CalledProcessError, or OSError without a compiler."""
    file, program = folder / f"{name}.c", folder / name
    file.write_text(source)
    subprocess.run(["cc", "-O2", "-o", program, file], check=True)
    return program
