// Gathers in peace, and defends itself with whatever it has.
//
// `make` builds it. To try first: attack a seat that has tokens in front but few cards, when you
// hold a leader and a ladder of two.

package main

import (
	"fmt"
	"strconv"
)

// choose draws, gives up what makes no ladder, and shows and uses all there is.
func choose(ask *Ask) any {
	switch ask.Decision {
	case "turn", "place_front":
		return ask.Legal[0] // the draw; the two lowest cards
	case "discard":
		return discard(ask)
	}
	return ask.Legal[len(ask.Legal)-1]
}

// discard gives up the first card of the hand that is not useful.
func discard(ask *Ask) any {
	var view struct{ Hand []string }
	ask.View.Into(&view)
	held := map[string]bool{}
	for _, card := range view.Hand {
		held[card] = true
	}
	for _, legal := range ask.Legal {
		var move struct{ From, Discard string }
		legal.Into(&move)
		if move.From == "hand" && !useful(move.Discard, held) {
			return legal
		}
	}
	return ask.Legal[0]
}

// useful tells a leader, an ace, and a card with a neighbour of its suit in the hand.
func useful(card string, held map[string]bool) bool {
	rank, err := strconv.Atoi(card[1:])
	if err != nil {
		panic(err)
	}
	near := func(step int) bool { return held[fmt.Sprint(card[:1], rank+step)] }
	return rank == 1 || card[0] == 'C' && rank >= 10 || near(-1) || near(1)
}

func main() {
	Run(choose)
}
