// Parries what it can, rests when weak, and strikes when the rival has few cards. Build it with
// `make`. To try first: attack as soon as the rival's answer costs more than the attack, with
// long ladders.

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

public final class Bot {
    /** What a defence costs in dexterity, by suit. */
    static final Map<String, Integer> PRICE = Map.of("O", 1, "C", 2);
    /** The stamina and the dexterity below which it rests. */
    static final int RESERVE = 4;

    /** Answer each of the four decisions. */
    static Map<String, Object> choose(Kit.Ask ask) {
        switch (ask.decision) {
            case "action":
                return act(ask);
            case "defend":
                return defend(ask);
            case "emergency_parry":
                return Kit.object("use", Kit.number(ask.view, "stamina", ask.seat) > RESERVE);
            default:
                return ask.legal.get(0); // choose_trait: the first die
        }
    }

    /** Rest when weak, strike a rival with few cards, prepare, else draw; one action a turn. */
    static Map<String, Object> act(Kit.Ask ask) {
        int dexterity = Kit.number(ask.view, "dexterity", ask.seat);
        List<String> wanted = new ArrayList<>(List.of("end_turn"));
        if (Kit.number(ask.view, "stamina", ask.seat) < RESERVE) {
            wanted.add("breathe");
        }
        if (dexterity < RESERVE) {
            wanted.add("footwork");
        }
        if (Kit.number(ask.view, "hand_size", 1 - ask.seat) < 3 && dexterity > 2) {
            wanted.add("attack");
        }
        wanted.addAll(List.of("observe", "feint"));
        for (String action : wanted) {
            for (Map<String, Object> move : ask.legal) {
                if (move.get("action").equals(action)) {
                    return move;
                }
            }
        }
        return ask.legal.get(0);
    }

    /** Return the first defence that holds and can be paid, else none. */
    static Map<String, Object> defend(Kit.Ask ask) {
        for (Map<String, Object> move : ask.legal) {
            List<String> cards = Kit.get(move, "cards");
            if (!cards.isEmpty()) {
                String suit = cards.get(0).substring(0, 1);
                int guard = cards.size() + Kit.number(ask.view, "bonus", ask.seat, suit);
                boolean holds = guard >= Kit.number(ask.view, "attack", "strength");
                if (holds && Kit.number(ask.view, "dexterity", ask.seat) > PRICE.get(suit)) {
                    return move;
                }
            }
        }
        return Kit.object("cards", List.of());
    }

    public static void main(String[] args) {
        Kit.run(Bot::choose);
    }
}
