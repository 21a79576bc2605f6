// Picks up the highest card first, so that it comes up again before the low ones.
//
// `make` builds it. To try first: where both packs are known, put each card where it meets one
// that it just beats.

package main

// choose sorts what was won, the highest first; equal ranks stay in the order listed.
func choose(ask *Ask) any {
	if ask.Decision != "pickup" {
		return ask.Legal[0]
	}
	var limits struct{ Won []string }
	ask.Limits.Into(&limits)
	order := []string{}
	for _, rank := range []byte("XAKQJT98765432") {
		for _, card := range limits.Won {
			if card[0] == rank {
				order = append(order, card)
			}
		}
	}
	return Move{"order": order}
}

func main() {
	Run(choose)
}
