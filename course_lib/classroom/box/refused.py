"""The system calls that a student's program is refused, by their numbers on x86_64 and on aarch64.

Bubblewrap hides most of what they reach already. Where Landlock is the outer wall, this list alone keeps a program from
sending signals, from other processes of the same user, and from the rights, owners, times and sizes of files.
"""

# None where the machine has no such call.
REFUSED = {
    "socket": (41, 198), "socketpair": (53, 199), "clone": (56, 220), "fork": (57, None), "vfork": (58, None),
    "execve": (59, 221), "execveat": (322, 281), "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "pidfd_send_signal": (424, 424),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "ptrace": (101, 117), "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271), "process_madvise": (440, 440), "process_mrelease": (448, 448),
    "kcmp": (312, 272), "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429),
    "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "bpf": (321, 280), "userfaultfd": (323, 282), "perf_event_open": (298, 241), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "memfd_create": (319, 279),
    "memfd_secret": (447, 447), "personality": (135, 92), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264), "inotify_init": (253, None),
    "inotify_init1": (294, 26), "fanotify_init": (300, 262), "timer_create": (222, 107), "acct": (163, 89),
    "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "vhangup": (153, 58), "syslog": (103, 116),
    "quotactl": (179, 60), "quotactl_fd": (443, 443), "sync": (162, 81), "syncfs": (306, 267), "iopl": (172, None),
    "ioperm": (173, None), "sethostname": (170, 161), "setdomainname": (171, 162), "settimeofday": (164, 170),
    "clock_settime": (227, 112), "adjtimex": (159, 171), "clock_adjtime": (305, 266),
    # Memory and messages that processes share.
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "semget": (64, 190), "semop": (65, 193),
    "semctl": (66, 191), "semtimedop": (220, 192), "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188),
    "msgctl": (71, 187), "mq_open": (240, 180), "mq_unlink": (241, 181),
    # Other processes of the same user, by their numbers.
    "setpriority": (141, 140), "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118), "sched_setattr": (314, 274), "ioprio_set": (251, 30), "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    # What Landlock does not cover, or not in its first versions.
    "truncate": (76, 45), "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, None), "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54), "utime": (132, None),
    "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88), "setxattr": (188, 5),
    "lsetxattr": (189, 6), "fsetxattr": (190, 7), "removexattr": (197, 14), "lremovexattr": (198, 15),
    "fremovexattr": (199, 16), "setxattrat": (463, 463), "removexattrat": (466, 466), "file_setattr": (469, 469),
}  # fmt: skip
CLONE3 = 435
# Calls that are refused with some numbers: which argument is looked at, and which numbers.
# Of fcntl: who gets a signal when a message comes, which signal, and leases. Of ioctl: the same, and typing for others.
# Of prctl: to go on when the parent has ended, and to be looked into.
REFUSED_WITH = {
    "fcntl": ((72, 25), 1, (8, 10, 15, 1024)),
    "ioctl": ((16, 29), 1, (0x8901, 0x8902, 0x5412)),
    "prctl": ((157, 167), 0, (1, 4)),
}
# The limits of a process are its own with 0, else those of another.
ALLOWED_WITH = {"prlimit64": ((302, 261), 0, (0,))}
