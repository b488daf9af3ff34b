package host

import (
	"fmt"
	"strconv"
	"strings"

	"weft/units"
)

// mlnxQoS reads the output of mlnx_qos -i.
func (r *reader) mlnxQoS() {
	q := qosReader{reader: r, class: -1}
	for line := range r.rest() {
		q.line(line)
	}
	q.complete()
}

// qosReader collects values that span several lines of mlnx_qos.
type qosReader struct {
	*reader
	mapped  int  // DSCPs with a priority
	mapping bool // the map has begun
	pfc     bool
	class   int // traffic class of the lines with priorities; -1 before the first
	classed int // priorities with a class
}

func (q *qosReader) line(line string) {
	name, rest, _ := strings.Cut(line, ":")
	rest = strings.TrimSpace(rest)
	switch name {
	case "Priority trust state":
		if rest != "pcp" && rest != "dscp" {
			q.fail("the trust state is %q: valid are pcp and dscp", rest)
			return
		}
		say(q.reader, &q.host.Trust, "the trust state", rest)
	case "dscp2prio mapping":
		q.mapping = true
	case "prio":
		q.dscps(rest)
	case "Cable len":
		if n, ok := q.whole("the length of the cable", rest, 0, 100_000); ok {
			say(q.reader, &q.host.Cable, "the length of the cable", units.Length(n)*units.Metre)
		}
	case "tc":
		number, _, _ := strings.Cut(rest, " ")
		if n, ok := q.whole("a traffic class", number, 0, Priorities-1); ok {
			q.class = int(n)
		}
	case "priority":
		q.priority(rest)
	default:
		if flags, ok := strings.CutPrefix(line, "enabled"); ok {
			q.enabled(flags)
		}
	}
}

// dscps reads "3 dscp:31,30,29,": DSCPs of a priority.
func (q *qosReader) dscps(text string) {
	number, list, ok := strings.Cut(text, " dscp:")
	prio, okPrio := q.whole("a priority", number, 0, Priorities-1)
	if !ok || !okPrio {
		return
	}
	for f := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(list), ","), ",") {
		dscp, ok := q.whole("a DSCP", f, 0, 63)
		if !ok {
			return
		}
		if !q.host.Priority[dscp].Known() {
			q.mapped++
		}
		say(q.reader, &q.host.Priority[dscp], fmt.Sprintf("the priority of DSCP %d", dscp), int(prio))
	}
}

// enabled reads a flag for each priority.
func (q *qosReader) enabled(text string) {
	flags := strings.Fields(text)
	if len(flags) != Priorities {
		q.fail("PFC is said for %d priorities: expected 8 times 0 or 1", len(flags))
		return
	}
	list := []int{}
	for i, f := range flags {
		n, ok := q.whole("PFC of a priority", f, 0, 1)
		if !ok {
			return
		}
		if n == 1 {
			list = append(list, i)
		}
	}
	q.pfc = true
	say(q.reader, &q.host.PFC, "PFC", list)
}

// priority reads a priority of the traffic class above.
func (q *qosReader) priority(text string) {
	n, ok := q.whole("a priority", text, 0, Priorities-1)
	if !ok || q.class < 0 {
		return
	}
	if !q.host.Class[n].Known() {
		q.classed++
	}
	say(q.reader, &q.host.Class[n], fmt.Sprintf("the traffic class of priority %d", n), q.class)
}

// complete checks that the listing is not truncated.
func (q *qosReader) complete() {
	switch {
	case !q.pfc:
		q.fail("the output of mlnx_qos ends before PFC of the eight priorities: it is truncated")
	case q.mapping && q.mapped < 64:
		q.fail("the output of mlnx_qos has a priority for %d of 64 DSCPs: it is truncated", q.mapped)
	case q.classed < Priorities:
		q.fail("the output of mlnx_qos has a traffic class for %d of 8 priorities: it is truncated", q.classed)
	}
}

// whole reads a whole number in a range.
func (r *reader) whole(what, text string, least, most int64) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n < least || n > most {
		r.fail("%s is %q: valid is a whole number from %d to %d", what, strings.TrimSpace(text), least, most)
		return 0, false
	}
	return n, true
}
