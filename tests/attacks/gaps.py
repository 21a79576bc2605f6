"""What is not contained, one by one and with the reason; and what needs no sandbox to fail."""

from collections.abc import Collection, Mapping

from tests.attacks.users import WITHOUT_MOUNTS

_EVERYBODY = ("user", "root")
_BY_STAT = ("remembering.inodes_of_proc", "remembering.inodes_of_sys", "privilege.see_proc")


def _named(
    slug: str, sandboxes: Collection[str], reason: str, users: Collection[str] = _EVERYBODY
) -> dict[tuple[str, str, str], str]:
    found = {(slug, sandbox, user): reason for sandbox in sandboxes for user in users}
    if "uid" in sandboxes:  # which ordinary users do not have
        found.pop((slug, "uid", "user"), None)
        found[slug, "uid", WITHOUT_MOUNTS] = reason
    return found


GAPS: dict[tuple[str, str, str], str] = {
    **_named(
        "files.stat_known",
        ["landlock"],
        "Landlock does not govern stat: existence, size and times of a known path can be learnt, "
        "contents and listings cannot.",
    ),
    **_named(
        "files.read_link",
        ["landlock"],
        "Landlock does not govern readlink: where a known symlink leads can be learnt, as with "
        "stat.",
    ),
    **_named(
        "files.read_xattr",
        ["landlock"],
        "Landlock does not govern getxattr: the extended attributes of a known path can be read, "
        "as with stat.",
    ),
    **_named(
        "resources.sealed_memory",
        ["landlock", "bwrap", "uid"],
        "RLIMIT_DATA counts what can be written; memory made read-only after writing stays and is "
        "not counted. With `cgroup = true` it is.",
    ),
    **_named(
        "resources.page_tables",
        ["landlock", "bwrap", "uid"],
        "No limit of a process counts its page tables, and RLIMIT_AS, which bounds them, kills "
        "Node and Java at their start. With `cgroup = true` they are counted.",
    ),
    **_named(
        "resources.children_memory",
        ["bwrap"],
        "Every child has the whole limit: processes x memory_mb is what the limits allow. With "
        "`cgroup = true` the sum is bounded.",
    ),
    **_named(
        "resources.empty_files",
        ["bwrap"],
        "bwrap caps the bytes of a tmpfs, not its inodes; they vanish with the bot.",
    ),
    **_named(
        "starving.all_signals",
        ["landlock", "bwrap"],
        "RLIMIT_SIGPENDING counts the queued signals of all of a user's bots together: one that "
        "queues 1,024 leaves a rival none, who then cannot send itself real-time signals. A user "
        "of its own for each bot, which root has, contains it.",
        users=["user"],
    ),
    **_named(
        "remembering.queued_signals",
        ["landlock", "bwrap"],
        "As above: who counts what is left of 1,024 learns up to 10 bits, from a process that is "
        "there at the same time, frozen or not. A user of its own for each bot contains it.",
        users=["user"],
    ),
    **_named(
        "remembering.futexes",
        ["landlock", "uid"],
        "Who wakes those that wait in a file that both may read is told how many they were: a bit "
        "for each waiting thread, some 50 bits for a process. Programs need such calls to wait "
        "for their threads. What is frozen does not wait: bwrap freezes every bot off turn, before "
        "a later match counts. Who counts at once may find him waiting all the same: see *waiting "
        "in a file, at once* between bots.",
    ),
    **_named(
        "remembering.process_numbers",
        ["landlock", "uid"],
        "Processes and threads are numbered one after another on the whole machine: some 12 bits "
        "for a second of CPU time, if little else is started. bwrap numbers each bot's anew.",
    ),
    **_named(
        "remembering.thread_numbers",
        ["landlock", "uid"],
        "Which pids are there can be asked by calls that threads need for themselves: a bit for "
        "each thread, some 50 bits for a process, frozen or not. bwrap hides the others'.",
    ),
    **_named(
        "remembering.pipe_numbers",
        ["landlock", "bwrap", "uid"],
        "The kernel numbers pipes and sockets one after another on each core, and everybody sees "
        "the numbers of his own: some 4 bits to the next process on that core, if little else "
        "runs there. Only a kernel of its own, in a virtual machine, hides them.",
    ),
    **_named(
        "remembering.pages_by_faults",
        ["landlock", "bwrap", "uid"],
        "What was read is in memory, for everybody and until something else needs the place: a "
        "bit for each 4 KiB of files that nobody else reads. Faults are counted for each process, "
        "and time tells it too. Only a virtual machine has a memory of its own.",
    ),
}
"""Attack, sandbox and user of every expected gap, with the reason."""
SEEING_PROC = {
    *((slug, user) for slug in _BY_STAT for user in _EVERYBODY),
    ("leaks.reopen_stdin", "user"),
}
"""Attack and user of what has effect besides where Landlock's bots see /proc, as in containers."""


def is_gap(attack: str, sandbox: str, user: str, outcome: Mapping[str, object]) -> bool:
    """Return whether an attack is expected to have effect; `outcome` says what its bot saw."""
    if outcome.get("sees_proc") and (attack, user) in SEEING_PROC:
        return True
    return (attack, sandbox, user) in GAPS


CLOSED_BY_CGROUPS = {
    "resources.sealed_memory",
    "resources.page_tables",
    "resources.children_memory",
}
"""Attacks of these that have no effect where every bot has a cgroup."""

_ROOT_ALONE = "Only root may do it."
_REFEREE = "The referee's own wall: its clock, its line limit and its freezing."
_KILLED = "SIGKILL ends it whatever it does, and its pid cannot be mistaken."
_SERVER = "The fork server outlives a referee that is killed, and ends everything that it started."
_BUILT = "A bot gets its three pipes and an environment that is built, with any sandbox."
_STOPPED = "SIGSTOP is neither handled nor blocked, and what is stopped runs no handlers."
_UNLIMITED = "Without a sandbox there is no limit to reach."
BESIDE_GPUS = {
    "network.unix_listen": "A driver listens at a unix socket: in its namespaces, alone.",
    "resources.shared_memory": "A driver maps shared memory, which no limit counts.",
    "privilege.see_proc": "A driver names its threads there.",
}
"""What a bot in bwrap can do besides, by its attack, if it was granted a GPU."""
BESIDE_DOOR = {
    "network.tcp_listen": "A socket for connections can be made, and neither be bound nor listen.",
}
"""What a bot in bwrap can do besides, by its attack, if it was granted a door."""

_LIMITED = "The limits on data memory and on core files are set with any sandbox."

UNAIDED: dict[tuple[str, str], str] = {
    **{
        (slug, "user"): _ROOT_ALONE
        for slug in (
            "files.chroot_escape",
            "files.open_by_handle",
            "files.write_usr",
            "files.remount_usr",
            "files.mount_over",
            "files.change_owner",
            "network.packet",
            "resources.real_time",
            "privilege.become_root",
            "privilege.take_rights",
            "privilege.core_pattern",
            "privilege.make_device",
            "privilege.open_devices",
            "privilege.set_clock",
            "privilege.reboot",
            "privilege.bpf",
        )
    },
    ("resources.pipe_quota", "root"): "Root is exempt from the quota of pipes.",
    ("privilege.set_uid_program", "user"): "no_new_privs is set with any sandbox.",
    **{
        (slug, user): reason
        for user in _EVERYBODY
        for slug, reason in {
            "resources.private_memory": _LIMITED,
            "resources.python_memory": _LIMITED,
            "resources.core_file": _LIMITED,
            "resources.raise_limits": "A hard limit is raised by none without CAP_SYS_RESOURCE.",
            "outliving.ignores_signals": _KILLED,
            "outliving.never_answers": _KILLED,
            "outliving.closes_stdout": _KILLED,
            "outliving.plain.orphan": _SERVER,
            "outliving.daemon.orphan": _SERVER,
            "outliving.session.orphan": _SERVER,
            "outliving.clears_death_signal.orphan": _SERVER,
            "outliving.ignores_signals.orphan": _SERVER,
            "outliving.everything_at_once.orphan": _SERVER,
            "freezing.interval_timer": _STOPPED,
            "freezing.every_signal": _STOPPED,
            "remembering.frozen_futexes": "What is frozen waits for nothing.",
            "remembering.thread_count": _UNLIMITED,
            "starving.all_threads": _UNLIMITED,
            "leaks.inherited_descriptors": _BUILT,
            "leaks.inherited_environment": _BUILT,
            "privilege.join_namespace": "Without a sandbox it shares the namespaces of all.",
            "wire.spin": _REFEREE,
            "wire.burns_off_turn": _REFEREE,
            "wire.endless_bytes": _REFEREE,
            "wire.endless_lines": _REFEREE,
            "wire.half_line": _REFEREE,
            "wire.drip": _REFEREE,
            "wire.never_reads": _REFEREE,
            "wire.closes_stdout": _REFEREE,
            "wire.long_line": _REFEREE,
            "wire.deep_nesting": _REFEREE,
            "wire.errors_flood": _REFEREE,
        }.items()
    },
}
"""Attack and user of what fails without a sandbox too, so that there `none` proves nothing."""
