// Attacks with a Soldier that is stronger than a card it faces, and else brings in cards. Build
// it with `make`. To try first: attack with two Soldiers together, where neither is strong enough
// alone.

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

public final class Bot {
    static final List<String> ZONES = List.of("vanguard", "centre", "rearguard");

    /** Answer each of the four decisions. */
    static Map<String, Object> choose(Kit.Ask ask) {
        switch (ask.decision) {
            case "deploy":
                return deploy(ask);
            case "orders":
                return orders(ask);
            case "attack":
                List<String> sweeps = Kit.get(ask.limits, "sweeps");
                if (!sweeps.isEmpty()) {
                    return Kit.object("attackers", sweeps.subList(0, 1), "target", null);
                }
                return strike(Kit.get(ask.limits, "attackers"), Kit.get(ask.limits, "targets"));
            default:
                return ask.legal.get(0);
        }
    }

    /** Return what a card is: "12O" is a 12. */
    static int kind(String card) {
        return Integer.parseInt(card.substring(0, card.length() - 1));
    }

    /** Return how many wounds a card deals, doubling by Banners left aside. */
    static int strength(String card) {
        int kind = kind(card);
        return kind < 10 ? kind : kind == 11 ? 2 : 1;
    }

    /** Put the strongest cards in front. */
    static Map<String, Object> deploy(Kit.Ask ask) {
        List<String> hand = Kit.get(ask.view, "hand");
        Map<String, Object> move = Kit.object();
        for (String zone : ZONES) {
            if (ask.limits.containsKey(zone)) {
                List<String> cards = new ArrayList<>();
                while (cards.size() < Kit.number(ask.limits, zone)) {
                    String card = strongest(hand);
                    hand.remove(card);
                    cards.add(card);
                }
                move.put(zone, cards);
            }
        }
        return move;
    }

    /** Return the first of the strongest cards. */
    static String strongest(List<String> cards) {
        return Collections.max(cards, Comparator.comparingInt(Bot::strength));
    }

    /** Attack where a strike is possible, else bring in the strongest card of the hand. */
    static Map<String, Object> orders(Kit.Ask ask) {
        List<String> fighters = front(ask, ask.seat);
        fighters.removeIf(card -> kind(card) < 2 || kind(card) > 7);
        List<String> hand = Kit.get(ask.view, "hand");
        if (hand.isEmpty() || strike(fighters, front(ask, 1 - ask.seat)).get("target") != null) {
            return Kit.object("action", "attack");
        }
        return Kit.object("action", "incorporate", "card", strongest(hand), "zone", "vanguard");
    }

    /** Return the cards of a seat's foremost zone that is not empty. */
    static List<String> front(Kit.Ask ask, int seat) {
        Map<String, Integer> cards = Map.of();
        for (int i = 0; i < ZONES.size() && cards.isEmpty(); i++) {
            cards = Kit.get(ask.view, "zones", seat, ZONES.get(i));
        }
        return new ArrayList<>(cards.keySet());
    }

    /** Return the first attack that its attacker survives, else the stop. */
    static Map<String, Object> strike(List<String> attackers, List<String> targets) {
        for (String attacker : attackers) {
            for (String target : targets) {
                if (strength(attacker) > strength(target)) {
                    return Kit.object("attackers", List.of(attacker), "target", target);
                }
            }
        }
        return Kit.object("attackers", List.of(), "target", null);
    }

    public static void main(String[] args) {
        Kit.run(Bot::choose);
    }
}
