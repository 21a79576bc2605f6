// Plays {{game}} by legal moves at random, until you choose better ones. `make` builds it.

import java.util.List;
import java.util.Map;

public final class Bot {
    /** Return a move; each decision of the game has its place here. */
    static Map<String, Object> choose(Kit.Ask ask) {
        switch (ask.decision) {
            // {{each decision}}
            case "{{name}}":
                // {{about}}
                return anyMove(ask);
            // {{end}}
            default:
                return anyMove(ask);
        }
    }

    /** Return one of the legal moves or, where they are not listed, of the samples. */
    static Map<String, Object> anyMove(Kit.Ask ask) {
        List<Map<String, Object>> moves = ask.legal.isEmpty() ? ask.samples : ask.legal;
        return moves.get(ask.rng.nextInt(moves.size()));
    }

    // What ask.view holds, such as when a match of {{seats}} seats begins:
    //
    // {{view}}

    public static void main(String[] args) {
        Kit.run(Bot::choose);
    }
}
