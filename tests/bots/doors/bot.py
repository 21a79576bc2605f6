"""Asks through the door what it is asked, by the kit for Python."""

import kit


def choose(ask):
    try:
        answer = kit.fetch(ask.view["url"], ask.view.get("body"), {"x-one": 'a "b"'})
    except kit.DoorError as error:
        return {"error": str(error)}
    kind = answer.headers["content-type"]
    said = {"status": answer.status, "size": len(answer.body), "kind": kind}
    if kind == "application/json":
        said["says"] = answer.json()["says"]
    return said


kit.run(choose)
