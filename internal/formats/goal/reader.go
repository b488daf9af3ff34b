package goal

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"weft/internal/formats/source"
	"weft/internal/sim/workload"
	"weft/units"
)

// Recognise reports whether a text begins as a schedule does.
func Recognise(head []byte) bool {
	l := lexer{lines: source.NewLines("", strings.NewReader(string(head)))}
	ok, p := l.next()
	return ok && p == nil && l.tokens[0].text == "num_ranks"
}

// Read reads a schedule; file is its display name. The part read before a problem is in the result,
// with the problem.
func Read(file string, r io.Reader) *source.Workload {
	rd := &reader{lexer: lexer{lines: source.NewLines(file, r)}, schedule: schedule{rank: -1}}
	w := &source.Workload{Format: "GOAL schedule"}
	w.Stopped = rd.read()
	w.Where = func(rank, op int) string { return fmt.Sprintf("%s:%d", file, rd.places[rank][op]) }
	rd.finish(w)
	return w
}

// reader is the state of reading the text form.
type reader struct {
	lexer
	schedule
	given  []bool // ranks whose block has been read
	labels map[string]int32
}

// read reads all lines.
func (r *reader) read() *source.Problem {
	for {
		ok, p := r.next()
		if p != nil {
			r.close()
			return p
		}
		if !ok {
			break
		}
		if p := r.line(); p != nil {
			r.close()
			return p
		}
	}
	if r.rank >= 0 {
		rank := r.rank
		r.close()
		return r.lines.Problem("", fmt.Sprintf("} at the end of the block of rank %d, but the file ends", rank))
	}
	if r.ops == nil {
		return r.lines.Problem("", "num_ranks with the number of ranks, but the file ends")
	}
	return r.missing()
}

// missing is the problem of ranks without a block.
func (r *reader) missing() *source.Problem {
	var names []string
	for rank, given := range r.given {
		if !given {
			names = append(names, strconv.Itoa(rank))
		}
	}
	if len(names) == 0 {
		return nil
	}
	list := strings.Join(names[:min(len(names), 8)], ", ")
	if len(names) > 8 {
		list += fmt.Sprintf(" and %d more", len(names)-8)
	}
	return &source.Problem{File: r.lines.File, Want: fmt.Sprintf("a block for each of the %d ranks that num_ranks announces: missing are %s", len(r.ops), list)}
}

// line reads the statements of one line: it may open and close a block.
func (r *reader) line() *source.Problem {
	for len(r.tokens) > 0 {
		first := r.tokens[0].text
		switch {
		case first == "}" && r.rank >= 0:
			r.tokens = r.tokens[1:]
			r.close()
		case first == "num_ranks" && r.ops == nil:
			r.tokens = r.tokens[1:]
			n, p := r.number("the number of ranks", maxRanks)
			if p != nil {
				return p
			}
			if n == 0 {
				return r.lines.Problem("0", "at least one rank")
			}
			r.ops, r.places, r.given = make([][]workload.Op, n), make([][]int32, n), make([]bool, n)
		case first == "rank" && r.rank < 0 && r.ops != nil:
			r.tokens = r.tokens[1:]
			if p := r.open(); p != nil {
				return p
			}
		case r.rank >= 0:
			if p := r.statement(); p != nil {
				return p
			}
			if len(r.tokens) > 0 {
				return r.lines.Problem(r.rest(), "the end of the line")
			}
		default:
			return r.lines.Problem(r.rest(), "num_ranks first, then blocks rank R { … }")
		}
	}
	return nil
}

// open begins the block of a rank.
func (r *reader) open() *source.Problem {
	rank, p := r.number("the number of a rank", uint64(len(r.ops)-1))
	if p != nil {
		return p
	}
	if r.given[rank] {
		return r.lines.Problem(strconv.FormatUint(rank, 10), "one block for each rank: this one has had its own")
	}
	if p := r.word("{"); p != nil {
		return p
	}
	r.given[rank], r.labels = true, make(map[string]int32)
	r.begin(int(rank))
	return nil
}

// statement reads an operation or a dependency.
func (r *reader) statement() *source.Problem {
	label := ""
	if !operation(r.tokens[0].text) {
		label = r.tokens[0].text
		if r.tokens[0].number || !letter(label[0]) {
			return r.lines.Problem(r.rest(), "calc, send, recv, a label or }")
		}
		r.tokens = r.tokens[1:]
		switch {
		case len(r.tokens) > 0 && r.tokens[0].text == ":":
			r.tokens = r.tokens[1:]
		case len(r.tokens) > 0 && (r.tokens[0].text == "requires" || r.tokens[0].text == "irequires"):
			return r.dependency(label)
		default:
			return r.lines.Problem(r.rest(), ": , requires or irequires after the label "+label)
		}
	}
	if len(r.tokens) == 0 || !operation(r.tokens[0].text) {
		return r.lines.Problem(r.rest(), "calc, send or recv")
	}
	at := int32(len(r.ops[r.rank]))
	if label != "" {
		if _, twice := r.labels[label]; twice {
			return r.lines.Problem(label, "a label that the rank does not have yet")
		}
		r.labels[label] = at
	}
	o, p := r.operation()
	if p != nil {
		return p
	}
	if o.Name = label; label == "" {
		o.Name = o.Kind.String()
	}
	r.add(o, int32(r.lines.Number))
	return nil
}

func operation(word string) bool { return word == "calc" || word == "send" || word == "recv" }

// dependency reads the rest of `label requires label`.
func (r *reader) dependency(label string) *source.Problem {
	starting := r.tokens[0].text == "irequires"
	r.tokens = r.tokens[1:]
	if len(r.tokens) == 0 || r.tokens[0].number {
		return r.lines.Problem(r.rest(), "a label")
	}
	before := r.tokens[0].text
	r.tokens = r.tokens[1:]
	from, known := r.labels[label]
	if !known {
		return r.lines.Problem(label, "a label that stands before an operation further up in the block")
	}
	on, known := r.labels[before]
	if !known {
		return r.lines.Problem(before, "a label that stands before an operation further up in the block")
	}
	if starting {
		r.starting = true
		on = r.startOf(on, int32(r.lines.Number))
	}
	r.require(from, on)
	return nil
}

// operation reads calc, send or recv with its arguments.
func (r *reader) operation() (o workload.Op, p *source.Problem) {
	what := r.tokens[0].text
	r.tokens = r.tokens[1:]
	if what == "calc" {
		n, p := r.number("a time", maxNumber)
		o.Kind, o.Time = workload.Compute, units.Time(n)*nanosecond
		if p == nil {
			p = r.attributes("cpu")
		}
		return o, p
	}
	o.Kind = workload.Send
	preposition := "to"
	if what == "recv" {
		o.Kind, preposition = workload.Recv, "from"
	}
	n, p := r.number("a number of bytes", maxNumber)
	if p != nil {
		return o, p
	}
	o.Bytes = units.Bytes(n)
	for _, w := range []string{"b", preposition} {
		if p := r.word(w); p != nil {
			return o, p
		}
	}
	p = r.end(&o)
	return o, p
}

// end reads the peer of a message and its attributes.
func (r *reader) end(o *workload.Op) *source.Problem {
	loose := wildcard{rank: int32(r.rank), op: int32(len(r.ops[r.rank]))}
	if o.Kind == workload.Recv && r.minusOne() {
		loose.source, o.Peer = true, -1
	} else {
		n, p := r.number("a rank", uint64(len(r.ops)-1))
		if p != nil {
			return p
		}
		o.Peer = int32(n)
	}
	if len(r.tokens) > 0 && r.tokens[0].text == "tag" {
		r.tokens = r.tokens[1:]
		if o.Kind == workload.Recv && r.minusOne() {
			loose.tag = true
		} else {
			n, p := r.number("a tag", 1<<31-1)
			if p != nil {
				return p
			}
			o.Tag = int32(n)
		}
	}
	if loose.source || loose.tag {
		r.any = append(r.any, loose)
	}
	return r.attributes("cpu", "nic")
}

// attributes reads the given attributes that are present, in this order.
func (r *reader) attributes(names ...string) *source.Problem {
	for _, name := range names {
		if len(r.tokens) == 0 || r.tokens[0].text != name {
			continue
		}
		r.tokens = r.tokens[1:]
		n, p := r.number("a number after "+name, 255)
		if p != nil {
			return p
		}
		r.cpus = r.cpus || name == "cpu" && n > 0
	}
	return nil
}

// minusOne takes a -1 if it comes next.
func (r *reader) minusOne() bool {
	if len(r.tokens) >= 2 && r.tokens[0].text == "-" && r.tokens[1].text == "1" {
		r.tokens = r.tokens[2:]
		return true
	}
	return false
}

// word takes the given token.
func (r *reader) word(text string) *source.Problem {
	if len(r.tokens) == 0 || r.tokens[0].text != text {
		return r.lines.Problem(r.rest(), text)
	}
	r.tokens = r.tokens[1:]
	return nil
}

// number takes a number up to most.
func (r *reader) number(what string, most uint64) (uint64, *source.Problem) {
	if len(r.tokens) == 0 || !r.tokens[0].number {
		return 0, r.lines.Problem(r.rest(), what)
	}
	n, err := strconv.ParseUint(r.tokens[0].text, 10, 64)
	if err != nil || n > most {
		return 0, r.lines.Problem(r.tokens[0].text, fmt.Sprintf("%s from 0 to %d", what, most))
	}
	r.tokens = r.tokens[1:]
	return n, nil
}

// rest is the rest of the line.
func (r *reader) rest() string {
	var words []string
	for _, t := range r.tokens {
		words = append(words, t.text)
	}
	return strings.Join(words, " ")
}
