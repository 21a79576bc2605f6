// Reads a view and writes a move as an author may, by the kit for Java.

import java.util.List;
import java.util.Map;

public final class Bot {
    static Map<String, Object> choose(Kit.Ask ask) {
        Map<String, Object> who = Kit.get(ask.view, "who");
        int ally = Kit.number(who, "with");
        List<String> hand = Kit.get(ask.view, "hand");
        double half = Kit.get(ask.view, "half");
        ask.note = "a \"word\"";
        return Kit.object(
            "hand", hand, "first", hand.get(0), "count", hand.size(),
            "sum", Kit.number(ask.view, "markers", 1, 0) + Kit.number(ask.view, "markers", 1, 1),
            "ally", ally,
            "absent", List.of(Kit.get(who, "none") != null, Kit.find(who, "nobody") != null),
            "flag", Kit.get(ask.view, "flag"), "twice", 2 * half, "seat", ask.seat,
            "option", Kit.get(ask.options, "deck"),
            "of", Kit.object("a", new int[] {}, "none", null, "say", "with \"quotes\" \\"),
            "samples", ask.samples.size());
    }

    public static void main(String[] args) {
        Kit.run(Bot::choose);
    }
}
