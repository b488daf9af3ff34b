package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"weft/internal/sim/workload"
	"weft/units"
)

// Trace writes timelines in the format of Perfetto and Chrome's tracing: a process for each rank on
// each fabric, and a thread for each of its streams. rank and stream name them.
func Trace(w io.Writer, lines []*Drawn, rank func(int) string, stream func(uint8) string) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, `{"displayTimeUnit":"ms","traceEvents":[`)
	first := true
	event := func(format string, args ...any) {
		if !first {
			fmt.Fprint(b, ",")
		}
		first = false
		fmt.Fprintf(b, "\n"+format, args...)
	}
	process := 0
	for _, d := range lines {
		for r := range d.Graph.Ranks {
			name := rank(r)
			if len(lines) > 1 {
				name = d.Fabric + ": " + name
			}
			event(`{"name":"process_name","ph":"M","pid":%d,"args":{"name":%s}}`, process, quotedJSON(name))
			traceRank(event, d, r, process, stream)
			process++
		}
	}
	fmt.Fprint(b, "\n]}\n")
	return b.Flush()
}

// traceRank writes the operations of a rank.
func traceRank(event func(format string, args ...any), d *Drawn, rank, process int, stream func(uint8) string) {
	named := make(map[uint8]bool)
	for i := range d.Graph.Ranks[rank] {
		o, s := &d.Graph.Ranks[rank][i], d.Line.Spans[rank][i]
		if !named[o.Stream] {
			named[o.Stream] = true
			event(`{"name":"thread_name","ph":"M","pid":%d,"tid":%d,"args":{"name":%s}}`, process, o.Stream, quotedJSON(stream(o.Stream)))
		}
		if s.End < 0 {
			continue
		}
		category := "compute"
		if o.Kind != workload.Compute {
			category = o.Purpose.String()
		}
		event(`{"name":%s,"cat":"%s","ph":"X","pid":%d,"tid":%d,"ts":%s,"dur":%s}`, quotedJSON(o.Name), category, process, o.Stream, microseconds(s.Begin), microseconds(s.End-s.Begin))
	}
}

// microseconds is a time in the form of traces, to the picosecond.
func microseconds(t units.Time) string {
	return fmt.Sprintf("%d.%06d", t/units.Microsecond, t%units.Microsecond)
}

func quotedJSON(s string) string {
	text, _ := json.Marshal(s) // a string can always be encoded
	return string(text)
}
