package logfile

import (
	"regexp"
	"strconv"
	"strings"
)

// clusterKit reads the report on the results of clusterkit (HPC-X): the least, mean and largest
// bandwidth and latency over pairs of nodes, with the pairs, and the nodes that it finds slow. For
// a bandwidth, clusterkit sends 32 MiB in both directions at once, and for a latency an empty
// message (docs.nvidia.com/networking, HPC-X, ClusterKit, test descriptions); the report states
// neither.
type clusterKit struct {
	b                  *builder
	bandwidth, latency *Table
	seen               map[string]bool // "Minimum bandwidth", …
	suspects           bool            // the next line may list slow nodes
}

// Default parameters of clusterkit.
const (
	clusterKitBandwidthBytes = 32 << 20
	clusterKitLatencyBytes   = 1 // weft's smallest message, in place of an empty one
)

var extreme = regexp.MustCompile(`\b(Minimum|Maximum|Average) (bandwidth|latency):\s+([0-9.]+)\s+(MB/s(?:ec)?|GB/s(?:ec)?|usec|us)\b`)

// clusterUnits are the report's units, in Gb/s and µs. MB are 10^6 bytes.
var clusterUnits = map[string]float64{"MB/sec": .008, "MB/s": .008, "GB/sec": 8, "GB/s": 8, "usec": 1, "us": 1}

func (r *clusterKit) line(n int, text string) {
	if strings.Contains(text, "exhibited poor perf") {
		r.suspects = r.bandwidth != nil || r.latency != nil
		return
	}
	if r.suspects {
		r.suspect(text)
		return
	}
	if !strings.Contains(text, "bandwidth:") && !strings.Contains(text, "latency:") {
		return
	}
	m := extreme.FindStringSubmatch(text)
	if m == nil {
		return
	}
	t := r.of(n, m[2])
	if t == nil {
		return
	}
	x, err := strconv.ParseFloat(m[3], 64)
	if err != nil || x <= 0 {
		r.b.note(n, "%s %s is not a measurement: left out", m[1], m[2])
		return
	}
	x *= clusterUnits[m[4]]
	r.seen[m[1]+m[2]] = true
	row := &t.Rows[0]
	switch m[1] {
	case "Minimum":
		row.Least = x
	case "Maximum":
		row.Most = x
	default:
		if t.Latency {
			row.Micros = x
		} else {
			row.Gbps = x
		}
	}
}

// of is the table of bandwidths or latencies.
func (r *clusterKit) of(n int, what string) *Table {
	at, bytes := &r.bandwidth, int64(clusterKitBandwidthBytes)
	if what == "latency" {
		at, bytes = &r.latency, clusterKitLatencyBytes
	}
	if *at == nil {
		*at = r.b.table(Table{
			Format: ClusterKit, Line: n, Test: "clusterkit " + what, Op: "send", Latency: what == "latency", Bidirectional: what != "latency",
			Rows: []Row{{Line: n, Bytes: bytes}},
		})
		if r.seen == nil {
			r.seen = map[string]bool{}
		}
	}
	return *at
}

// suspect takes lines with slow nodes, until an empty line.
func (r *clusterKit) suspect(text string) {
	switch {
	case strings.TrimSpace(text) == "" || strings.HasPrefix(text, "==="):
		r.suspects = false
	case strings.Contains(text, "minimal bandwidth"):
	default:
		t := r.bandwidth
		if r.latency != nil {
			t = r.latency
		}
		for name := range strings.SplitSeq(text, ",") {
			if len(t.Suspects) < maxNames {
				t.Suspects = append(t.Suspects, strings.TrimSpace(name))
			}
		}
	}
}

func (r *clusterKit) end(bool) {
	for _, t := range []*Table{r.bandwidth, r.latency} {
		if t == nil {
			continue
		}
		what := strings.TrimPrefix(t.Test, "clusterkit ")
		for _, part := range []string{"Minimum", "Maximum", "Average"} {
			if !r.seen[part+what] {
				t.Cut = "the report has no line \"" + part + " " + what + "\""
			}
		}
		if row := &t.Rows[0]; row.Gbps == 0 && row.Micros == 0 {
			r.b.note(t.Line, "without the average %s there is nothing to compare with a prediction: left out", what)
			t.Rows = nil
		}
	}
}
