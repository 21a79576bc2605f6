// Steals the largest pile it can, and tops its own with the rank that lies open most often. Build
// it with `make`. To try first: play a high card, instead of stealing a small pile with it, in a
// war over many cards.

import java.util.List;
import java.util.Map;

public final class Bot {
    /** Return the first of the moves that are worth most. */
    static Map<String, Object> choose(Kit.Ask ask) {
        Map<String, Object> best = ask.legal.get(0);
        for (Map<String, Object> move : ask.legal) {
            if (worth(ask, move) > worth(ask, best)) {
                best = move;
            }
        }
        return best;
    }

    /** Return how many cards a theft takes, or how many of its rank the top's rivals lack. */
    static int worth(Kit.Ask ask, Map<String, Object> move) {
        List<List<String>> piles = Kit.get(ask.view, "piles");
        if (ask.decision.equals("top")) {
            char rank = Kit.<String>get(move, "top").charAt(0);
            int seen = count(rank, Kit.get(ask.view, "won"));
            for (List<String> pile : piles) {
                seen += count(rank, pile);
            }
            return rank == 'X' ? seen + 2 : seen;
        }
        List<Integer> safe = Kit.get(ask.view, "protected");
        if (move.get("action").equals("steal") && !safe.contains(Kit.number(move, "target"))) {
            return piles.get(Kit.number(move, "target")).size();
        }
        return 0;
    }

    /** Return how many of the cards are of a rank. */
    static int count(char rank, List<String> cards) {
        int found = 0;
        for (String card : cards) {
            found += card.charAt(0) == rank ? 1 : 0;
        }
        return found;
    }

    public static void main(String[] args) {
        Kit.run(Bot::choose);
    }
}
