"""The system calls that a program in the sandbox may use, with their numbers on x86_64 and aarch64.

Everything else is answered as if the kernel did not have it. The table leaves out these calls on purpose.

- namespaces, mounts and new roots: `unshare`, `setns`, `mount`, `pivot_root`, `chroot`, and `clone3`, whose flags a
  filter cannot check;
- large parts of the kernel that few programs need: `io_uring_*`, `bpf`, `perf_event_open`, `userfaultfd`, `keyctl`;
- other processes: `ptrace`, `process_vm_readv`, `process_vm_writev`, `pidfd_getfd`, `kcmp`;
- memory that no limit of files counts: `memfd_create`, `shmget`, `mq_open`;
- the choice of a core, which is the runner's: `sched_setaffinity`, `sched_setscheduler`, `setpriority`.
"""

from __future__ import annotations

import platform
from typing import Final

TABLE: Final = """
# Files
read=0/63 write=1/64 readv=19/65 writev=20/66 pread64=17/67 pwrite64=18/68 preadv=295/69 pwritev=296/70
preadv2=327/286 pwritev2=328/287 open=2/- openat=257/56 openat2=437/437 creat=85/- close=3/57 close_range=436/436
stat=4/- fstat=5/80 lstat=6/- newfstatat=262/79 statx=332/291 statfs=137/43 fstatfs=138/44 access=21/-
faccessat=269/48 faccessat2=439/439 lseek=8/62 dup=32/23 dup2=33/- dup3=292/24 fcntl=72/25 flock=73/32 fsync=74/82
fdatasync=75/83 truncate=76/45 ftruncate=77/46 fallocate=285/47 fadvise64=221/223 getdents=78/- getdents64=217/61
getcwd=79/17 chdir=80/49 fchdir=81/50 rename=82/- renameat=264/38 renameat2=316/276 mkdir=83/- mkdirat=258/34
rmdir=84/- link=86/- linkat=265/37 unlink=87/- unlinkat=263/35 symlink=88/- symlinkat=266/36 readlink=89/-
readlinkat=267/78 chmod=90/- fchmod=91/52 fchmodat=268/53 utime=132/- utimes=235/- futimesat=261/- utimensat=280/88
umask=95/166 sendfile=40/71 copy_file_range=326/285 getxattr=191/8 lgetxattr=192/9 fgetxattr=193/10 listxattr=194/11
llistxattr=195/12 flistxattr=196/13
# Memory
mmap=9/222 mprotect=10/226 munmap=11/215 mremap=25/216 brk=12/214 madvise=28/233 mincore=27/232 msync=26/227
mlock=149/228 munlock=150/229 membarrier=324/283
# Processes, threads and signals
fork=57/- vfork=58/- execve=59/221 exit=60/93 exit_group=231/94 wait4=61/260 waitid=247/95 getpid=39/172
getppid=110/173 gettid=186/178 getpgid=121/155 getpgrp=111/- setpgid=109/154 getsid=124/156 setsid=112/157 kill=62/129
tkill=200/130 tgkill=234/131 rt_sigaction=13/134 rt_sigprocmask=14/135 rt_sigreturn=15/139 rt_sigsuspend=130/133
rt_sigpending=127/136 rt_sigtimedwait=128/137 rt_sigqueueinfo=129/138 rt_tgsigqueueinfo=297/240 sigaltstack=131/132
pause=34/- alarm=37/- getitimer=36/102 setitimer=38/103 restart_syscall=219/128 arch_prctl=158/-
set_tid_address=218/96 set_robust_list=273/99 get_robust_list=274/100 rseq=334/293 futex=202/98 futex_waitv=449/449
pidfd_open=434/434 pidfd_send_signal=424/424 setresuid=117/147 setresgid=119/149
# Questions about the process and the machine
getuid=102/174 geteuid=107/175 getgid=104/176 getegid=108/177 getresuid=118/148 getresgid=120/150 getgroups=115/158
capget=125/90 getrlimit=97/163 setrlimit=160/164 prlimit64=302/261 getrusage=98/165 times=100/153 sysinfo=99/179
uname=63/160 getcpu=309/168 getpriority=140/141 sched_yield=24/124 sched_getaffinity=204/123 sched_getparam=143/121
sched_getscheduler=145/120 sched_getattr=315/275 sched_get_priority_max=146/125 sched_get_priority_min=147/126
getrandom=318/278
# Time
clock_gettime=228/113 clock_getres=229/114 clock_nanosleep=230/115 nanosleep=35/101 gettimeofday=96/169 time=201/-
timer_create=222/107 timer_settime=223/110 timer_gettime=224/108 timer_delete=226/111 timer_getoverrun=225/109
timerfd_create=283/85 timerfd_settime=286/86 timerfd_gettime=287/87
# Waiting
poll=7/- ppoll=271/73 select=23/- pselect6=270/72 epoll_create=213/- epoll_create1=291/20 epoll_ctl=233/21
epoll_wait=232/- epoll_pwait=281/22 epoll_pwait2=441/441 eventfd=284/- eventfd2=290/19 signalfd=282/- signalfd4=289/74
pipe=22/- pipe2=293/59
# Sockets (their families are checked)
connect=42/203 bind=49/200 listen=50/201 accept=43/202 accept4=288/242 getsockname=51/204 getpeername=52/205
getsockopt=55/209 setsockopt=54/208 shutdown=48/210 sendto=44/206 recvfrom=45/207 sendmsg=46/211 recvmsg=47/212
sendmmsg=307/269 recvmmsg=299/243
# Calls with checked arguments
clone=56/220 prctl=157/167 ioctl=16/29 socket=41/198 socketpair=53/199
"""
"""Allowed calls as `name=x86_64/aarch64`. A dash marks a call that an architecture does not have."""

AUDIT_ARCHITECTURES: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""Value by which the kernel names each architecture to a filter."""


class UnknownArchitecture(Exception):
    """The filter does not know the system calls of this processor."""


def machine_architecture() -> str:
    """Return the name of this machine's architecture. Raise `UnknownArchitecture` if the table lacks it."""
    name = platform.machine()
    if name not in AUDIT_ARCHITECTURES:
        raise UnknownArchitecture(f"system calls of {name} are unknown; known are {', '.join(AUDIT_ARCHITECTURES)}")
    return name


def allowed_calls(architecture: str) -> dict[str, int]:
    """Return the numbers of the allowed system calls by name, as this architecture counts them."""
    column = list(AUDIT_ARCHITECTURES).index(architecture)
    calls = {}
    for line in TABLE.splitlines():
        if not line.startswith("#"):
            for entry in line.split():
                name, _, numbers = entry.partition("=")
                number = numbers.split("/")[column]
                if number != "-":
                    calls[name] = int(number)
    return calls
