/* To be preloaded: the time of day jumps by hours and years twenty times a second. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>

static const long JUMPS[] = {0, 3600, -3600, 631152000, -86400, 2, -631152000, 31557600, -1};

static int true_time(clockid_t clock, struct timespec *now)
{
    static int (*next)(clockid_t, struct timespec *);
    if (!next)
        next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    return next(clock, now);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = true_time(clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        struct timespec since;
        true_time(CLOCK_MONOTONIC, &since);
        long twentieths = since.tv_sec * 20 + since.tv_nsec / 50000000;
        now->tv_sec += JUMPS[twentieths % (long)(sizeof JUMPS / sizeof *JUMPS)];
    }
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec found;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &found);
    now->tv_sec = found.tv_sec;
    now->tv_usec = found.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *where)
{
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (where)
        *where = found.tv_sec;
    return found.tv_sec;
}
