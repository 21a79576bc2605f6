// Picks up the lowest card first, to lose it again; the highest where the aim is to have cards.
// Build it with `make`. To try first: where both packs are known, let each card meet one that
// beats it, and mind the six.

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

public final class Bot {
    static final String RANKS = "23456789TJQKA";

    /** Sort what was won by rank; equal ranks stay in the order listed. */
    static Map<String, Object> choose(Kit.Ask ask) {
        if (!ask.decision.equals("pickup")) {
            return ask.legal.get(0);
        }
        Comparator<String> rising = Comparator.comparingInt(card -> RANKS.indexOf(card.charAt(0)));
        boolean keep = "avoid_empty".equals(ask.options.get("aim"));
        List<String> order = new ArrayList<>(Kit.<List<String>>get(ask.limits, "won"));
        order.sort(keep ? rising.reversed() : rising);
        return Kit.object("order", order);
    }

    public static void main(String[] args) {
        Kit.run(Bot::choose);
    }
}
