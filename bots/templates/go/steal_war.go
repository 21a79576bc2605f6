// Steals the largest pile it can, and tops its own with the rank that lies open most often.
//
// `make` builds it. To try first: play a high card, instead of stealing a small pile with it, in
// a war over many cards.

package main

type View struct {
	Piles     [][]string
	Won       []string
	Protected []int
}

// choose returns the first of the moves that are worth most.
func choose(ask *Ask) any {
	var view View
	ask.View.Into(&view)
	best, most := ask.Legal[0], -1
	for _, legal := range ask.Legal {
		if worth := worth(legal, view); worth > most {
			best, most = legal, worth
		}
	}
	return best
}

// worth counts the cards that a theft takes, or those of its rank that the top's rivals lack.
func worth(legal JSON, view View) int {
	var move struct {
		Action, Top string
		Target      int
	}
	legal.Into(&move)
	if move.Top != "" {
		rank := move.Top[0]
		seen := count(rank, view.Won)
		for _, pile := range view.Piles {
			seen += count(rank, pile)
		}
		if rank == 'X' {
			seen += 2
		}
		return seen
	}
	for _, seat := range view.Protected {
		if seat == move.Target {
			return 0
		}
	}
	if move.Action == "steal" {
		return len(view.Piles[move.Target])
	}
	return 0
}

// count returns how many of the cards are of a rank.
func count(rank byte, cards []string) int {
	found := 0
	for _, card := range cards {
		if card[0] == rank {
			found++
		}
	}
	return found
}

func main() {
	Run(choose)
}
