// Copies or fills 32 MiB for half a second and prints bytes per second: NAME copy|fill. The buffers have the places of those of
// the generated program.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    const size_t mib = 1 << 20, length = 32 * mib, third = mib / 3 / 128 * 128, size = 2 * length + 4 * mib;
    const int is_copy = argc > 1 && strcmp(argv[1], "copy") == 0;
    char *room = malloc(size);
    if (!room)
        return 1;
    memset(room, 0x5a, size);
    char *at = room + (mib - (size_t)room % mib) % mib;
    char *from = at + third, *to = at + length + mib + 2 * third;
    // Called by address, so that the compiler cannot replace the calls.
    void *(*volatile copy)(void *, const void *, size_t) = memcpy;
    void *(*volatile fill)(void *, int, size_t) = memset;
    double start = 0, elapsed = 0;
    unsigned long calls = 0;
    // The first call is not timed.
    for (unsigned long turn = 0; elapsed < 0.5; turn = turn ? 2 * turn : 1) {
        if (turn == 1)
            start = seconds();
        for (unsigned long call = 0; call < (turn ? turn : 1); call++)
            is_copy ? copy(to, from, length) : fill(to, 0x5a, length);
        calls += turn;
        elapsed = turn ? seconds() - start : 0;
    }
    printf("%.0f\n", (double)calls * (double)length / elapsed);
    return 0;
}
