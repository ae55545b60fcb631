// Reads /proc/stat and /proc/diskstats and prints a line at each tick, as the monitor does: NAME -m INTERVAL.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
    long ns = argc > 2 ? (long)(atof(argv[2]) * 1e9) : 1000000000;
    int stat = open("/proc/stat", O_RDONLY), disks = open("/proc/diskstats", O_RDONLY);
    unsigned long long before[8] = {0}, now[8] = {0}, sectors[2] = {0};
    static char text[16384];
    struct timespec due;
    clock_gettime(CLOCK_MONOTONIC, &due);
    for (;;) {
        ssize_t count = pread(stat, text, sizeof text - 1, 0);
        if (count <= 0)
            return 1;
        text[count] = 0;
        sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", now, now + 1, now + 2, now + 3, now + 4, now + 5,
               now + 6, now + 7);
        count = pread(disks, text, sizeof text - 1, 0);
        if (count <= 0)
            return 1;
        text[count] = 0;
        sscanf(text, "%*u %*u %*s %*u %*u %llu %*u %*u %*u %llu", sectors, sectors + 1);
        double all = 0;
        for (int i = 0; i < 8; i++)
            all += (double)(now[i] - before[i]);
        if (all <= 0)
            all = 1;
        time_t seconds = time(NULL);
        struct tm local;
        localtime_r(&seconds, &local);
        count = snprintf(text, sizeof text, "%02d:%02d:%02d: %3.0f%% %3.0f%% %3.0f%% %llu %llu\n", local.tm_hour,
                         local.tm_min, local.tm_sec, 100 * (all - (double)(now[3] - before[3])) / all,
                         100 * (double)(now[2] - before[2]) / all, 100 * (double)(now[0] - before[0]) / all, sectors[0],
                         sectors[1]);
        if (write(1, text, (size_t)count) != count)
            return 1;
        memcpy(before, now, sizeof now);
        due.tv_sec += (due.tv_nsec + ns) / 1000000000;
        due.tv_nsec = (due.tv_nsec + ns) % 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
    }
}
