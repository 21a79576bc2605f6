// Attacks with a Soldier that is stronger than a card it faces, and else brings in cards.
//
// `make` builds it. To try first: attack with two Soldiers together, where neither is strong
// enough alone.

package main

import "strconv"

// Zones holds the wounds of a seat's cards, by zone and card.
type Zones struct{ Vanguard, Centre, Rearguard map[string]int }

type View struct {
	Hand  []string
	Zones []Zones
}

// choose answers each of the four decisions.
func choose(ask *Ask) any {
	var view View
	ask.View.Into(&view)
	switch ask.Decision {
	case "deploy":
		return deploy(ask, view.Hand)
	case "orders":
		return orders(ask, view)
	case "attack":
		return attack(ask)
	}
	return ask.Legal[0]
}

// deploy puts the strongest cards in front.
func deploy(ask *Ask, hand []string) Move {
	var limits map[string]int
	ask.Limits.Into(&limits)
	move := Move{}
	for _, zone := range []string{"vanguard", "centre", "rearguard"} {
		if wanted, asked := limits[zone]; asked {
			cards := make([]string, wanted)
			for i := range cards {
				cards[i], hand = strongest(hand)
			}
			move[zone] = cards
		}
	}
	return move
}

// orders attacks where a strike is possible, else brings the strongest card to the front.
func orders(ask *Ask, view View) Move {
	var fighters []string
	for _, card := range front(view.Zones[ask.Seat]) {
		if number(card) >= 2 && number(card) <= 7 {
			fighters = append(fighters, card)
		}
	}
	_, _, found := strike(fighters, front(view.Zones[1-ask.Seat]))
	if found || len(view.Hand) == 0 {
		return Move{"action": "attack"}
	}
	card, _ := strongest(view.Hand)
	return Move{"action": "incorporate", "card": card, "zone": "vanguard"}
}

// attack sweeps if possible, else makes the first attack that its attacker survives, else stops.
func attack(ask *Ask) Move {
	var limits struct{ Sweeps, Attackers, Targets []string }
	ask.Limits.Into(&limits)
	if len(limits.Sweeps) > 0 {
		return Move{"attackers": limits.Sweeps[:1], "target": nil}
	}
	attacker, target, found := strike(limits.Attackers, limits.Targets)
	if !found {
		return Move{"attackers": []string{}, "target": nil}
	}
	return Move{"attackers": []string{attacker}, "target": target}
}

// strike returns the first attacker that is stronger than a target, with that target.
func strike(attackers, targets []string) (attacker, target string, found bool) {
	for _, attacker := range attackers {
		for _, target := range targets {
			if strength(attacker) > strength(target) {
				return attacker, target, true
			}
		}
	}
	return "", "", false
}

// front returns the cards of the foremost zone that is not empty, in any order.
func front(zones Zones) []string {
	for _, zone := range []map[string]int{zones.Vanguard, zones.Centre, zones.Rearguard} {
		if len(zone) > 0 {
			cards := []string{}
			for card := range zone {
				cards = append(cards, card)
			}
			return cards
		}
	}
	return nil
}

// strongest returns the strongest of the cards, the first of such, and the others.
func strongest(cards []string) (string, []string) {
	best := 0
	for i, card := range cards {
		if strength(card) > strength(cards[best]) {
			best = i
		}
	}
	others := append([]string{}, cards[:best]...)
	return cards[best], append(others, cards[best+1:]...)
}

// strength returns how many wounds a card deals, doubling by Banners left aside.
func strength(card string) int {
	switch number := number(card); number {
	case 11:
		return 2
	case 10, 12:
		return 1
	default:
		return number
	}
}

func number(card string) int {
	number, err := strconv.Atoi(card[:len(card)-1])
	if err != nil {
		panic(err)
	}
	return number
}

func main() {
	Run(choose)
}
