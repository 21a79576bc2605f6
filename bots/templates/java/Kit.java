/*
 * The loop of a bot in Java 11 or newer, for authors: copy this file beside Bot.java, nothing
 * else is needed; `make` builds both into `classes`. A bot is a function from a decision to a
 * move. This one plays every game:
 *
 *     import java.util.List;
 *     import java.util.Map;
 *
 *     public final class Bot {
 *         static Map<String, Object> choose(Kit.Ask ask) {
 *             List<Map<String, Object>> moves = ask.legal.isEmpty() ? ask.samples : ask.legal;
 *             return moves.get(ask.rng.nextInt(moves.size()));
 *         }
 *
 *         public static void main(String[] args) {
 *             Kit.run(Bot::choose);
 *         }
 *     }
 *
 * `ask.decision` names what is asked, `ask.view` is all that your seat may know. `ask.legal`
 * lists the legal moves; where there would be too many it is empty, `ask.limits` holds what is
 * needed to make one, and `ask.samples` a few of them at random: 4, or as many as you set
 * `Kit.samples` to. `arena games GAME --rules` shows what a bot sees, `--schema` its moves.
 *
 * JSON becomes Map<String, Object> in the order of its keys, List<Object>, String, Boolean, null,
 * Integer (Long, if it is that large) and Double. `Kit.get` and `Kit.number` follow a path, and
 * throw an exception that says what is not there; `Kit.find` gives null for it:
 *
 *     List<String> hand = Kit.get(ask.view, "hand");
 *     if (Kit.number(ask.view, "markers", seat, ask.seat) > 3) ...
 *     return Kit.object("play", "arm", "add", new int[] {0, 2, 1, 1});
 *
 * Set `ask.note` to keep a few words with the match. In `choose`, System.out goes to standard
 * error, which is kept too. An exception ends the bot, with its stack trace there.
 *
 * One process plays many matches. `ask.memory` is a map that begins empty in each of them, and
 * `ask.rng` begins anew from the match's seed. A bot that keeps to these two, instead of static
 * fields and the clock, plays every match the same however often it is repeated. Map.of and
 * Set.of list their entries in another order in every process; Kit.object and List.of do not.
 *
 * Where the league grants the bot a door, it asks elsewhere, while it is its turn, and waits for
 * the answer; body and headers may be null. What is refused or fails is a Kit.DoorException:
 *
 *     Kit.Answer answer = Kit.fetch("https://api.example.org/v1/x", "{...}",
 *         Map.of("content-type", "application/json"));
 *     System.out.println(answer.status + answer.text() + Kit.get(answer.json(), "choices"));
 */

import java.io.*;
import java.lang.reflect.Constructor;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.function.Function;

public final class Kit {
    private Kit() {}

    /** How many legal moves are shown with an ask that does not list them: 0 to 16. */
    public static int samples = 4;

    /** One decision asked of the bot, with the facts of its match at hand. */
    public static final class Ask {
        public final String game, decision;
        /** The bot's own seat, from 0, and how many there are. */
        public final int seat, seats;
        public final Map<String, Object> view, limits, clock;
        public final List<Map<String, Object>> legal, samples;
        /** The game's options in this match, and its constants. */
        public final Map<String, Object> options, table;
        public final Map<String, Object> memory;
        public final Random rng;
        public String note = "";

        private Ask(Map<String, Object> start, Map<String, Object> memory, Random rng,
                Map<String, Object> message) {
            this.memory = memory;
            this.rng = rng;
            game = part(start, "game", "");
            seat = part(start, "seat", 0);
            seats = part(start, "seats", 0);
            options = part(start, "options", Map.of());
            table = part(start, "table", Map.of());
            decision = part(message, "decision", "");
            view = part(message, "view", Map.of());
            limits = part(message, "limits", Map.of());
            clock = part(message, "clock", Map.of());
            legal = part(message, "legal", List.of());
            samples = part(message, "samples", List.of());
        }

        private static <T> T part(Map<String, Object> message, String key, T otherwise) {
            T found = find(message, key);
            return found == null ? otherwise : found;
        }
    }

    /** Play until the input ends. */
    public static void run(Function<Ask, Map<String, Object>> choose) {
        OutputStream wire = new FileOutputStream(FileDescriptor.out);
        OutputStream errors = new FileOutputStream(FileDescriptor.err);
        System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
        System.setOut(System.err);
        try {
            play(choose, wire);
        } catch (Throwable error) {
            error.printStackTrace();
            System.exit(1);
        }
        System.exit(0);
    }

    private static void play(Function<Ask, Map<String, Object>> choose, OutputStream wire)
            throws IOException {
        Reader input = new InputStreamReader(System.in, StandardCharsets.UTF_8);
        BufferedReader lines = new BufferedReader(input);
        Map<String, Object> start = Map.of(), memory = new HashMap<>();
        Random rng = new Random(0);
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Map<String, Object> message = get(new Json(line).value());
            Object type = message.get("type");
            if ("ask".equals(type)) {
                Ask ask = new Ask(start, memory, rng, message);
                Map<String, Object> move = choose.apply(ask);
                Map<String, Object> reply = object("id", message.get("id"), "move", move);
                if (!ask.note.isEmpty()) {
                    reply.put("note", ask.note);
                }
                send(wire, reply);
            } else if ("start".equals(type)) {
                start = message;
                memory = new HashMap<>();
                rng = new Random(Ask.part(start, "seed", (Number) 0).longValue());
            } else if ("hello".equals(type)) {
                send(wire, object("type", "ready", "samples", samples));
            }
        }
    }

    /** A request that was refused or has failed; the message says why, and what to do. */
    @SuppressWarnings("serial")
    public static final class DoorException extends RuntimeException {
        private DoorException(String why) {
            super(why);
        }
    }

    /** What a request was answered: the status of HTTP, headers by small letters, and the body. */
    public static final class Answer {
        public final int status;
        public final Map<String, String> headers;
        public final byte[] body;

        private Answer(int status, Map<String, String> headers, byte[] body) {
            this.status = status;
            this.headers = headers;
            this.body = body;
        }

        /** The body as text. */
        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }

        /** The body as JSON, which is taken to be sound; as the type it is assigned to. */
        public <T> T json() {
            return get(new Json(text()).value());
        }
    }

    private static BufferedReader doorReads;
    private static OutputStream doorWrites;
    private static int asked;

    /** Ask an address through the door and wait: by POST if there is a body, else by GET. */
    public static Answer fetch(String url, String body, Map<String, String> headers) {
        String named = System.getenv("ARENA_DOOR");
        if (named == null) {
            throw new DoorException("there is no door: whoever organizes a league grants one, "
                + "with the names that a bot may ask");
        }
        Map<String, Object> request = object("id", ++asked, "url", url);
        if (headers != null) {
            request.put("headers", headers);
        }
        if (body != null) {
            request.put("body", body);
        }
        try {
            if (doorReads == null) {
                String[] ends = named.split(",");
                InputStream reads = new FileInputStream(end(Integer.parseInt(ends[0])));
                doorReads = new BufferedReader(
                    new InputStreamReader(reads, StandardCharsets.UTF_8));
                doorWrites = new FileOutputStream(end(Integer.parseInt(ends[1])));
            }
            send(doorWrites, request);
            for (String line = doorReads.readLine(); line != null; line = doorReads.readLine()) {
                Map<String, Object> answer = get(new Json(line).value());
                if (number(answer, "id") == asked) {
                    return answered(answer);
                } // others are for nobody
            }
        } catch (IOException error) {
            throw new DoorException("the door is closed: " + error.getMessage());
        }
        throw new DoorException("the door is closed: the referee has closed it");
    }

    private static Answer answered(Map<String, Object> answer) {
        String error = find(answer, "error");
        if (error != null) {
            throw new DoorException(error);
        }
        String text = find(answer, "body"), coded = find(answer, "body64");
        byte[] body = coded != null ? Base64.getDecoder().decode(coded)
            : (text == null ? "" : text).getBytes(StandardCharsets.UTF_8);
        Map<String, String> headers = find(answer, "headers");
        return new Answer(number(answer, "status"), headers == null ? Map.of() : headers, body);
    }

    /** An end of the door: Java has no public word for what is open under a number. */
    private static FileDescriptor end(int number) throws IOException {
        try {
            Constructor<FileDescriptor> maker =
                FileDescriptor.class.getDeclaredConstructor(int.class);
            maker.setAccessible(true);
            return maker.newInstance(number);
        } catch (ReflectiveOperationException | RuntimeException error) {
            throw new IOException("java must be started with "
                + "--add-opens=java.base/java.io=ALL-UNNAMED, as the command in bot.toml");
        }
    }

    private static void send(OutputStream wire, Object message) throws IOException {
        StringBuilder line = new StringBuilder();
        write(message, line);
        wire.write(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
    }

    /**
     * What keys and places lead to, as the type it is assigned to; null if a null is on the way.
     *
     * @throws NoSuchElementException if a key or a place is not there
     */
    @SuppressWarnings("unchecked")
    public static <T> T get(Object value, Object... path) {
        for (Object step : path) {
            if (value != null && !has(value, step)) {
                throw new NoSuchElementException(
                    "there is no " + brief(step) + " in " + brief(value));
            }
            value = value == null ? null : member(value, step);
        }
        return (T) value;
    }

    /** The same, but null as well if a key or a place is not there. */
    @SuppressWarnings("unchecked")
    public static <T> T find(Object value, Object... path) {
        for (Object step : path) {
            value = has(value, step) ? member(value, step) : null;
        }
        return (T) value;
    }

    /** The number that keys and places lead to, found as by get. */
    public static int number(Object value, Object... path) {
        Object found = get(value, path);
        if (!(found instanceof Integer)) {
            throw new IllegalArgumentException(brief(found) + " is no whole number that fits an int"
                + (path.length == 0 ? "" : ", at " + brief(Arrays.asList(path))));
        }
        return (Integer) found;
    }

    private static boolean has(Object whole, Object step) {
        if (whole instanceof List && step instanceof Integer) {
            return (Integer) step >= 0 && (Integer) step < ((List<?>) whole).size();
        }
        return whole instanceof Map && ((Map<?, ?>) whole).containsKey(step);
    }

    private static Object member(Object whole, Object step) {
        return whole instanceof List
            ? ((List<?>) whole).get((Integer) step) : ((Map<?, ?>) whole).get(step);
    }

    private static String brief(Object value) {
        StringBuilder text = new StringBuilder();
        write(value, text);
        return text.length() > 300 ? text.substring(0, 300) + "..." : text.toString();
    }

    /** A map that keeps its order: key, value, key, value... */
    public static Map<String, Object> object(Object... pairs) {
        Map<String, Object> made = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            made.put((String) pairs[i], pairs[i + 1]);
        }
        return made;
    }

    private static void write(Object value, StringBuilder out) {
        if (value == null || value instanceof Boolean || value instanceof Number) {
            out.append(value);
        } else if (value instanceof String) {
            quote((String) value, out);
        } else if (value instanceof int[]) {
            out.append(Arrays.toString((int[]) value));
        } else if (value instanceof Iterable) {
            String mark = "";
            out.append('[');
            for (Object item : (Iterable<?>) value) {
                write(item, out.append(mark));
                mark = ",";
            }
            out.append(']');
        } else if (value instanceof Map) {
            String mark = "";
            out.append('{');
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                quote((String) entry.getKey(), out.append(mark));
                write(entry.getValue(), out.append(':'));
                mark = ",";
            }
            out.append('}');
        } else {
            throw new IllegalArgumentException("a move cannot hold " + value.getClass().getTypeName());
        }
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (char c : text.toCharArray()) {
            if (c < ' ') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c == '"' || c == '\\' ? "\\" : "").append(c);
            }
        }
        out.append('"');
    }

    /** Reads JSON that is well formed, as the referee's is. */
    private static final class Json {
        private final String text;
        private int at;

        Json(String text) {
            this.text = text;
        }

        Object value() {
            switch (peek()) {
                case '{':
                    Map<String, Object> object = new LinkedHashMap<>();
                    while (another('}')) {
                        String key = string();
                        peek();
                        at++;
                        object.put(key, value());
                    }
                    return object;
                case '[':
                    List<Object> list = new ArrayList<>();
                    while (another(']')) {
                        list.add(value());
                    }
                    return list;
                case '"':
                    return string();
                default:
                    return word();
            }
        }

        /** Step over white space to what follows. */
        private char peek() {
            while (text.charAt(at) <= ' ') {
                at++;
            }
            return text.charAt(at);
        }

        /** Step over the opening bracket or a comma to the next item, or over the closing one. */
        private boolean another(char end) {
            if (peek() != end) {
                at++;
            }
            if (peek() != end) {
                return true;
            }
            at++;
            return false;
        }

        private String string() {
            StringBuilder made = new StringBuilder();
            for (at++; text.charAt(at) != '"'; at++) {
                char c = text.charAt(at);
                if (c == '\\') {
                    c = text.charAt(++at);
                    int known = "bfnrt".indexOf(c);
                    if (c == 'u') {
                        c = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
                        at += 4;
                    } else if (known >= 0) {
                        c = "\b\f\n\r\t".charAt(known);
                    }
                }
                made.append(c);
            }
            at++;
            return made.toString();
        }

        private Object word() {
            int from = at;
            boolean whole = true;
            for (; at < text.length() && ",]} \t".indexOf(text.charAt(at)) < 0; at++) {
                whole &= "-0123456789".indexOf(text.charAt(at)) >= 0;
            }
            String word = text.substring(from, at);
            if (word.equals("null")) {
                return null;
            }
            if (word.equals("true") || word.equals("false")) {
                return word.equals("true");
            }
            if (!whole || word.length() > 18) {
                return Double.valueOf(word);
            }
            long number = Long.parseLong(word);
            return number == (int) number ? (Object) (int) number : (Object) number;
        }
    }
}
