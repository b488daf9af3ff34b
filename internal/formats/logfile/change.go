package logfile

import (
	"maps"
	"math"
	"slices"
)

// Bounds of what counts as a change.
const (
	// leastNoise is the least noise of one measurement: two runs in one process differ less than two jobs do (assumption).
	leastNoise = .005
	// assumedNoise is that of a log that measures no size twice: bandwidths of perftest spread by so much (clouds accept 95
	// to 97.5 % of the line rate: oci-hpc, azurehpc-health-checks).
	assumedNoise = .025
	// deviations is how many standard deviations a change must exceed.
	deviations = 3
)

// Change is a size of an operation in two logs.
type Change struct {
	Op      string  `json:"operation"`
	Test    string  `json:"test,omitempty"`
	Ranks   int     `json:"ranks,omitempty"` // 0 if it is not known exactly
	Bytes   int64   `json:"bytes"`
	Before  float64 `json:"before_us"`
	After   float64 `json:"after_us"`
	Ratio   float64 `json:"ratio"`   // of After to Before
	Within  float64 `json:"within"`  // a share: the ratio of two runs without a change is so near to 1
	Changed bool    `json:"changed"` // by more than that
}

// Changes is two logs of the same operations.
type Changes struct {
	Before string `json:"before"` // the file
	After  string `json:"after"`
	// Noise is that of one measurement of both logs: the larger one. Assumed says that no size is measured twice.
	Noise   float64  `json:"noise"`
	Assumed bool     `json:"noise_is_assumed,omitempty"`
	Sizes   []Change `json:"sizes"`
	// Settings are those that the two logs state otherwise, by name.
	Settings []Otherwise `json:"settings,omitempty"`
}

// Otherwise is a setting with its last values in two logs; "" where a log does not state it.
type Otherwise struct {
	Name   string `json:"name"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Slower are the sizes that take longer in the second log.
func (c *Changes) Slower() (out []Change) {
	for _, s := range c.Sizes {
		if s.Changed && s.Ratio > 1 {
			out = append(out, s)
		}
	}
	return out
}

// Changes compares the logs of two files, which are measurements before and after something. It is nil if there are not
// exactly two files with tables, or if they have no size of one operation, with the same ranks and nodes, in common.
func (a *Logs) Changes() *Changes {
	if len(a.Logs) != 2 {
		return nil
	}
	before, after := a.measured(a.Logs[0]), a.measured(a.Logs[1])
	c := &Changes{Before: a.Logs[0], After: a.Logs[1]}
	one, known := before.noise()
	two, also := after.noise()
	c.Noise, c.Assumed = max(one, two), !known || !also
	for _, w := range before.order {
		b, s := before.of[w], after.same(w)
		if s == nil {
			continue
		}
		for _, bytes := range slices.Sorted(maps.Keys(b.times)) {
			if len(s.times[bytes]) > 0 {
				c.Sizes = append(c.Sizes, change(w, bytes, b, s, one, two))
			}
		}
	}
	if len(c.Sizes) == 0 {
		return nil
	}
	c.Settings = otherwise(a.stated(c.Before), a.stated(c.After))
	return c
}

// stated are the last values of a file's settings, and its release of NCCL.
func (a *Logs) stated(file string) map[string]string {
	out := map[string]string{}
	add := func(all []Setting) {
		for _, s := range all {
			if s.File == file && s.Name != settingProgram && s.Name != settingClient && s.Name != settingServer {
				out[s.Name] = s.Value
			}
		}
	}
	add(a.Log.Said.Settings)
	for _, t := range a.Log.Tables {
		add(t.Settings)
		if t.File == file && t.Version != "" {
			out["NCCL"] = t.Version
		}
	}
	return out
}

// otherwise are the settings that differ.
func otherwise(before, after map[string]string) (out []Otherwise) {
	names := maps.Clone(before)
	maps.Copy(names, after)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if before[name] != after[name] {
			out = append(out, Otherwise{name, before[name], after[name]})
		}
	}
	return out
}

// change compares a size.
func change(w work, bytes int64, b, s *timed, one, two float64) Change {
	out := Change{Op: w.op, Test: b.test, Bytes: bytes, Before: middle(b.times[bytes]), After: middle(s.times[bytes])}
	out.Ranks, _ = b.ranks.Exact()
	out.Ratio = out.After / out.Before
	out.Within = math.Expm1(deviations * math.Hypot(max(one, b.spread(bytes)), max(two, s.spread(bytes))))
	out.Changed = math.Abs(math.Log(out.Ratio)) > math.Log1p(out.Within)
	return out
}

// work is what a table measures, apart from its sizes.
type work struct {
	op                  string
	latency, both, cuda bool
	pairs               int
	listed, nodes       int
	ranks               RankRange
	client, server      string // of a test between two hosts
}

// workOf is what a table measures; ok is false if sizes do not tell its rows apart.
func workOf(t *Table) (w work, ok bool) {
	w = work{
		op: t.Op, latency: t.Latency, both: t.Bidirectional, cuda: t.GPUMemory, pairs: max(t.Pairs, 1), listed: t.Listed,
		nodes: max(t.Nodes, len(t.Hosts)), ranks: t.Ranks(),
	}
	client, _ := t.Setting(settingClient)
	server, _ := t.Setting(settingServer)
	w.client, w.server = client.Value, server.Value
	return w, t.MoE == nil && t.Copies == nil && t.Format != ClusterKit
}

// like reports whether two works are the same, as far as both tables say it.
func (w work) like(v work) bool {
	same := func(a, b int) bool { return a == 0 || b == 0 || a == b }
	host := func(a, b string) bool { return a == "" || b == "" || a == b }
	if !same(w.listed, v.listed) || !same(w.nodes, v.nodes) || !host(w.client, v.client) || !host(w.server, v.server) {
		return false
	}
	if w.ranks.Most != 0 && v.ranks.Most != 0 && (w.ranks.Least > v.ranks.Most || v.ranks.Least > w.ranks.Most) {
		return false
	}
	w.listed, w.nodes, w.ranks, w.client, w.server = v.listed, v.nodes, v.ranks, v.client, v.server
	return w == v
}

// timed is the times of a work, by size.
type timed struct {
	test  string
	ranks RankRange
	times map[int64][]float64 // us
	twice map[int64][]float64 // |ln| of in place over out of place
}

// runs is the works of a log.
type runs struct {
	order []work
	of    map[work]*timed
}

// measured is what a file measures.
func (a *Logs) measured(file string) *runs {
	r := &runs{of: map[work]*timed{}}
	for _, t := range a.Log.Tables {
		w, ok := workOf(t)
		if t.File != file || !ok {
			continue
		}
		s := r.same(w)
		if s == nil {
			s = &timed{test: t.Test, ranks: w.ranks, times: map[int64][]float64{}, twice: map[int64][]float64{}}
			r.order, r.of[w] = append(r.order, w), s
		}
		for i := range t.Rows {
			s.add(&t.Rows[i])
		}
	}
	return r
}

// same is the work like another, nil if there is none.
func (r *runs) same(as work) *timed {
	for _, w := range r.order {
		if w.like(as) {
			return r.of[w]
		}
	}
	return nil
}

func (s *timed) add(r *Row) {
	x := r.Micros
	switch {
	case x > 0:
	case r.Gbps > 0:
		x = float64(r.Bytes) * 8e-3 / r.Gbps
	case r.AlgGBps > 0:
		x = float64(r.Bytes) * 1e-3 / r.AlgGBps
	}
	if r.Bytes <= 0 || x <= 0 {
		return
	}
	s.times[r.Bytes] = append(s.times[r.Bytes], x)
	if r.InPlace > 0 && r.Micros > 0 {
		s.twice[r.Bytes] = append(s.twice[r.Bytes], math.Abs(math.Log(r.InPlace/r.Micros)))
	}
}

// spread is the noise of one measurement of a size: of in place and out of place, and of repetitions. It is 0 if the size is
// measured once.
func (s *timed) spread(bytes int64) float64 {
	sum, n := 0.0, 0
	for _, d := range s.twice[bytes] {
		sum, n = sum+d*d/2, n+1
	}
	times := s.times[bytes]
	for _, x := range times {
		if len(times) > 1 {
			d := math.Log(x / middle(times))
			sum, n = sum+d*d*float64(len(times))/float64(len(times)-1), n+1
		}
	}
	if n == 0 {
		return 0
	}
	return math.Sqrt(sum / float64(n))
}

// noise is the noise of one measurement, over all sizes; known is false if no size is measured twice.
func (r *runs) noise() (noise float64, known bool) {
	sum, n := 0.0, 0
	for _, w := range r.order {
		s := r.of[w]
		for _, bytes := range slices.Sorted(maps.Keys(s.times)) {
			if len(s.twice[bytes]) == 0 && len(s.times[bytes]) < 2 {
				continue
			}
			x := s.spread(bytes)
			sum, n = sum+x*x, n+1
		}
	}
	if n == 0 {
		return assumedNoise, false
	}
	return max(leastNoise, math.Sqrt(sum/float64(n))), true
}

// middle is the median.
func middle(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
