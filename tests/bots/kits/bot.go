// Reads a view and writes a move as an author may, by the kit for Go.

package main

func choose(ask *Ask) any {
	var view struct {
		Hand    []string
		Markers [][]int
		Who     struct{ With, None, Nobody *int }
		Flag    bool
		Half    float64
	}
	var options struct{ Deck int }
	ask.View.Into(&view)
	ask.Options.Into(&options)
	ask.Note = `a "word"`
	return Move{
		"hand":    view.Hand,
		"first":   view.Hand[0],
		"count":   len(view.Hand),
		"sum":     view.Markers[1][0] + view.Markers[1][1],
		"ally":    *view.Who.With,
		"absent":  []bool{view.Who.None != nil, view.Who.Nobody != nil},
		"flag":    view.Flag,
		"twice":   2 * view.Half,
		"seat":    ask.Seat,
		"option":  options.Deck,
		"of":      Move{"a": []int{}, "none": nil, "say": `with "quotes" \`},
		"samples": len(ask.Samples),
	}
}

func main() {
	Run(choose)
}
