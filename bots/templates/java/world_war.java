// Gathers one large army at a border, and rolls with it over whatever is much weaker. Build it
// with `make`. To try first: place and attack where a continent lacks least, for its bonus every
// turn.

import java.util.List;
import java.util.Map;

public final class Bot {
    /** Answer each of the seven decisions. */
    static Map<String, Object> choose(Kit.Ask ask) {
        switch (ask.decision) {
            case "setup":
            case "deploy":
                Object armies = ask.limits.get("armies");
                return Kit.object("armies", Kit.object(strongest(ask), armies));
            case "attack":
                return attack(ask);
            case "defend":
                return ask.legal.get(ask.legal.size() - 1); // with as many dice as possible
            case "occupy":
                return Kit.object("armies", ask.limits.get("max_armies"));
            case "fortify":
                return fortify(ask);
            default:
                return ask.legal.get(0); // trade whenever there is a set
        }
    }

    /** Return the owner of a territory, or its armies. */
    static int on(Kit.Ask ask, String name, String field) {
        return Kit.number(ask.view, field, Kit.number(ask.table, "territories", name, "number"));
    }

    /** Return whether others hold a neighbour of a territory. */
    static boolean atBorder(Kit.Ask ask, String name) {
        List<String> borders = Kit.get(ask.table, "territories", name, "borders");
        return borders.stream().anyMatch(other -> on(ask, other, "owner") != ask.seat);
    }

    static int armies(Kit.Ask ask, String name) {
        return on(ask, name, "armies");
    }

    /** Return our territory with most armies among those at a border. */
    static String strongest(Kit.Ask ask) {
        List<String> names = Kit.get(ask.limits, "territories");
        String best = null;
        for (String name : names) {
            if (atBorder(ask, name) && (best == null || armies(ask, name) > armies(ask, best))) {
                best = name;
            }
        }
        return best == null ? names.get(0) : best;
    }

    /** Attack where we have most armies more than the defender, if at least three more. */
    static Map<String, Object> attack(Kit.Ask ask) {
        int most = 2;
        Map<String, Object> move = Kit.object("action", "stop");
        List<Map<String, Object>> attacks = Kit.get(ask.limits, "attacks");
        for (Map<String, Object> entry : attacks) {
            String from = Kit.get(entry, "from");
            for (String to : Kit.<List<String>>get(entry, "to")) {
                int lead = armies(ask, from) - armies(ask, to);
                if (lead > most) {
                    most = lead;
                    move = Kit.object("action", "attack", "from", from, "to", to);
                    move.put("dice", entry.get("max_dice"));
                    if (ask.limits.containsKey("max_rolls")) {
                        move.put("rolls", ask.limits.get("max_rolls"));
                        move.put("stop_at", Math.min(3, Kit.number(entry, "max_stop_at")));
                    }
                }
            }
        }
        return move;
    }

    /** Bring the largest army that has no enemy beside it one step on, to a border if it can. */
    static Map<String, Object> fortify(Kit.Ask ask) {
        int most = 0;
        Map<String, Object> move = Kit.object("action", "stay");
        List<Map<String, Object>> moves = Kit.get(ask.limits, "moves");
        for (Map<String, Object> entry : moves) {
            int armies = Kit.number(entry, "max_armies");
            String from = Kit.get(entry, "from");
            if (armies > most && !atBorder(ask, from)) {
                most = armies;
                List<String> goals = Kit.get(entry, "to");
                String to = goals.stream().filter(name -> atBorder(ask, name)).findFirst()
                    .orElse(goals.get(0));
                move = Kit.object("action", "move", "from", from, "to", to, "armies", most);
            }
        }
        return move;
    }

    public static void main(String[] args) {
        Kit.run(Bot::choose);
    }
}
