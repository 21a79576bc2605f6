"""The hostile bots: what each is called, what it runs, and who judges whether it had effect."""

from tests.attacks import judges as j
from tests.attacks import judges_resources as r
from tests.attacks.attack import Attack, group_of
from tests.attacks.catalogue_door import DOOR
from tests.attacks.catalogue_sharing import FREEZING, REMEMBERING, STARVING

FILES = [
    *group_of(
        "Files",
        "files",
        [
            ("read_secret", "read a key in the home", j.leaked),
            ("read_results", "read the results", j.leaked),
            ("list_home", "list the home", j.leaked),
            ("made_symlink", "symlink that it makes itself", j.leaked),
            ("hard_link", "hard link to the results", j.linked),
            ("chroot_escape", "chroot and `../..`", j.leaked),
            ("stat_known", "`stat` of a known path", j.knows_moment),
            ("read_link", "where a symlink of another leads", j.leaked),
            ("read_xattr", "read an extended attribute", j.leaked, "xattr"),
            ("open_by_handle", "open by handle", j.leaked),
            ("run_other_bot", "run another bot's program", j.leaked),
            ("write_tmp", "write `/tmp`", j.strayed),
            ("write_var_tmp", "write `/var/tmp`", j.strayed),
            ("write_usr", "write `/usr`", j.strayed),
            ("remount_usr", "remount `/usr` and write", j.strayed),
            ("mount_over", "mount over a folder", j.mounted),
            ("write_loose", "write where everybody may", j.stray_in("loose")),
            ("write_cwd", "write the referee's working directory", j.stray_in("cwd")),
            ("write_own_folder", "write its own folder", j.own_folder_written),
            ("delete_results", "delete the results", j.results_gone),
            ("rename_results", "rename the results", j.results_gone),
            ("truncate_results", "truncate the results", j.results_gone),
            ("truncate_own", "truncate a file it may read", j.own_folder_written),
            ("change_mode", "change a mode", j.marked),
            ("change_mode_2", "change a mode by a new call", j.marked, "fchmodat2"),
            ("change_owner", "change an owner", j.marked),
            ("set_xattr", "set an extended attribute", j.marked, "xattr"),
            ("set_times", "set a file's times", j.marked),
            ("set_inode_flags", "set inode flags of a file it may read", j.marked, "inode flags"),
            ("watch_folder", "inotify on the results' folder", j.leaked),
            ("lock_results", "lock the results", j.locked),
        ],
    ),
    *group_of(
        "Files",
        "files",
        [
            ("read_other_bot", "read another bot's folder", j.leaked),
            ("through_proc", "through `/proc/PID/root` and `cwd`", j.leaked),
        ],
        props=("victims",),
    ),
    Attack(
        "Files",
        "symlink planted in its own folder",
        "files",
        "planted_symlink",
        j.leaked,
        props=("links",),
    ),
    Attack(
        "Files",
        "file swapped for a symlink after admission",
        "files",
        "swapped_file",
        j.leaked,
        props=("swap",),
    ),
]

KEPT = [
    *group_of(
        "Files",
        "kept",
        [
            ("write_package", "write a shared environment", j.shared_changed),
            ("package_by_descriptor", "the same, through `/proc/self/fd`", j.shared_changed),
            ("package_by_map", "the same, through a shared mapping", j.shared_changed),
            ("package_by_link", "the same, through a hard link", j.shared_changed),
            ("add_package", "add a module to it", j.shared_changed),
            ("replace_package", "move a module of it away", j.shared_changed),
            ("read_other_packages", "read another's packages", j.leaked),
        ],
        props=("packages",),
    ),
    *group_of(
        "Files",
        "kept",
        [
            ("write_big_file", "write a kept big file", j.shared_changed),
            ("big_file_by_descriptor", "the same, through `/proc/self/fd`", j.shared_changed),
            ("big_file_by_map", "the same, through a shared mapping", j.shared_changed),
            ("big_file_by_link", "the same, through a hard link", j.shared_changed),
        ],
        props=("big file",),
    ),
]

_A_SOCKET = j.holds(r"^socket:")
NETWORK = [
    *group_of(
        "Network",
        "network",
        [
            ("tcp_connect", "TCP connect", j.reached("tcp")),
            ("tcp_listen", "TCP listen", _A_SOCKET),
            ("tcp_fast_open", "TCP connect by sending", j.reached("tcp")),
            ("resolve", "resolve a name and connect", j.reached("tcp")),
            ("udp_send", "UDP send", j.reached("udp")),
            ("unix_path", "unix socket by path", j.reached("unix")),
            ("unix_abstract", "abstract unix socket", j.reached("abstract")),
            ("unix_listen", "unix listen", _A_SOCKET),
            (
                "pair_to_path",
                "from a socket pair to somebody else",
                j.reached("unix_datagram", "abstract_datagram"),
            ),
            ("netlink", "netlink socket", _A_SOCKET),
            ("packet", "packet and raw sockets", _A_SOCKET),
            ("other_families", "sockets of rare families", _A_SOCKET),
            ("io_uring", "io_uring", j.holds(r"io_uring"), "io_uring"),
        ],
        props=("listeners",),
    ),
    *group_of(
        "Network",
        "native",
        [
            ("call_32_bits", "`int 0x80`: a 32-bit socket call", _A_SOCKET, "32-bit calls"),
            ("call_x32", "an x32 socket call", _A_SOCKET, "x32 calls"),
        ],
    ),
]

RESOURCES = [
    *group_of(
        "Resources",
        "resources",
        [
            ("private_memory", "private memory", r.takes_memory),
            ("python_memory", "memory by and by", r.takes_memory),
            ("shared_memory", "shared anonymous memory", r.takes_memory),
            ("zero_memory", "shared memory by `/dev/zero`", r.takes_memory),
            ("stack_memory", "memory that grows down", r.takes_memory),
            ("sealed_memory", "memory made read-only", r.takes_memory),
            ("page_tables", "memory in page tables", r.takes_memory),
            ("memory_file", "memfd", r.takes_memory),
            ("locked_memory", "locked memory", r.locks_memory),
            ("children_memory", "the memory of six children", r.takes_memory),
            ("fork_bomb", "fork bomb", r.many_processes),
            ("big_file", "one big file", r.big_file),
            ("many_files", "many files", r.much_written),
            ("empty_files", "15,000 empty files", r.many_files),
            ("descriptors", "5,000 descriptors", r.many_descriptors),
            ("pipe_quota", "pipe quota of the user", r.no_pipes_left),
            ("signal_quota", "signal quota of the user", r.queued_signals),
            ("aio_quota", "asynchronous I/O quota of the machine", r.aio_taken, "aio"),
            ("file_locks", "8,000 file locks", r.many_locks, "locks"),
            ("raise_limits", "raise its own limits", r.limits_raised),
            ("leave_core", "leave its core", r.on_more_cores, "cores"),
            ("real_time", "a better priority for itself", r.favoured),
            ("core_file", "leave a core file", r.core_left),
        ],
    ),
    Attack(
        "Resources",
        "thread bomb",
        "native",
        "thread_bomb",
        r.many_threads,
        feature="compiler",
    ),
    Attack("Resources", "CPU time without end", "wire", "spin", kind="seat"),
    Attack("Resources", "burn CPU off turn", "wire", "burns_off_turn", kind="seat"),
]

_OUTLIVING = {
    "daemon": "double-fork daemon",
    "session": "child with setsid",
    "stopped": "stopped daemon that ignores signals",
    "chain": "daemon that changes its pid",
    "given_away": "child of the fork server",
    "clears_death_signal": "daemon, death signal cleared",
    "everything_at_once": "all of them at once",
    "ignores_signals": "ignores every signal",
    "never_answers": "never ends",
    "closes_stdout": "closes its output, stays",
}
_ORPHANS = {
    "plain": "bot",
    "daemon": "daemon",
    "session": "child with setsid",
    "clears_death_signal": "daemon, death signal cleared",
    "ignores_signals": "bot that ignores every signal",
    "everything_at_once": "all of them at once",
}
OUTLIVING = [
    *group_of(
        "Outliving the game",
        "outliving",
        [(act, name, j.outlives) for act, name in _OUTLIVING.items()],
    ),
    *(
        Attack("Outliving the game", f"referee `kill -9`: {name}", "outliving", act, kind="orphan")
        for act, name in _ORPHANS.items()
    ),
]

OTHERS = group_of(
    "Other processes",
    "others",
    [
        ("kill_victim", "`kill -9` the referee or a rival", j.killed),
        ("kill_group", "`kill -9` their process groups", j.killed),
        ("stop_victim", "stop them", j.killed),
        ("kill_server", "`kill -9` the fork server", j.server_dead),
        ("kill_all", "`kill(-1)`", j.heard("signal "), "broadcast"),
        ("queue_signal", "queue a signal", j.killed),
        ("thread_signal", "signal a thread", j.killed),
        ("pidfd_signal", "signal by pidfd", j.killed),
        ("owner_signal", "signal by the owner of a pipe", j.killed),
        ("set_limits", "`prlimit` another process", j.changed("limits")),
        ("pin", "pin another process to one core", j.changed("cores")),
        ("renice", "renice another process", j.changed("niceness")),
        ("renice_user", "renice a process group", j.changed("niceness")),
        ("reschedule", "another scheduler for another process", j.changed("policy")),
        ("input_priority", "I/O priority of another process", j.changed("input")),
        ("choose_for_death", "make another the first to die", j.changed("choice")),
        ("trace", "ptrace", j.traced, "attach"),
        ("read_memory", "`process_vm_readv`", j.leaked, "attach"),
        ("memory_by_proc", "`/proc/PID/mem`", j.leaked, "attach"),
        ("read_environment", "`/proc/PID/environ`", j.leaked),
        ("read_command", "`/proc/PID/cmdline`", j.leaked),
        ("read_descriptors", "`/proc/PID/cwd`, `fd`", j.leaked),
        ("steal_descriptor", "`pidfd_getfd`", j.leaked, "attach"),
        ("forge", "write into a rival's pipes", j.forged),
        ("cpu_clock", "a rival's CPU clock", j.knows_clock),
    ],
    props=("victims",),
)

LEAKS = [
    *group_of(
        "Leaks and leftovers",
        "leaks",
        [
            ("inherited_descriptors", "inherited descriptors", j.more_descriptors),
            ("inherited_environment", "inherited environment", j.leaked),
            ("reopen_stdin", "reopen its own stdin pipe", j.reopened_pipe),
            ("shared_segment", "System V segment left", r.ipc_left("shm"), "sysv"),
            ("semaphores", "System V semaphores left", r.ipc_left("sem"), "sysv"),
            ("message_queue", "System V queue left", r.ipc_left("msg"), "sysv"),
            ("posix_queue", "POSIX queue left", r.queue_left, "posix queues"),
            ("shm_file", "`/dev/shm` file left", j.strayed),
            ("kernel_key", "kernel key left", r.key_left, "keys"),
        ],
    ),
    *group_of(
        "Leaks and leftovers",
        "leaks",
        [
            (
                "write_terminal",
                "write to the terminal",
                lambda case: case.scene.terminal_holds(case.scene.master),
            ),
            (
                "type_into_terminal",
                "TIOCSTI",
                lambda case: case.scene.terminal_holds(case.scene.slave),
                "typing",
            ),
            (
                "type_with_high_bits",
                "TIOCSTI with a high bit set",
                lambda case: case.scene.terminal_holds(case.scene.slave),
                "typing",
            ),
        ],
        props=("terminal",),
    ),
]

PRIVILEGE = [
    *group_of(
        "Privilege",
        "privilege",
        [
            ("set_uid_program", "set-uid programs", j.is_root),
            ("become_root", "become root", j.is_root),
            ("unshare", "unshare", j.other_namespace, "user namespaces"),
            ("clone_new_user", "clone(NEWUSER)", j.other_namespace, "user namespaces"),
            ("take_rights", "take capabilities", j.has_rights),
            (
                "core_pattern",
                "write `/proc/sys/kernel/core_pattern`",
                j.holds(r"core_pattern$", writing=True),
            ),
            ("make_device", "mknod a device", j.device_made),
            ("open_devices", "open `/dev/kmsg`, `kvm`, a disk", j.holds(r"^/dev/\w[-\w]*$")),
            ("set_clock", "set the clock", r.clock_set),
            ("reboot", "reboot(2) reachable", j.said_errno(22)),
            ("performance_counter", "performance counters", j.holds(r"perf_event"), "counters"),
            ("bpf", "bpf(2)", j.holds(r"bpf")),
            ("page_faults", "userfaultfd", j.holds(r"userfaultfd")),
            ("watch_everything", "fanotify", j.holds(r"fanotify")),
        ],
    ),
    *group_of(
        "Privilege",
        "privilege",
        [
            ("join_namespace", "enter another's namespaces", j.other_namespace),
            ("see_proc", "see `/proc` all the same", j.said_word("sees proc")),
        ],
        props=("victims",),
    ),
]

_WIRE = {
    "endless_bytes": "endless bytes",
    "endless_lines": "endless lines",
    "half_line": "half a line",
    "drip": "one byte every 50 ms",
    "never_reads": "never reads",
    "closes_stdout": "closes its output",
    "long_line": "a line of 20 MB",
    "deep_nesting": "30,000 nested lists",
    "errors_flood": "endless standard error",
}
PROTOCOL = [Attack("Protocol", name, "wire", act, kind="seat") for act, name in _WIRE.items()]

ATTACKS = [
    *(*FILES, *KEPT, *NETWORK, *RESOURCES, *FREEZING, *STARVING, *REMEMBERING),
    *(*OUTLIVING, *OTHERS, *LEAKS, *PRIVILEGE, *PROTOCOL),
]
"""What any bot may try."""
BY_SLUG = {attack.slug: attack for attack in (*ATTACKS, *DOOR)}
