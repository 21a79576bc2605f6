/* A bot in C without a library: the first legal move, or else the one nearest to a pass. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *after(const char *line, const char *key)
{
    const char *at = strstr(line, key);
    return at ? at + strlen(key) : NULL;
}

/* Print the JSON object that begins at `at`. */
static void print_object(const char *at)
{
    int depth = 0, quoted = 0;
    do {
        if (quoted && *at == '\\')
            putchar(*at++);
        else if (*at == '"')
            quoted = !quoted;
        else if (!quoted)
            depth += (*at == '{') - (*at == '}');
        putchar(*at++);
    } while (depth);
}

/* Print {"centre":["7O","2E"],...} for limits {"centre":2,...} and hand "7O","2E",... */
static void print_deployment(const char *limits, const char *hand)
{
    char zone[16];
    int count, read;
    char opening = '{';
    for (; sscanf(limits, "%*[{,]\"%15[a-z]\":%d%n", zone, &count, &read) == 2; limits += read) {
        printf("%c\"%s\":[", opening, zone);
        for (; count > 0; count--) {
            size_t length = strcspn(hand, ",]");
            printf("%.*s%s", (int)length, hand, count > 1 ? "," : "");
            hand += length + 1;
        }
        putchar(']');
        opening = ',';
    }
    putchar('}');
}

static void print_move(const char *ask)
{
    const char *legal = after(ask, "\"legal\":[");
    if (legal)
        print_object(legal);
    else if (strstr(ask, "\"decision\":\"deploy\""))
        print_deployment(after(ask, "\"limits\":"), after(ask, "\"hand\":["));
    else if (strstr(ask, "\"decision\":\"orders\""))
        printf("{\"action\":\"attack\"}");
    else if (strstr(ask, "\"decision\":\"attack\""))
        printf("{\"attackers\":[],\"target\":null}");
    else if (strstr(ask, "\"decision\":\"talk\""))
        printf("{\"say\":\"\"}");
    else
        printf("{\"play\":\"shift\",\"move\":[0,0,0,0]}");
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        if (strstr(line, "\"type\":\"hello\""))
            printf("{\"type\":\"ready\"}\n");
        else if (strstr(line, "\"type\":\"ask\"")) {
            printf("{\"id\":%ld,\"move\":", atol(after(line, "\"id\":")));
            print_move(line);
            printf("}\n");
        }
        fflush(stdout);
    }
    free(line);
    return 0;
}
