package fabric_test

import (
	"reflect"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/series"
	"weft/units"
)

// recorded runs a pattern on a fat tree of radix 8 and gives its counters and its record.
func recorded(t *testing.T, name string, parts int, record bool, pattern func(*flows, *fabric.Network) error) (*fabric.Network, *flows, *series.Recording) {
	t.Helper()
	g := fatTree(t, 8)
	w := &flows{pattern: pattern}
	var part []int32
	if parts > 1 {
		part = topology.Partition(g, parts)
	}
	n, err := build(g, name, part, w)
	if err == nil {
		err = w.load(n)
	}
	if err != nil {
		t.Fatal(err)
	}
	if record {
		n.Record(0)
	}
	if err := n.Run(units.Second, parts, nil); err != nil {
		t.Fatal(err)
	}
	if left := w.unfinished(); left > 0 {
		t.Fatalf("%d messages never ended", left)
	}
	return n, w, n.Recorded()
}

func TestARecordChangesNothingAndDoesNotDependOnPartitions(t *testing.T) {
	for _, name := range fabrics {
		for what, pattern := range map[string]func(*flows, *fabric.Network) error{
			"permutation": permutation(128, 128<<10), "incast": incast(16, 256<<10),
		} {
			plain, before, none := recorded(t, name, 1, false, pattern)
			if none != nil {
				t.Fatalf("%s %s: a record that nobody asked for: %v", name, what, none)
			}
			var first *series.Recording
			for _, parts := range []int{1, 3} {
				n, after, r := recorded(t, name, parts, true, pattern)
				if got, want := n.Stats(), plain.Stats(); got != want {
					t.Errorf("%s %s in %d partitions, recorded: %+v\nnot recorded: %+v", name, what, parts, got, want)
				}
				if got, want := after.done, before.done; !reflect.DeepEqual(got, want) {
					t.Errorf("%s %s in %d partitions: messages end at other times with a record", name, what, parts)
				}
				if first == nil {
					first = r
				}
				if !reflect.DeepEqual(r, first) {
					t.Errorf("%s %s: the record of %d partitions is another than of one: %d and %d samples of %v and %v", name, what, parts, len(r.Samples), len(first.Samples), r.Interval, first.Interval)
				}
			}
		}
	}
}

// What a record adds up to is what the network counts.
func TestARecordAddsUpToTheCounters(t *testing.T) {
	for _, name := range fabrics {
		for what, pattern := range map[string]func(*flows, *fabric.Network) error{
			"permutation": permutation(128, 256<<10), "incast": incast(32, 512<<10),
		} {
			n, _, r := recorded(t, name, 2, true, pattern)
			bytes := make([]int64, n.Links())
			var marks, stops, paused int64
			for i := range r.Samples {
				s := &r.Samples[i]
				bytes[s.Lane] += s.Bytes
				marks += int64(s.Marks)
				if n.ScaleOut(s.Lane) {
					stops += int64(s.Stops)
				}
				paused += int64(s.Stopped)
				if s.Area > uint64(s.Peak)*uint64(r.Interval) {
					t.Errorf("%s %s, %s: the mean queue %d is above the largest, %d", name, what, n.LinkName(s.Lane), s.Area/uint64(r.Interval), s.Peak)
				}
				if s.Interval < 0 || int(s.Interval) >= r.Most {
					t.Errorf("%s %s: interval %d, and %d are kept", name, what, s.Interval, r.Most)
				}
				if s.Bytes < 0 || s.Stopped < 0 || s.Stopped > r.Interval {
					t.Errorf("%s %s, %s: %d bytes, stopped for %v of %v", name, what, n.LinkName(s.Lane), s.Bytes, s.Stopped, r.Interval)
				}
			}
			frames := int64(0)
			for link := range bytes {
				frames += n.LinkBytes(int32(link)) - bytes[link]
			}
			c := n.Stats()
			if want := (c.Pauses + c.Resumes) * 84; frames != want {
				t.Errorf("%s %s: %d bytes of the links are in no sample, want the %d of PFC frames", name, what, frames, want)
			}
			if marks != c.Marked {
				t.Errorf("%s %s: %d marks in the samples, %d counted", name, what, marks, c.Marked)
			}
			if name == "infiniband" && stops != c.Stalls {
				t.Errorf("%s %s: %d waits for credits in the samples, %d counted", name, what, stops, c.Stalls)
			}
			if what == "incast" && (stops == 0 || paused == 0) {
				t.Errorf("%s incast: nothing is paused", name)
			}
		}
	}
}
