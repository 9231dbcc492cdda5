"""A clock that a test sets, for processes of its own: a library that is loaded before libc, and a file with the offset.

Only the time of day is set, as by `date` or by NTP. Monotonic clocks go on. Every process of a `ClockSetter`, or one of
them, sees the new time at once, also while it runs.
"""

from __future__ import annotations

import mmap
import struct
import subprocess
import tempfile
from pathlib import Path
from typing import Final

SOURCE: Final = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct setting {
    long long offset_s;
    long long process; /* 0: each of them */
};

static const volatile struct setting *set;
static int (*real_gettime)(clockid_t, struct timespec *);

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("CLOCK_OFFSET_FILE");
    real_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(0, sizeof(struct setting), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (page != MAP_FAILED) set = page;
}

int clock_gettime(clockid_t clock, struct timespec *at) {
    if (!real_gettime) real_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real_gettime(clock, at);
    if (result || !set || !set->offset_s || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
    if (!set->process || set->process == getpid()) at->tv_sec += set->offset_s;
    return result;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
    struct timespec now;
    int result = clock_gettime(CLOCK_REALTIME, &now);
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return result;
}

time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
"""


SETTING: Final = struct.Struct("qq")


class ClockSetter:
    """Sets the clock of the processes that are started with its environment."""

    def __init__(self) -> None:
        """Compile the library. PostgreSQL runs under another account and reads it as well."""
        self._directory = tempfile.TemporaryDirectory(prefix="arena-clock-")
        directory = Path(self._directory.name)
        source, library, offset = (directory / name for name in ("set_clock.c", "set_clock.so", "setting"))
        source.write_text(SOURCE)
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
        offset.write_bytes(bytes(SETTING.size))
        for path in (directory, library, offset):
            path.chmod(0o755)
        self.environment = {"LD_PRELOAD": str(library), "CLOCK_OFFSET_FILE": str(offset)}
        with offset.open("r+b") as file:
            self._setting = mmap.mmap(file.fileno(), SETTING.size)

    def set(self, seconds: int, process: int = 0) -> None:
        """Set the clock so far ahead of the true time, or behind it; of one process if its id is given."""
        self._setting[:] = SETTING.pack(seconds, process)
