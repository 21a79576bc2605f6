// Parries what it can, rests when weak, and strikes when the rival has few cards.
//
// `make` builds it. To try first: attack as soon as the rival's answer costs more than the
// attack, with long ladders.

package main

// reserve is the stamina and the dexterity below which it rests.
const reserve = 4

// price is what a defence costs in dexterity, by suit.
var price = map[string]int{"O": 1, "C": 2}

type View struct {
	Stamina, Dexterity []int
	HandSize           []int `json:"hand_size"`
	Bonus              []map[string]int
	Attack             struct{ Strength int }
}

// choose answers each of the four decisions.
func choose(ask *Ask) any {
	var view View
	ask.View.Into(&view)
	switch ask.Decision {
	case "action":
		return act(ask, view)
	case "defend":
		return defend(ask, view)
	case "emergency_parry":
		return Move{"use": view.Stamina[ask.Seat] > reserve}
	}
	return ask.Legal[0] // choose_trait: the first die
}

// act rests when weak, strikes a rival with few cards, prepares, else draws; one action a turn.
func act(ask *Ask, view View) any {
	wanted := []string{"end_turn"}
	if view.Stamina[ask.Seat] < reserve {
		wanted = append(wanted, "breathe")
	}
	if view.Dexterity[ask.Seat] < reserve {
		wanted = append(wanted, "footwork")
	}
	if view.HandSize[1-ask.Seat] < 3 && view.Dexterity[ask.Seat] > 2 {
		wanted = append(wanted, "attack")
	}
	for _, action := range append(wanted, "observe", "feint") {
		for _, legal := range ask.Legal {
			var move struct{ Action string }
			legal.Into(&move)
			if move.Action == action {
				return legal
			}
		}
	}
	return ask.Legal[0]
}

// defend returns the first defence that holds and can be paid, else none.
func defend(ask *Ask, view View) any {
	for _, legal := range ask.Legal {
		var move struct{ Cards []string }
		legal.Into(&move)
		if len(move.Cards) == 0 {
			continue
		}
		suit := move.Cards[0][:1]
		guard := len(move.Cards) + view.Bonus[ask.Seat][suit]
		if guard >= view.Attack.Strength && view.Dexterity[ask.Seat] > price[suit] {
			return legal
		}
	}
	return Move{"cards": []string{}}
}

func main() {
	Run(choose)
}
