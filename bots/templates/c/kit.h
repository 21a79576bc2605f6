/* The loop of a bot in C11, for authors: copy this file beside your program, it is all you need.

   A bot is a function from a decision to a move. This one plays every game:

       #include "kit.h"

       static json choose(struct ask *ask) {
           json moves = count(ask->legal) ? ask->legal : ask->samples;
           return item(moves, below(ask, count(moves)));
       }

       int main(void) {
           return run(choose);
       }

   ask->decision names what is asked, ask->view is all that your seat may know. ask->legal lists
   the legal moves; where there would be too many it is empty, ask->limits holds what is needed to
   make one, and ask->samples a few of them at random: 4, or as many as you define SAMPLES to be
   before you include this file. `arena games GAME --rules` shows what a bot sees, `--schema` its
   moves.

   A `json` is a piece of the line that was read, as it stands there. It lasts as long as the ask;
   options and table last as long as the match. Nothing is to be freed.

       get(view, "hand")           a member
       find(play, "with")          a member that may be missing
       exists(x)                   whether x is there, and not null
       item(list, 0), count(list)  an item, from 0 on; how many there are
       number(x), real(x)          a whole number, as long; any number, as double
       is(x, "centre")             whether it is this string; is_true(x): whether it is true
       same(x, y)                  whether two strings or numbers are the same
       letter(x)                   the first character of a string
       text(x, word, sizeof word)  copies a string into an array of char; returns its length
       for_each(card, hand)        a loop over the items of a list
       for_each(zone, zones)       ... or over the keys of an object: value(zone) stands beside one

   Where get, item, number, real, letter or text finds nothing that fits, the bot ends and says in
   which line of yours: `bot.c:17: no member hnad in: {"hand":[]}`.

   A listed move is returned as it is. Another is written piece by piece, as with printf; in the
   format ' stands for ", and between two pieces a comma is set where JSON wants one:

       put(ask, "{'play':'arm','add':[");
       for (int seat = 0; seat < 4; seat++)
           put(ask, "%d", add[seat]);
       return put(ask, "]}");

   All of them together are the one move of this ask: there is no beginning anew, so decide first
   and write then. A piece holds whole keys, values and brackets. What was read is written back by
   put(ask, "%.*s", JSON(x)), and put_string(ask, s) writes any text of yours.

   note(ask, "they have %d", n) keeps a few words with the match. What you print goes to standard
   error, which is kept too. below(ask, n) is a random number from 0 to n - 1, of the match's seed.

   One process plays many matches. A bot that keeps something in static variables should forget it
   where ask->id is 1, the first of a match; then it plays each the same however often repeated.

   Where the league grants the bot a door, it asks elsewhere, while it is its turn, and waits for
   the answer; body and headers may be NULL:

       const char *headers[] = {"content-type", "application/json", NULL};
       struct answer answer = fetch("https://api.example.org/v1/x", "{\"model\":\"x\"}", headers);
       if (answer.error)                   why it was refused, or has failed; else NULL
           note(ask, "%s", answer.error);
       else                                there is answer.status, such as 200; answer.body, text of
           number(get(answer.json, "n"));  answer.size bytes; and answer.json, the body as JSON

   It lasts until the next one. */

#ifndef KIT_H
#define KIT_H

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* for getline and the like: with -std=c11, include this file first */
#endif
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef SAMPLES
#define SAMPLES 4
#endif

typedef struct {
    const char *at;
    size_t size; /* 0 for what is not there */
} json;

#define JSON(x) (int)(x).size, (x).at

struct kit_text {
    FILE *file;
    char *at;
    size_t size;
};

struct ask {
    long id; /* 1 for the first of a match */
    json decision, view, legal, limits, samples, clock;
    json game, options, table;
    int seat, seats; /* your own, from 0, and how many there are */
    uint64_t seed, dice;
    struct kit_text move, note;
};

static const char *kit_file; /* the author's line that reads something */
static int kit_line;

static inline json kit_here(json x, const char *file, int line) {
    kit_file = file;
    kit_line = line;
    return x;
}

static inline _Noreturn void kit_fail(const char *what, const char *name, json where) {
    int size = where.size < 300 ? (int)where.size : 300;
    if (kit_file)
        fprintf(stderr, "%s:%d: ", kit_file, kit_line);
    else
        fprintf(stderr, "bot: ");
    if (size)
        fprintf(stderr, "%s%s in: %.*s\n", what, name, size, where.at);
    else
        fprintf(stderr, "%s%s: there is nothing here\n", what, name);
    exit(1);
}

/* --- reading: a line ends with a NUL, and nothing here goes beyond it ------------------------ */

static inline const char *kit_blank(const char *at) { return at + strspn(at, " \t\r\n"); }

static inline const char *kit_end(const char *at) {
    int depth = 0;
    do {
        if (*at == '"') {
            for (at++; *at && *at != '"'; at++)
                at += *at == '\\' && at[1];
            at += *at == '"';
        } else if (*at == '[' || *at == '{') {
            depth++, at++;
        } else if (*at == ']' || *at == '}') {
            depth--, at++;
        } else if (depth) {
            at++;
        } else {
            at += strcspn(at, ",:]} \t\r\n");
        }
    } while (depth > 0 && *at);
    return at;
}

static inline json kit_at(const char *at) {
    at = kit_blank(at);
    bool none = !*at || strchr(",:]}", *at);
    return (json){at, none ? 0 : (size_t)(kit_end(at) - at)};
}

static inline json kit_first(json whole) {
    return whole.size && strchr("[{", *whole.at) ? kit_at(whole.at + 1) : (json){"", 0};
}

static inline json value(json key) {
    const char *at = key.size ? kit_blank(key.at + key.size) : "";
    return *at == ':' ? kit_at(at + 1) : (json){at, 0};
}

static inline json kit_next(json item) {
    json beside = value(item);
    const char *at = kit_blank(beside.at + beside.size);
    return *at == ',' ? kit_at(at + 1) : (json){at, 0};
}

#define for_each(item, whole) \
    for (json item = kit_first(whole); item.size; item = kit_next(item))

static inline bool exists(json x) { return x.size && *x.at != 'n'; }
static inline bool is_true(json x) { return x.size && *x.at == 't'; }
static inline bool kit_is_string(json x) { return x.size && *x.at == '"'; }

/* Reads what follows the u of an escape. */
static inline unsigned kit_unit(const char *at) {
    char digits[5] = "";
    memcpy(digits, at, strnlen(at, 4));
    return (unsigned)strtoul(digits, NULL, 16);
}

/* Decodes the character at `*at`; returns how many bytes it has, 0 at the end of the string. */
static inline size_t kit_character(const char **at, char bytes[4]) {
    const char *from = *at, *codes = "b\bf\fn\nr\rt\t";
    if (!*from || *from == '"' || (*from == '\\' && !from[1]))
        return 0;
    *at += *from == '\\' ? 2 : 1;
    if (*from != '\\' || from[1] != 'u') {
        const char *code = *from == '\\' ? strchr(codes, from[1]) : NULL;
        bytes[0] = code ? code[1] : (*at)[-1];
        size_t size = 1;
        while (size < 4 && (**at & 0xC0) == 0x80)
            bytes[size++] = *(*at)++;
        return size;
    }
    unsigned c = kit_unit(from + 2), low;
    *at += strnlen(*at, 4);
    if (c >> 10 == 0x36 && !strncmp(*at, "\\u", 2) && (low = kit_unit(*at + 2)) >> 10 == 0x37) {
        c = 0x10000 + ((c & 0x3FF) << 10 | (low & 0x3FF));
        *at += 6;
    }
    int size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (int i = size - 1; i > 0; i--, c >>= 6)
        bytes[i] = (char)(0x80 | (c & 0x3F));
    bytes[0] = (char)(size == 1 ? c : (0xF00u >> size & 0xFF) | c);
    return (size_t)size;
}

static inline size_t text(json x, char *word, size_t room) {
    size_t length = 0, kept = 0;
    const char *at = x.at + 1;
    char bytes[4];
    if (!kit_is_string(x))
        kit_fail("no string", "", x);
    for (size_t size; (size = kit_character(&at, bytes)); length += size)
        if (kept == length && length + size < room) {
            memcpy(word + length, bytes, size);
            kept += size;
        }
    word[kept] = 0;
    return length;
}

static inline bool is(json x, const char *word) {
    size_t size = strlen(word);
    if (!kit_is_string(x))
        return false;
    if (!memchr(x.at, '\\', x.size))
        return x.size == size + 2 && !memcmp(x.at + 1, word, size);
    char *plain = malloc(x.size);
    bool equal = text(x, plain, x.size) == size && !memcmp(plain, word, size);
    free(plain);
    return equal;
}

static inline bool same(json x, json y) {
    if (x.size == y.size && (!x.size || !memcmp(x.at, y.at, x.size)))
        return true;
    if (!kit_is_string(x) || !kit_is_string(y))
        return false;
    char *plain = malloc(y.size);
    text(y, plain, y.size);
    bool equal = is(x, plain);
    free(plain);
    return equal;
}

static inline char letter(json x) {
    char word[2];
    text(x, word, sizeof word);
    return word[0];
}

static inline const char *kit_digits(json x) {
    if (!x.size || !strchr("-0123456789", *x.at))
        kit_fail("no number", "", x);
    return x.at;
}

static inline long number(json x) { return strtol(kit_digits(x), NULL, 10); }
static inline double real(json x) { return strtod(kit_digits(x), NULL); }

static inline json find(json object, const char *key) {
    for_each(name, object)
        if (is(name, key))
            return value(name);
    return (json){"", 0};
}

static inline json get(json object, const char *key) {
    json found = find(object, key);
    if (!found.size)
        kit_fail("no member ", key, object);
    return found;
}

static inline long count(json whole) {
    long items = 0;
    for_each(item, whole)
        items++;
    return items;
}

static inline json item(json list, long index) {
    long at = 0;
    char name[24];
    for_each(item, list)
        if (at++ == index)
            return item;
    snprintf(name, sizeof name, "%ld", index);
    kit_fail("no item ", name, list);
}

/* From here on these note the line they stand in, for kit_fail. */
#define kit_noted(x) kit_here(x, __FILE__, __LINE__)
#define get(object, key) get(kit_noted(object), key)
#define item(list, index) item(kit_noted(list), index)
#define number(x) number(kit_noted(x))
#define real(x) real(kit_noted(x))
#define letter(x) letter(kit_noted(x))
#define text(x, word, room) text(kit_noted(x), word, room)

/* --- answering ------------------------------------------------------------------------------- */

static inline long below(struct ask *ask, long n) { /* SplitMix64 */
    uint64_t mixed = ask->dice += 0x9E3779B97F4A7C15;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB;
    return (long)(((mixed ^ mixed >> 31) >> 32) * (uint64_t)n >> 32);
}

static inline void kit_open(struct kit_text *text) {
    if (text->file)
        fclose(text->file);
    free(text->at);
    text->file = open_memstream(&text->at, &text->size);
}

/* Begins a piece of the move that starts with `sign`: sets a comma where one belongs. */
static inline FILE *kit_piece(struct ask *ask, char sign) {
    struct kit_text *move = &ask->move;
    fflush(move->file);
    size_t size = move->size;
    while (size && strchr(" \t\n", move->at[size - 1]))
        size--;
    if (size && !strchr("[{:,", move->at[size - 1]) && !strchr("]}:,", sign))
        fputc(',', move->file);
    return move->file;
}

static inline void kit_quote(FILE *file, const char *text) {
    fputc('"', file);
    for (; *text; text++)
        if ((unsigned char)*text < ' ')
            fprintf(file, "\\u%04x", *text);
        else
            fprintf(file, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
    fputc('"', file);
}

__attribute__((format(printf, 2, 3)))
static inline json put(struct ask *ask, const char *format, ...) {
    char *pattern = strdup(format);
    va_list values;
    for (char *quote = pattern; (quote = strchr(quote, '\''));)
        *quote = '"';
    va_start(values, format);
    vfprintf(kit_piece(ask, *kit_blank(pattern)), pattern, values);
    va_end(values);
    free(pattern);
    fflush(ask->move.file);
    return (json){ask->move.at, ask->move.size};
}

static inline void put_string(struct ask *ask, const char *text) {
    kit_quote(kit_piece(ask, '"'), text);
}

__attribute__((format(printf, 2, 3)))
static inline void note(struct ask *ask, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vfprintf(ask->note.file, format, values);
    va_end(values);
}

/* --- the door -------------------------------------------------------------------------------- */

struct answer {
    const char *error;
    long status;
    json headers, json;
    const char *body;
    size_t size;
};

/* Decodes base64 in its place; returns how many bytes it has. */
static inline size_t kit_bytes(char *text) {
    static const char signs[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t size = 0;
    unsigned bits = 0, held = 0;
    const char *sign;
    for (char *at = text; *at && (sign = strchr(signs, *at)); at++) {
        bits = bits << 6 | (unsigned)(sign - signs);
        if ((held += 6) >= 8)
            text[size++] = (char)(bits >> (held -= 8));
    }
    return size;
}

static inline struct answer kit_failed(const char *error) {
    return (struct answer){.error = error};
}

static inline struct answer fetch(const char *url, const char *body, const char *const *headers) {
    static FILE *reads;
    static char *line, *content;
    static size_t room;
    static long asked;
    const char *named = getenv("ARENA_DOOR");
    int from, to;
    if (!named || sscanf(named, "%d,%d", &from, &to) != 2)
        return kit_failed("there is no door: whoever organizes a league grants one, with the "
                          "names that a bot may ask");
    if (!reads)
        reads = fdopen(from, "r");
    struct kit_text request = {0};
    kit_open(&request);
    fprintf(request.file, "{\"id\":%ld,\"url\":", ++asked);
    kit_quote(request.file, url);
    for (const char *const *each = headers; each && each[0]; each += 2) {
        fputs(each == headers ? ",\"headers\":{" : ",", request.file);
        kit_quote(request.file, each[0]);
        fputc(':', request.file);
        kit_quote(request.file, each[1]);
        if (!each[2])
            fputc('}', request.file);
    }
    if (body) {
        fputs(",\"body\":", request.file);
        kit_quote(request.file, body);
    }
    fputs("}\n", request.file);
    fclose(request.file);
    signal(SIGPIPE, SIG_IGN); /* a door that is closed is told of, and ends no bot */
    bool sent = true;
    for (size_t at = 0; sent && at < request.size;) {
        ssize_t wrote = write(to, request.at + at, request.size - at);
        sent = wrote > 0 || errno == EINTR;
        at += wrote > 0 ? (size_t)wrote : 0;
    }
    free(request.at);
    json answer, found;
    do {
        if (!sent || getline(&line, &room, reads) == -1)
            return kit_failed("the door is closed: the referee has closed it");
        answer = kit_at(line);
    } while (number(get(answer, "id")) != asked); /* others are for nobody */
    content = realloc(content, strlen(line) + 1);
    if ((found = find(answer, "error")).size) {
        text(found, content, strlen(line) + 1);
        return kit_failed(content);
    }
    struct answer all = {.status = number(get(answer, "status")), .body = content};
    all.headers = find(answer, "headers");
    *content = 0;
    if ((found = find(answer, "body64")).size) {
        text(found, content, strlen(line) + 1);
        all.size = kit_bytes(content);
        content[all.size] = 0;
    } else if ((found = find(answer, "body")).size) {
        all.size = text(found, content, strlen(line) + 1);
    }
    all.json = kit_at(content);
    return all;
}

static inline void kit_start(struct ask *ask, json start) {
    ask->game = find(start, "game");
    ask->seat = (int)number(get(start, "seat"));
    ask->seats = (int)number(get(start, "seats"));
    ask->options = find(start, "options");
    ask->table = find(start, "table");
    ask->dice = ask->seed = strtoull(find(start, "seed").at, NULL, 10);
}

static inline void kit_answer(FILE *wire, struct ask *ask, json message,
                              json (*choose)(struct ask *)) {
    ask->id = number(get(message, "id"));
    ask->decision = get(message, "decision");
    ask->view = get(message, "view");
    ask->legal = find(message, "legal");
    ask->limits = find(message, "limits");
    ask->samples = find(message, "samples");
    ask->clock = find(message, "clock");
    kit_open(&ask->move);
    kit_open(&ask->note);
    json move = choose(ask);
    if (!move.size) {
        kit_file = NULL;
        kit_fail("no move", "", ask->decision);
    }
    fprintf(wire, "{\"id\":%ld,\"move\":", ask->id);
    fwrite(move.at, 1, move.size, wire);
    fflush(ask->note.file);
    if (ask->note.size) {
        fprintf(wire, ",\"note\":");
        kit_quote(wire, ask->note.at);
    }
    fprintf(wire, "}\n");
}

static FILE *kit_wire;

/* Keeps the pipe to the referee for replies alone, before main begins: what else is printed goes to
   standard error. */
__attribute__((constructor)) static void kit_take_stdout(void) {
    kit_wire = fdopen(dup(STDOUT_FILENO), "w");
    dup2(STDERR_FILENO, STDOUT_FILENO);
    setvbuf(stdout, NULL, _IOLBF, 0);
}

static inline int run(json (*choose)(struct ask *)) {
    static struct ask ask;
    static char *line, *start;
    size_t room = 0;
    FILE *wire = kit_wire;
    while (getline(&line, &room, stdin) != -1) {
        json message = kit_at(line), type = find(message, "type");
        if (is(type, "hello")) {
            fprintf(wire, "{\"type\":\"ready\",\"samples\":%d}\n", SAMPLES);
        } else if (is(type, "ask")) {
            kit_answer(wire, &ask, message, choose);
        } else if (is(type, "start")) {
            kit_start(&ask, message);
            free(start); /* options and table stay in this line, the next has one of its own */
            start = line;
            line = NULL;
            room = 0;
        }
        fflush(wire);
    }
    return 0;
}

#endif
