"""The hostile bots that go on when frozen, starve rivals, or remember: what bots share."""

from tests.attacks import judges_sharing as s
from tests.attacks.attack import Attack, group_of

_FREEZING = {
    "timer": "a timer that sends SIGCONT",
    "interval_timer": "interval timers with handlers",
    "every_signal": "every signal blocked",
    "session": "a child in a session of its own",
    "group": "a child in a group of its own",
    "moved_group": "a child put into a group of its own",
    "woken_by_child": "SIGCONT from a child",
    "woken_by_thread_signals": "SIGCONT for a thread",
    "woken_by_queued_signals": "a queued SIGCONT",
    "woken_by_group": "SIGCONT for the group",
    "woken_by_ends": "children whose end is a SIGCONT",
    "woken_by_pipe": "SIGCONT for a pipe's owner",
    "wake_each_other": "processes that wake each other",
    "fork_storm": "another process at every moment",
    "long_advice": "a call that takes long",
    "long_mapping": "a mapping that takes long",
}
FREEZING = [
    *group_of(
        "Lifting a freeze",
        "freezing",
        [
            *((act, name, s.runs_frozen) for act, name in _FREEZING.items()),
            ("traced", "a child that traces its parent", s.runs_frozen, "attach"),
        ],
        props=("frozen",),
    ),
    *group_of(
        "Lifting a freeze",
        "native",
        [("works_as_child", "a child with its parent's memory", s.runs_frozen, "compiler")],
        props=("frozen",),
    ),
    *group_of(
        "Lifting a freeze",
        "native",
        [("wakes_itself", "threads that send themselves SIGCONT", s.runs_frozen, "compiler")],
        props=("frozen", "often"),
    ),
]

STARVING = [
    *group_of(
        "Starving a rival",
        "starving",
        [
            ("all_threads", "every thread of the user", s.lacks("threads")),
            ("all_signals", "every queued signal of the user", s.lacks("signals")),
        ],
        props=("rival",),
    ),
    *group_of(
        "Starving a rival",
        "starving",
        [
            ("socket_buffers", "memory in socket pairs", s.much_in_sockets, "attach"),
            ("sent_descriptors", "descriptors under way", s.in_flight),
            ("pipe_pages", "huge pages in pipes", s.memory_gone, "huge pages"),
            ("flush", "the disk flushed on and on", s.flushed, "flushes"),
            ("less_priority", "less priority, to be owed for it", s.other_priority),
            ("core_alone", "a core of its own", s.alone_on_core, "core scheduling"),
        ],
    ),
    *group_of(
        "Starving a rival",
        "starving",
        [("evict", "a file put out of memory", s.forgotten, "evictable")],
        props=("pages",),
    ),
]


def _memory(
    act: str, name: str, props: tuple[str, ...] = (), bits: int = 16, feature: str = ""
) -> Attack:
    return Attack("Remembering", name, "remembering", act, None, "memory", props, feature, bits)


REMEMBERING = [
    _memory("locked_files", "`flock` on its files", ("bits",)),
    _memory("locked_ranges", "record locks"),
    _memory("write_hints", "write hints", ("bits",)),
    _memory("access_times", "access times of its files", ("bits", "ended"), 16, "access times"),
    _memory("cpu_clock", "a CPU clock", (), 4),
    _memory("niceness", "a niceness", (), 2),
    _memory("input_priority", "an I/O priority", (), 2),
    _memory("scheduler_slice", "a scheduler's slice", (), 8),
    _memory("limits", "a limit"),
    _memory("thread_name", "a thread's name"),
    _memory("own_priority_of_death", "who is to die first", (), 8),
    _memory("robust_list", "a list of robust futexes"),
    _memory("futexes", "waiting in a file", ("idle",)),
    _memory("frozen_futexes", "waiting in a file, frozen"),
    _memory("process_numbers", "numbers of processes", ("ended", "often"), 4),
    _memory("thread_numbers", "numbers of threads", ("often",)),
    _memory("pipe_numbers", "numbers of pipes", ("ended", "often"), 4),
    _memory("socket_numbers", "numbers of sockets", ("ended", "often"), 4),
    _memory("process_counts", "counts of processes", ("ended", "often"), 4, "counts"),
    _memory("process_counts_of_pairs", "the same, by sockets", ("ended", "often"), 4, "counts"),
    _memory("event_numbers", "numbers of event files", ("often",), 8),
    _memory("inodes_of_proc", "times of files in `/proc`", ("files of proc", "ended"), 8),
    _memory("inodes_of_sys", "times of files in `/sys`", ("files of sys", "ended"), 8),
    _memory("socket_names", "names of sockets"),
    _memory("left_files", "a file left", ("ended",)),
    _memory("queued_signals", "signals that are left to a user", ("often",), 4),
    _memory("thread_count", "threads that are left to a user", ("often",), 4),
    _memory("pages_without_waiting", "reading without waiting", ("pages",), 16, "evictable"),
    _memory("pages_in_core", "what is in memory", ("pages",), 16, "evictable"),
    _memory("pages_by_faults", "page faults", ("pages", "ended"), 16, "evictable"),
]
