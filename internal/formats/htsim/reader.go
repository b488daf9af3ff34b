package htsim

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"weft/internal/formats/source"
	"weft/units"
)

// connection is one line of a matrix.
type connection struct {
	line                int
	from, to            int32
	start               units.Time
	bytes               units.Bytes
	trigger             int // its trigger; 0 if it starts at a time
	sendDone, recvDone  int // triggers that it activates; 0 for none
	startGiven, sizeSet bool
}

// trigger is one line of a matrix.
type trigger struct {
	line  int
	kind  string // oneshot, multishot, barrier
	count int
}

// Recognise reports whether a text begins as a matrix does.
func Recognise(head []byte) bool {
	nodes := false
	for line := range bytes.Lines(head) {
		switch words := bytes.Fields(line); {
		case len(words) == 0 || words[0][0] == '#':
		case string(words[0]) == "Nodes":
			nodes = true
		default:
			return nodes && string(words[0]) == "Connections"
		}
	}
	return false
}

// reader is the state of Read.
type reader struct {
	lines       *source.Lines
	counts      map[string]int // of the header, by its words
	connections []connection
	triggers    map[int]trigger
	failures    int
	priorities  bool
}

// Read reads a matrix; file is its display name.
func Read(file string, in io.Reader) *source.Workload {
	r := &reader{lines: source.NewLines(file, in), counts: make(map[string]int), triggers: make(map[int]trigger)}
	w := &source.Workload{Format: "htsim connection matrix"}
	w.Stopped = r.read()
	w.Ranks = r.counts["Nodes"]
	if p := r.build(w); w.Stopped == nil {
		w.Stopped = p
	}
	r.describe(w)
	return w
}

func (r *reader) read() *source.Problem {
	for {
		ok, p := r.lines.Next()
		if p != nil {
			return p
		}
		if !ok {
			return r.complete()
		}
		words := strings.Fields(r.lines.Text)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if p := r.line(words); p != nil {
			return p
		}
	}
}

func (r *reader) line(words []string) *source.Problem {
	switch {
	case strings.Contains(words[0], "->"):
		return r.connection(words)
	case words[0] == "trigger":
		return r.trigger(words[1:])
	case words[0] == "failure":
		r.failures++
		return nil
	}
	most := maxConnections
	switch words[0] {
	case "Nodes":
		most = maxNodes
	case "Connections", "Triggers", "Failures":
	default:
		return r.lines.Problem(words[0], "Nodes, Connections, Triggers, Failures, a connection such as 0->1, trigger or failure")
	}
	if _, twice := r.counts[words[0]]; twice || len(words) != 2 {
		return r.lines.Problem(r.lines.Text, words[0]+" and a number, once")
	}
	n, p := r.number(words[1], uint64(most), words[0])
	r.counts[words[0]] = int(n)
	return p
}

// complete checks the numbers that the header announces.
func (r *reader) complete() *source.Problem {
	for _, x := range []struct {
		word  string
		found int
	}{{"Connections", len(r.connections)}, {"Triggers", len(r.triggers)}, {"Failures", r.failures}} {
		if n := r.counts[x.word]; n != x.found {
			return r.lines.Problem("", fmt.Sprintf("%d %s as the header announces, but the file ends after %d", n, strings.ToLower(x.word), x.found))
		}
	}
	if r.counts["Nodes"] == 0 {
		return r.lines.Problem("", "Nodes and the number of nodes")
	}
	return nil
}

// number reads a whole number up to most, after a word.
func (r *reader) number(text string, most uint64, after string) (uint64, *source.Problem) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n > most {
		return 0, r.lines.Problem(text, fmt.Sprintf("a number from 0 to %d after %s", most, after))
	}
	return n, nil
}

// connection reads a line such as 0->13 start 0 size 2000000.
func (r *reader) connection(words []string) *source.Problem {
	if len(r.connections) == maxConnections {
		return r.lines.Problem(words[0], fmt.Sprintf("at most %d connections", maxConnections))
	}
	c := connection{line: r.lines.Number}
	from, to, _ := strings.Cut(words[0], "->")
	for _, end := range []struct {
		text string
		node *int32
	}{{from, &c.from}, {to, &c.to}} {
		n, err := strconv.ParseUint(end.text, 10, 31)
		if err != nil || int(n) >= r.counts["Nodes"] {
			return r.lines.Problem(words[0], fmt.Sprintf("two nodes from 0 to %d with -> between them", r.counts["Nodes"]-1))
		}
		*end.node = int32(n)
	}
	for i := 1; i < len(words); i += 2 {
		if words[i] == "addon" {
			return r.lines.Problem(words[i], "start, size, id, trigger, send_done_trigger, recv_done_trigger or prio: weft does not lengthen connections")
		}
		if i+1 == len(words) {
			return r.lines.Problem(words[i], "a number after it")
		}
		if p := r.attribute(&c, words[i], words[i+1]); p != nil {
			return p
		}
	}
	switch {
	case c.startGiven == (c.trigger > 0):
		return r.lines.Problem(r.lines.Text, "either start or trigger")
	case c.from == c.to:
		return r.lines.Problem(words[0], "two nodes")
	case !c.sizeSet:
		return r.lines.Problem(r.lines.Text, "size and a number of bytes")
	case c.bytes == 0:
		return r.lines.Problem(r.lines.Text, "a size above 0: a connection of size 0 sends to the end of an htsim run, which is not in the file; give it a number of bytes")
	}
	r.connections = append(r.connections, c)
	return nil
}

// attribute reads a word and its number.
func (r *reader) attribute(c *connection, word, value string) *source.Problem {
	to := new(int)
	switch word {
	case "start": // picoseconds, which htsim writes with a fraction
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || !(v >= 0 && v <= maxNumber) {
			return r.lines.Problem(value, fmt.Sprintf("a time in picoseconds from 0 to %d after start", int64(maxNumber)))
		}
		c.start, c.startGiven = units.Time(v), true
		return nil
	case "size":
		n, p := r.number(value, maxNumber, word)
		c.bytes, c.sizeSet = units.Bytes(n), true
		return p
	case "trigger":
		to = &c.trigger
	case "send_done_trigger":
		to = &c.sendDone
	case "recv_done_trigger":
		to = &c.recvDone
	case "prio":
		r.priorities = true
	case "id":
	default:
		return r.lines.Problem(word, "start, size, id, trigger, send_done_trigger, recv_done_trigger or prio")
	}
	n, p := r.number(value, 1<<31-1, word)
	if p == nil && n == 0 && word != "prio" {
		p = r.lines.Problem(value, "a number above 0 after "+word)
	}
	*to = int(n)
	return p
}

// trigger reads a line such as trigger id 1 oneshot.
func (r *reader) trigger(words []string) *source.Problem {
	t := trigger{line: r.lines.Number}
	id := 0
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "oneshot", "multishot", "barrier":
			t.kind = words[i]
		case "id", "count":
			if i+1 == len(words) {
				return r.lines.Problem(words[i], "a number after it")
			}
			n, p := r.number(words[i+1], 1<<31-1, words[i])
			if p != nil {
				return p
			}
			if words[i] == "id" {
				id = int(n)
			} else {
				t.count = int(n)
			}
			i++
		default:
			return r.lines.Problem(words[i], "id, count, oneshot, multishot or barrier")
		}
	}
	if id == 0 || t.kind == "" {
		return r.lines.Problem(r.lines.Text, "a trigger with an id above 0 and its kind, oneshot, multishot or barrier")
	}
	if _, twice := r.triggers[id]; twice {
		return r.lines.Problem(strconv.Itoa(id), "each trigger once")
	}
	r.triggers[id] = t
	return nil
}
