package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"weft/internal/workload"
	"weft/units"
)

// Trace writes a timeline in the format that Perfetto and Chrome's tracing read: a
// process for each rank and a thread for each of its streams. stream names a stream.
func Trace(w io.Writer, g *workload.Graph, t *workload.Timeline, rank func(int) string, stream func(uint8) string) error {
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
	for r, ops := range g.Ranks {
		event(`{"name":"process_name","ph":"M","pid":%d,"args":{"name":%s}}`, r, quotedJSON(rank(r)))
		named := make(map[uint8]bool)
		for i := range ops {
			o, s := &ops[i], t.Spans[r][i]
			if !named[o.Stream] {
				named[o.Stream] = true
				event(`{"name":"thread_name","ph":"M","pid":%d,"tid":%d,"args":{"name":%s}}`, r, o.Stream, quotedJSON(stream(o.Stream)))
			}
			if s.End < 0 {
				continue
			}
			category := "compute"
			if o.Kind != workload.Compute {
				category = o.Purpose.String()
			}
			event(`{"name":%s,"cat":"%s","ph":"X","pid":%d,"tid":%d,"ts":%s,"dur":%s}`, quotedJSON(o.Name), category, r, o.Stream, microseconds(s.Begin), microseconds(s.End-s.Begin))
		}
	}
	fmt.Fprint(b, "\n]}\n")
	return b.Flush()
}

// microseconds is a time as traces have it, to the picosecond.
func microseconds(t units.Time) string {
	return fmt.Sprintf("%d.%06d", t/units.Microsecond, t%units.Microsecond)
}

func quotedJSON(s string) string {
	text, _ := json.Marshal(s) // a string always can be
	return string(text)
}
