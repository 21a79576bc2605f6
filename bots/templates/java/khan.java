// Gathers in peace, and defends itself with whatever it has. Build it with `make`. To try first:
// attack a seat that has tokens in front but few cards, when you hold a leader and a ladder of
// two.

import java.util.List;
import java.util.Map;

public final class Bot {
    static final List<String> LEADERS = List.of("C10", "C11", "C12");

    /** Draw, give up what makes no ladder, and show and use all there is. */
    static Map<String, Object> choose(Kit.Ask ask) {
        if (ask.decision.equals("turn") || ask.decision.equals("place_front")) {
            return ask.legal.get(0); // the draw; the two lowest cards
        }
        if (ask.decision.equals("discard")) {
            for (Map<String, Object> move : ask.legal) {
                if (move.get("from").equals("hand") && !useful(ask, Kit.get(move, "discard"))) {
                    return move;
                }
            }
            return ask.legal.get(0);
        }
        return ask.legal.get(ask.legal.size() - 1);
    }

    /** Return whether a card is a leader or an ace, or has a neighbour of its suit in the hand. */
    static boolean useful(Kit.Ask ask, String card) {
        List<String> hand = Kit.get(ask.view, "hand");
        String suit = card.substring(0, 1);
        int rank = Integer.parseInt(card.substring(1));
        return LEADERS.contains(card) || rank == 1
            || hand.contains(suit + (rank - 1)) || hand.contains(suit + (rank + 1));
    }

    public static void main(String[] args) {
        Kit.run(Bot::choose);
    }
}
