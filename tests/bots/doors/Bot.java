// Asks through the door what it is asked, by the kit for Java.

import java.util.Map;

public final class Bot {
    static Map<String, Object> choose(Kit.Ask ask) {
        Kit.Answer answer;
        try {
            answer = Kit.fetch(
                Kit.get(ask.view, "url"), Kit.find(ask.view, "body"), Map.of("x-one", "a \"b\""));
        } catch (Kit.DoorException error) {
            return Kit.object("error", error.getMessage());
        }
        String kind = answer.headers.get("content-type");
        Map<String, Object> said = Kit.object(
            "status", answer.status, "size", answer.body.length, "kind", kind);
        if (kind.equals("application/json")) {
            said.put("says", Kit.get(answer.json(), "says"));
        }
        return said;
    }

    public static void main(String[] args) {
        Kit.run(Bot::choose);
    }
}
