// Asks through the door what it is asked, by the kit for Go.

package main

import "encoding/json"

func choose(ask *Ask) any {
	var view struct{ URL, Body string }
	ask.View.Into(&view)
	request := Request{Headers: map[string]string{"x-one": `a "b"`}}
	if view.Body != "" {
		request.Body = []byte(view.Body)
	}
	answer, err := Fetch(view.URL, request)
	if err != nil {
		return Move{"error": err.Error()}
	}
	kind := answer.Headers["content-type"]
	said := Move{"status": answer.Status, "size": len(answer.Body), "kind": kind}
	if kind == "application/json" {
		var body struct{ Says string }
		if err := json.Unmarshal(answer.Body, &body); err != nil {
			panic(err)
		}
		said["says"] = body.Says
	}
	return said
}

func main() {
	Run(choose)
}
