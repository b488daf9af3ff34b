package rdtest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"weft/internal/test/golden"
	"weft/units"
	"weft/wire"
)

// Message is a work request of a script.
type Message struct {
	From, To string // queue pairs: a1, a2, b1, b2
	Op       string // send, write, read, fetchadd
	Bytes    int
	Flaw     string // qkey, rkey, or nothing
}

// World is the environment of a script.
type World interface {
	Post(Message)
	// Recv posts a receive of the given size.
	Recv(at string, bytes int)
	// Lose loses the next packet to a node that has this PSN.
	Lose(node string, psn units.PSN)
	// Run lets everything move until nothing does, and returns the packets in their
	// order, and then how each queue pair's work ended.
	Run() string
}

// Script plays a transcript on a world, and returns it with the traces as they are.
func Script(t testing.TB, text string, w World) string {
	t.Helper()
	return golden.Play(t, text, player{w})
}

// player executes a transcript's commands on a world.
type player struct{ w World }

func (p player) Trace() string { return p.w.Run() }

func (p player) Command(words []string) error {
	n, err := strconv.Atoi(words[min(2, len(words)-1)])
	switch {
	case words[0] == "lose" && len(words) == 3 && err == nil:
		p.w.Lose(words[1], units.PSN(n))
	case words[1] == "recv" && len(words) == 3 && err == nil:
		p.w.Recv(words[0], n)
	case len(words) >= 4:
		n, err = strconv.Atoi(words[3])
		if err == nil {
			p.w.Post(Message{From: words[0], To: words[1], Op: words[2], Bytes: n, Flaw: strings.Join(words[4:], " ")})
		}
	default:
		err = strconv.ErrSyntax
	}
	return err
}

// Packet is a line of a trace: the packet on the wire, and its queue pairs by name.
func Packet(from string, op wire.Opcode, psn units.PSN, dest, src string, s wire.Syndrome) string {
	line := fmt.Sprintf("%s sends %v psn=%d to %s", from, op, psn, dest)
	if op.Headers().Has(wire.DETH) {
		line += " from " + src
	}
	if op.Headers().Has(wire.AETH) {
		line += fmt.Sprintf(" %v", s)
	}
	return line
}
