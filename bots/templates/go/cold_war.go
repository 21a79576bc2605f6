// Attacks with a seat that sought us as an ally in the last round, and else arms.
//
// `make` builds it. To try first: seek an ally yourself, where the two of you aim far more at
// the others than they back.

package main

// choose answers each of the two decisions.
func choose(ask *Ask) any {
	switch ask.Decision {
	case "talk":
		return Move{"say": ""}
	case "play":
		return play(ask)
	}
	return ask.Legal[0]
}

// play accepts an offer of the last round, else aims all new missiles where most are aimed from.
func play(ask *Ask) Move {
	var limits struct {
		Partners []int
		AddMax   int `json:"add_max"`
	}
	var view struct {
		Markers [][]int
		Last    []struct{ With *int }
	}
	ask.Limits.Into(&limits)
	ask.View.Into(&view)
	me, target, most := ask.Seat, -1, 0
	for _, seat := range limits.Partners {
		if view.Last != nil && view.Last[seat].With != nil && *view.Last[seat].With == me {
			return Move{"play": "attack", "with": seat}
		}
		threat := view.Markers[seat][me] - view.Markers[me][seat]
		if target < 0 || threat > most {
			target, most = seat, threat
		}
	}
	var add [4]int
	add[target] = limits.AddMax
	return Move{"play": "arm", "add": add}
}

func main() {
	Run(choose)
}
