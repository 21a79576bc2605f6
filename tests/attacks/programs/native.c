/* Hostile programs that cannot be written without a compiler: raw threads and other kernel doors. */

#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS 1500
#define STACK 8192
#define SECONDS 20
#define WAKERS 6
#define ROUNDS 2000000000L

static char stacks[THREADS][STACK] __attribute__((aligned(16)));

static int wait_here(void *nothing)
{
    long time[2] = {SECONDS, 0};
    (void)nothing;
    syscall(SYS_nanosleep, time, 0);
    syscall(SYS_exit, 0);
    return 0;
}

/* More threads than any bot needs, with no library to say no. */
static long thread_bomb(void)
{
    int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    long made = 0;
    while (made < THREADS && clone(wait_here, stacks[made] + STACK, flags, 0) >= 0)
        made++;
    return made;
}

static int wake(void *nothing)
{
    long pid = syscall(SYS_getpid);
    (void)nothing;
    for (long round = 0; round < ROUNDS; round++)
        syscall(SYS_kill, pid, SIGCONT);
    syscall(SYS_exit, 0);
    return 0;
}

/* Threads that wake their own process on and on: a freeze lasts until the next of them. */
static long wakes_itself(void)
{
    int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    long made = 0;
    while (made < WAKERS && clone(wake, stacks[made] + STACK, flags, 0) >= 0)
        made++;
    return made;
}

static int burn(void *nothing)
{
    (void)nothing;
    for (volatile long round = 0; round < ROUNDS; round++)
        continue;
    syscall(SYS_exit, 0);
    return 0;
}

/* A child that has its parent's memory and works for it; the parent can do nothing meanwhile. */
static long works_as_child(void)
{
    printf("done\n");
    fflush(stdout);
    return clone(burn, stacks[0] + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, 0);
}

#ifdef __x86_64__
/* A socket by the system call table of 32-bit programs, whose numbers are others. */
static long call_32_bits(char **words)
{
    long result;
    (void)words;
    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(359L), "b"(2L), "c"(1L), "d"(0L)
                     : "memory", "r8", "r9", "r10", "r11");
    return result;
}

/* A socket by the x32 table: the same numbers with a high bit set. */
static long call_x32(void)
{
    return syscall(0x40000000 + 41, 2, 1, 0);
}
#else
/* A socket by a 32-bit program that lies beside this one: only such a program has that table. */
static long call_32_bits(char **words)
{
    char path[4096];
    snprintf(path, sizeof path, "%s-32", words[0]);
    execv(path, words);
    return -errno;
}
static long call_x32(void) { return -1; }
#endif

int main(int count, char **words)
{
    char line[65536];
    long result = 0;
    if (count < 2)
        return 2;
    setvbuf(stdin, 0, _IONBF, 0);
    printf("ready\n");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin))
        return 1;
    if (!strcmp(words[1], "thread_bomb"))
        result = thread_bomb();
    else if (!strcmp(words[1], "call_32_bits"))
        result = call_32_bits(words);
    else if (!strcmp(words[1], "call_x32"))
        result = call_x32();
    else if (!strcmp(words[1], "wakes_itself"))
        result = wakes_itself();
    else if (!strcmp(words[1], "works_as_child"))
        result = works_as_child();
    printf("result %ld\ndone\n", result);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin))
        continue;
    return result < 0;
}
