"""The hostile builds: what each is called, what it runs, and who judges whether it had effect."""

import stat
from collections.abc import Iterable
from dataclasses import dataclass

from tests.attacks.builds import judges as j
from tests.attacks.builds.judges import Judge


@dataclass(frozen=True)
class BuildAttack:
    """One hostile build."""

    group: str
    act: str
    """What it does: a function of a program, `program.function`."""
    name: str
    """What the table calls it."""
    judge: Judge


def _group(group: str, program: str, rows: Iterable[tuple[str, str, Judge]]) -> list[BuildAttack]:
    return [BuildAttack(group, f"{program}.{act}", name, judge) for act, name, judge in rows]


ATTACKS = [
    *_group(
        "Reading",
        "files",
        [
            ("read_secret", "read a file of the host's", j.leaked),
            ("include_secret", "`#include` it, assemble it", j.leaked),
            ("make_secret", "`include` it in a Makefile, and `cat` it", j.leaked),
            ("list_home", "list a folder of the host's", j.leaked),
            ("own_environment", "what the referee has in its environment", j.leaked),
            ("inherited_descriptors", "descriptors that the referee has open", j.leaked),
            ("read_neighbour", "another author's sources and token", j.leaked),
            ("link_neighbour", "link to them", j.leaked),
        ],
    ),
    *_group(
        "Writing",
        "files",
        [
            ("write_outside", "write `/tmp`, `/usr` and others", j.strayed),
            ("write_loose", "write, move, link where everybody may", j.strayed),
            ("write_neighbour", "another author's sources", j.neighbour_changed),
            ("write_tools", "the compilers that all builds run", j.tools_changed),
            ("write_input", "the file that it is given to read", j.input_changed),
            ("change_mode", "change the mode of a file outside", j.marked),
            ("race_mode", "the same, with a path that changes meanwhile", j.marked),
            ("race_link", "the same, with a link that changes meanwhile", j.marked),
            ("set_times", "set the times of a file outside", j.marked),
            ("hard_link", "a hard link to a file outside", j.linked),
        ],
    ),
    *_group(
        "The network",
        "others",
        [
            ("tcp_connect", "TCP", j.reached("tcp")),
            ("udp_send", "UDP", j.reached("udp")),
            ("resolve", "names, and the shell's own sockets", j.reached("tcp", "udp")),
            ("unix_connect", "unix sockets, by path and abstract", j.reached("unix", "abstract")),
            ("pair_send", "from a socket pair to somebody else", j.reached("datagram")),
        ],
    ),
    *_group(
        "The disk",
        "resources",
        [
            ("big_file", "one big file", j.disk_filled),
            ("two_writers", "several at once", j.disk_filled),
            ("many_files", "many small files", j.many_files),
            ("deep_folders", "folders in each other beyond any path", j.many_files),
            ("sparse_file", "a sparse file of a terabyte", j.too_much_taken),
            ("deleted_files", "deleted files that are open", j.disk_filled),
            ("deleted_in_memory", "deleted files, closed and mapped", j.disk_filled),
            ("deleted_behind_dead_thread", "behind a first thread that has ended", j.disk_filled),
            ("deleted_on_the_way", "deleted files on their way in a socket", j.disk_filled),
            ("deleted_unseen", "in a process that may not be looked at", j.disk_filled),
        ],
    ),
    *_group(
        "Memory, processes, time",
        "resources",
        [
            ("children_memory", "memory over eight processes", j.memory_taken),
            ("dead_thread_memory", "behind first threads that have ended", j.memory_taken),
            ("shared_memory", "shared memory that no limit counts", j.memory_taken),
            ("socket_memory", "the kernel's memory, in pairs of sockets", j.held),
            ("fork_bomb", "a fork bomb", j.many_tasks),
            ("many_children", "many children", j.many_tasks),
            ("many_threads", "many threads", j.many_tasks),
            ("orphans", "many orphans", j.many_tasks),
            ("watch_in_vain", "asking for processes for ever", j.late),
            ("ignore_term", "ignoring signals and the limit of time", j.outlives),
            ("stop_itself", "stopping itself", j.outlives),
        ],
    ),
    *_group(
        "Outliving",
        "others",
        [
            ("daemon", "a daemon, forked twice", j.outlives),
            ("setsid", "a session of its own", j.outlives),
            ("nohup", "`nohup … &`", j.outlives),
            ("holds_output", "a child that holds the output open", j.outlives),
            ("sibling", "a child of the fork server's", j.outlives),
            ("orphaned", "the referee's own death", j.outlives),
        ],
    ),
    *_group(
        "Leaving behind",
        "files",
        [
            ("plant_link", "a link to a file of the host's", j.leaked),
            ("plant_links", "links to its folder, absolute and relative", j.leaked),
            ("plant_set_id", "a set-uid program", j.set_id),
            ("plant_device", "a device", j.made(stat.S_IFCHR, stat.S_IFBLK)),
            ("plant_socket", "a socket", j.made(stat.S_IFSOCK)),
            ("plant_fifo", "a FIFO, where a file is expected", j.odd_taken),
            ("plant_names", "names that are not UTF-8, or clear the screen", j.odd_taken),
            ("plant_circle", "links that lead round in a circle", j.too_much_taken),
            ("shut_folders", "folders that nobody may list", j.not_removed),
            ("poison", "a word in caches for the next build", j.poisoned),
        ],
    ),
    *_group(
        "Output",
        "resources",
        [
            ("endless_output", "endless output", j.flooded),
            ("long_line", "a line of megabytes", j.flooded),
            ("escapes", "orders to the terminal", j.escaped),
        ],
    ),
    *_group(
        "Other processes",
        "others",
        [
            ("kill_victim", "kill another of the same user", j.victim_hurt),
            ("kill_all", "kill all of them", j.victim_hurt),
            ("kill_server", "kill the fork server", j.server_dead),
            ("trace_victim", "trace another of the same user", j.victim_traced),
            ("read_victim", "its environment, and the referee's, in `/proc`", j.leaked),
            ("through_victim", "its folder, through `/proc`", j.leaked),
            ("limit_victim", "set its limits", j.victim_limited),
        ],
    ),
]
BY_ACT = {attack.act: attack for attack in ATTACKS}
QUICK = ("files.read_secret", "files.change_mode", "others.tcp_connect", "others.setsid")
"""Those that `make test` runs too."""
UNAIDED = {
    "files.inherited_descriptors": "no child of ours inherits a descriptor that it is not given",
    "files.plant_circle": "`cp` sees it too",
    "files.plant_device": "only root may",
    "files.shut_folders": "the cleaning is not the sandbox's",
    "others.holds_output": "the fork server ends the whole group",
    "others.kill_server": "it is another user's, where root has begun it",
    "others.nohup": "the fork server ends the whole group",
    "others.orphaned": "the fork server ends all when the referee dies",
    "others.sibling": "the fork server ends the whole group",
    "resources.deep_folders": "whoever measures the disk ends it",
    "resources.deleted_unseen": "whoever measures the disk ends it",
    "resources.socket_memory": "whoever measures the disk ends it",
}
"""What fails without a sandbox too, or may, and why."""
