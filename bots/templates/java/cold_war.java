// Attacks with a seat that sought an alliance in the last round, and else arms against the
// strongest. Build it with `make`. To try first: seek an ally yourself, where the two of you aim
// far more at the others than they back.

import java.util.List;
import java.util.Map;

public final class Bot {
    /** Return an offer of the last round, else aim all new missiles where most are aimed from. */
    static Map<String, Object> choose(Kit.Ask ask) {
        if (ask.decision.equals("talk")) {
            return Kit.object("say", "");
        }
        if (!ask.decision.equals("play")) {
            return ask.legal.get(0);
        }
        List<Integer> partners = Kit.get(ask.limits, "partners");
        int target = partners.get(0);
        for (int seat : partners) {
            Integer ally = Kit.find(ask.view, "last", seat, "with");
            if (ally != null && ally == ask.seat) {
                return Kit.object("play", "attack", "with", seat);
            }
            if (threat(ask, seat) > threat(ask, target)) {
                target = seat;
            }
        }
        int[] add = new int[4];
        add[target] = Kit.number(ask.limits, "add_max");
        return Kit.object("play", "arm", "add", add);
    }

    /** Return how many more missiles `seat` aims at us than we at it. */
    static int threat(Kit.Ask ask, int seat) {
        return Kit.number(ask.view, "markers", seat, ask.seat)
            - Kit.number(ask.view, "markers", ask.seat, seat);
    }

    public static void main(String[] args) {
        Kit.run(Bot::choose);
    }
}
