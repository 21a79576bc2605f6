// Bets the least, never on a tie, and always goes to war: so it loses as slowly as one can.
//
// `make` builds it. To try first: when the last rounds come and a rival has more money, bet
// enough to get past it.

package main

// choose answers each of the two decisions.
func choose(ask *Ask) any {
	if ask.Decision != "bet" {
		return ask.Legal[0] // war, which on average is never worse than to surrender
	}
	var limits struct{ Bet struct{ Min int } }
	ask.Limits.Into(&limits)
	return Move{"bet": limits.Bet.Min, "tie_bet": 0}
}

func main() {
	Run(choose)
}
