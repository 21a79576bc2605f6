// Picks up the highest card first, so that it comes up again before the low ones. Build it with
// `make`. To try first: where both packs are known, put each card where it meets one that it just
// beats.

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

public final class Bot {
    static final String FALLING = "XAKQJT98765432";

    /** Sort what was won, the highest first; equal ranks stay in the order listed. */
    static Map<String, Object> choose(Kit.Ask ask) {
        if (!ask.decision.equals("pickup")) {
            return ask.legal.get(0);
        }
        List<String> order = new ArrayList<>(Kit.<List<String>>get(ask.limits, "won"));
        order.sort(Comparator.comparingInt(card -> FALLING.indexOf(card.charAt(0))));
        return Kit.object("order", order);
    }

    public static void main(String[] args) {
        Kit.run(Bot::choose);
    }
}
