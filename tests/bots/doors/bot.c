/* Asks through the door what it is asked, by the kit for C. */

#include "kit.h"

static json choose(struct ask *ask) {
    char url[1000], *body = NULL;
    const char *headers[] = {"x-one", "a \"b\"", NULL};
    json given = find(ask->view, "body");
    text(get(ask->view, "url"), url, sizeof url);
    if (exists(given)) {
        body = malloc(given.size);
        text(given, body, given.size);
    }
    struct answer answer = fetch(url, body, headers);
    free(body);
    put(ask, "{");
    if (answer.error) {
        put(ask, "'error':");
        put_string(ask, answer.error);
        return put(ask, "}");
    }
    json kind = get(answer.headers, "content-type");
    put(ask, "'status':%ld,'size':%zu,'kind':%.*s", answer.status, answer.size, JSON(kind));
    if (is(kind, "application/json"))
        put(ask, "'says':%.*s", JSON(get(answer.json, "says")));
    return put(ask, "}");
}

int main(void) {
    return run(choose);
}
