// Gathers one large army at a border, and rolls with it over whatever is much weaker.
//
// `make` builds it. To try first: place and attack where a continent lacks least, for its bonus
// every turn.

package main

// World is what we read of the view, the table and the limits.
type World struct {
	Owner, Armies []int // by the number of a territory
	Map           map[string]struct {
		Number  int
		Borders []string
	} `json:"territories"`
}

type Limits struct {
	Territories    []string
	Armies         int
	MaxArmies      int `json:"max_armies"`
	MaxRolls       int `json:"max_rolls"`
	Attacks, Moves []struct {
		From      string
		To        []string
		MaxDice   int `json:"max_dice"`
		MaxStopAt int `json:"max_stop_at"`
		MaxArmies int `json:"max_armies"`
	}
}

// choose answers each of the seven decisions.
func choose(ask *Ask) any {
	var world World
	var limits Limits
	ask.View.Into(&world)
	ask.Table.Into(&world)
	ask.Limits.Into(&limits)
	atBorder := func(name string) bool {
		for _, other := range world.Map[name].Borders {
			if world.Owner[world.Map[other].Number] != ask.Seat {
				return true
			}
		}
		return false
	}
	armies := func(name string) int { return world.Armies[world.Map[name].Number] }
	switch ask.Decision {
	case "setup", "deploy":
		name := strongest(limits.Territories, armies, atBorder)
		return Move{"armies": map[string]int{name: limits.Armies}}
	case "attack":
		return attack(limits, armies)
	case "defend":
		return ask.Legal[len(ask.Legal)-1] // with as many dice as possible
	case "occupy":
		return Move{"armies": limits.MaxArmies}
	case "fortify":
		return fortify(limits, atBorder)
	}
	return ask.Legal[0] // trade whenever there is a set
}

// strongest returns the territory with most armies among those at a border, else the first.
func strongest(names []string, armies func(string) int, atBorder func(string) bool) string {
	best := ""
	for _, name := range names {
		if atBorder(name) && (best == "" || armies(name) > armies(best)) {
			best = name
		}
	}
	if best == "" {
		return names[0]
	}
	return best
}

// attack attacks where we have most armies more than the defender, if at least three more.
func attack(limits Limits, armies func(string) int) Move {
	most, move := 2, Move{"action": "stop"}
	for _, entry := range limits.Attacks {
		for _, goal := range entry.To {
			lead := armies(entry.From) - armies(goal)
			if lead <= most {
				continue
			}
			most = lead
			move = Move{"action": "attack", "from": entry.From, "to": goal, "dice": entry.MaxDice}
			if limits.MaxRolls > 0 {
				move["rolls"] = limits.MaxRolls
				move["stop_at"] = entry.MaxStopAt
				if entry.MaxStopAt > 3 {
					move["stop_at"] = 3
				}
			}
		}
	}
	return move
}

// fortify brings the largest army without an enemy beside it one step on, to a border if it can.
func fortify(limits Limits, atBorder func(string) bool) Move {
	most, move := 0, Move{"action": "stay"}
	for _, entry := range limits.Moves {
		if entry.MaxArmies <= most || atBorder(entry.From) {
			continue
		}
		most = entry.MaxArmies
		goal := entry.To[0]
		for _, name := range entry.To {
			if atBorder(name) {
				goal = name
				break
			}
		}
		move = Move{"action": "move", "from": entry.From, "to": goal, "armies": most}
	}
	return move
}

func main() {
	Run(choose)
}
