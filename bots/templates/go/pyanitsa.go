// Picks up the lowest card first, to lose it again; the highest where the aim is to have cards.
//
// `make` builds it. To try first: where both packs are known, let each card meet one that beats
// it, and mind the six.

package main

const (
	rising  = "23456789TJQKA"
	falling = "AKQJT98765432"
)

// choose sorts what was won by rank; equal ranks stay in the order listed.
func choose(ask *Ask) any {
	if ask.Decision != "pickup" {
		return ask.Legal[0]
	}
	var limits struct{ Won []string }
	var options struct{ Aim string }
	ask.Limits.Into(&limits)
	ask.Options.Into(&options)
	ranks := rising
	if options.Aim == "avoid_empty" {
		ranks = falling
	}
	order := []string{}
	for _, rank := range []byte(ranks) {
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
