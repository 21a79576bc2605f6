// Plays {{game}} by legal moves at random, until you choose better ones. `make` builds it.

package main

// choose returns a move; each decision of the game has its place here.
func choose(ask *Ask) any {
	switch ask.Decision {
	// {{each decision}}
	case "{{name}}":
		// {{about}}
		return anyMove(ask)
		// {{end}}
	}
	return anyMove(ask)
}

// anyMove returns one of the legal moves or, where they are not listed, of the samples.
func anyMove(ask *Ask) any {
	moves := ask.Legal
	if len(moves) == 0 {
		moves = ask.Samples
	}
	return moves[ask.Rng.Intn(len(moves))]
}

// What ask.View holds, such as when a match of {{seats}} seats begins:
//
// {{view}}

func main() {
	Run(choose)
}
