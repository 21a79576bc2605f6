// The loop of a bot in Go 1.19 or newer, for authors: keep this file beside your program, nothing
// else is needed.
//
// A bot is a function from a decision to a move. This one plays every game:
//
//	package main
//
//	func choose(ask *Ask) any {
//		moves := ask.Legal
//		if len(moves) == 0 {
//			moves = ask.Samples
//		}
//		return moves[ask.Rng.Intn(len(moves))]
//	}
//
//	func main() {
//		Run(choose)
//	}
//
// ask.Decision names what is asked, ask.View is all that your seat may know. ask.Legal lists the
// legal moves; where there would be too many it is empty, ask.Limits holds what is needed to make
// one, and ask.Samples a few of them at random: as many as the variable Samples says. `arena games
// GAME --rules` shows what a bot sees, `--schema` its moves.
//
// All of these are JSON. Into reads what you name of it, as encoding/json does, into a struct or
// whatever else you like:
//
//	var view struct {
//		Hand    []string
//		InTrick []int `json:"in_trick"`
//	}
//	ask.View.Into(&view)
//
// A field that finds nothing under its name, as a misspelt one, stays zero without a word: where a
// bot seems blind, print ask.View with %s.
//
// A move is one of ask.Legal as it is, or anything that encoding/json makes an object of, such as
// Move{"action": "attack", "target": 2}.
//
// Set ask.Note to keep a few words with the match. In choose, what fmt prints goes to the standard
// error, which is kept too. A panic ends the bot, with its message there.
//
// One process plays many matches. ask.Memory is a map that begins empty in each of them, and
// ask.Rng begins anew from the match's seed. A bot that keeps to these two, instead of global
// variables and the clock, and never lets a range over a map choose, plays every match the same
// however often it is repeated.
//
// Where the league grants the bot a door, it asks elsewhere, while it is its turn. It waits for the
// answer; the error says why a request was refused or has failed:
//
//	answer, err := Fetch("https://api.example.org/v1/chat/completions", Request{
//		Headers: map[string]string{"content-type": "application/json"},
//		Body:    []byte(`{"model": "x"}`),
//	})
//	fmt.Println(err, answer.Status, answer.Headers["content-type"], string(answer.Body))

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"unicode/utf8"
)

// Samples is how many legal moves are shown with an ask that does not list them: 0 to 16.
var Samples = 4

// Ask is one decision asked of the bot, with the facts of its match.
type Ask struct {
	Decision string
	View     JSON
	Legal    []JSON
	Limits   JSON
	Samples  []JSON
	Clock    JSON   // move_time and bank: the seconds left for this decision
	Note     string // text to keep with the match

	Game    string
	Seat    int // the bot's own seat, from 0
	Seats   int // how many seats there are
	Options JSON
	Table   JSON // the constants of the game
	Rng     *rand.Rand
	Memory  map[string]any
}

// Move is an object made by the bot.
type Move map[string]any

// JSON is a value as the referee sent it.
type JSON struct{ json.RawMessage }

// Into reads the value into what target points to.
func (value JSON) Into(target any) {
	if value.RawMessage == nil { // the referee left it out
		return
	}
	if err := json.Unmarshal(value.RawMessage, target); err != nil {
		panic(fmt.Sprintf("%v, reading %.300s", err, value.RawMessage))
	}
}

var kitWire = takeStdout() // before main begins

// takeStdout keeps the pipe to the referee for replies alone; what else is printed goes to
// standard error.
func takeStdout() *os.File {
	wire := os.Stdout
	os.Stdout = os.Stderr
	return wire
}

// Run plays until the input ends.
func Run(choose func(*Ask) any) {
	settle()
	input := bufio.NewReader(os.Stdin)
	ask := &Ask{}
	for {
		line, err := input.ReadBytes('\n')
		if len(line) > 0 {
			hear(line, kitWire, ask, choose)
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			panic(err)
		}
	}
}

// settle fits Go's runtime to what a bot gets: one core, and memory that has an end.
func settle() {
	runtime.GOMAXPROCS(1)
	var data syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_DATA, &data) == nil && data.Cur < 1<<40 {
		debug.SetMemoryLimit(int64(data.Cur / 4 * 3))
	}
}

func hear(line []byte, wire io.Writer, ask *Ask, choose func(*Ask) any) {
	var message map[string]JSON
	JSON{line}.Into(&message)
	var kind any
	message["type"].Into(&kind)
	switch kind {
	case "hello":
		send(wire, Move{"type": "ready", "samples": Samples})
	case "start":
		*ask = begin(message)
	case "ask":
		ask.read(message)
		reply := Move{"id": message["id"], "move": choose(ask)}
		if ask.Note != "" {
			reply["note"] = ask.Note
		}
		send(wire, reply)
	}
}

func begin(message map[string]JSON) Ask {
	ask := Ask{Options: message["options"], Table: message["table"], Memory: map[string]any{}}
	message["game"].Into(&ask.Game)
	message["seat"].Into(&ask.Seat)
	message["seats"].Into(&ask.Seats)
	var seed int64
	message["seed"].Into(&seed)
	ask.Rng = rand.New(rand.NewSource(seed))
	return ask
}

func (ask *Ask) read(message map[string]JSON) {
	ask.Decision, ask.Legal, ask.Samples, ask.Note = "", nil, nil, ""
	message["decision"].Into(&ask.Decision)
	message["legal"].Into(&ask.Legal)
	message["samples"].Into(&ask.Samples)
	ask.View, ask.Limits, ask.Clock = message["view"], message["limits"], message["clock"]
}

// Request is what is asked through the door, beside the address; all of it may be left out.
type Request struct {
	Body    []byte
	Headers map[string]string
	Method  string // if empty: POST if there is a body, else GET
}

// Answer is what a request was answered.
type Answer struct {
	Status  int
	Headers map[string]string // by small letters
	Body    []byte
}

var kitDoor struct {
	asked int
	reads *bufio.Reader
}

// Fetch asks an address through the door, and waits for the answer.
func Fetch(url string, request Request) (Answer, error) {
	var reads, writes int
	if _, err := fmt.Sscanf(os.Getenv("ARENA_DOOR"), "%d,%d", &reads, &writes); err != nil {
		return Answer{}, errors.New("there is no door: whoever organizes a league grants one, " +
			"with the names that a bot may ask")
	}
	door := &kitDoor
	if door.reads == nil {
		door.reads = bufio.NewReader(kitEnd(reads))
	}
	door.asked++
	message := Move{"id": door.asked, "url": url}
	if request.Method != "" {
		message["method"] = request.Method
	}
	if request.Headers != nil {
		message["headers"] = request.Headers
	}
	if utf8.Valid(request.Body) && request.Body != nil {
		message["body"] = string(request.Body)
	} else if request.Body != nil {
		message["body64"] = request.Body
	}
	line, err := json.Marshal(message)
	if err == nil {
		_, err = kitEnd(writes).Write(append(line, '\n'))
	}
	var answer struct {
		ID, Status  int
		Headers     map[string]string
		Body, Error *string
		Body64      []byte
	}
	for err == nil && answer.ID != door.asked { // others are for nobody
		answer.Headers, answer.Body, answer.Error, answer.Body64 = nil, nil, nil, nil
		if line, err = door.reads.ReadBytes('\n'); err == nil {
			err = json.Unmarshal(line, &answer)
		}
	}
	if err != nil {
		return Answer{}, fmt.Errorf("the door is closed: %w", err)
	}
	if answer.Error != nil {
		return Answer{}, errors.New(*answer.Error)
	}
	if answer.Body != nil {
		answer.Body64 = []byte(*answer.Body)
	}
	return Answer{answer.Status, answer.Headers, answer.Body64}, nil
}

// kitEnd is an end of the door by its number. It has no finalizer, which would close it.
type kitEnd int

func (end kitEnd) Read(into []byte) (int, error) {
	for {
		size, err := syscall.Read(int(end), into)
		if err == syscall.EINTR {
			continue
		}
		if size == 0 && err == nil {
			return 0, io.EOF
		}
		if size < 0 {
			size = 0
		}
		return size, err
	}
}

func (end kitEnd) Write(from []byte) (int, error) {
	written := 0
	for written < len(from) {
		size, err := syscall.Write(int(end), from[written:])
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return written, err
		}
		written += size
	}
	return written, nil
}

func send(wire io.Writer, message Move) {
	line, err := json.Marshal(message)
	if err == nil {
		_, err = wire.Write(append(line, '\n'))
	}
	if err != nil {
		panic(err)
	}
}
