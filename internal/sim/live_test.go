package sim_test

import (
	"bytes"
	"context"
	"reflect"
	"sync"
	"testing"

	"weft/internal/sim"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/fabric/series"
	"weft/internal/test/simtest"
	"weft/units"
)

const counted = `
cluster: {nodes: 4, node: {gpu: h100, gpus: 4, nics: 4, nic: connectx-7}}
workload: {pattern: incast, fan-in: 6, sizes: [256KiB, 4MiB]}
fabrics:
  - {name: paused, preset: roce-v2-400g, cc: {algorithm: dcqcn}}
  - {name: lossy, preset: roce-v2-400g, cc: {algorithm: none}, link: {error-rate: 1e-4}}
  - {preset: infiniband-ndr, routing: {mode: deterministic}}
`

func liveRun(t *testing.T, o sim.Options) []byte {
	t.Helper()
	r := simtest.Resolve(t, counted)
	out, err := sim.Run(context.Background(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	text, err := out.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if o.Live == nil {
		return text
	}
	counters := o.Live.Counters()
	if len(counters) != len(out.Fabrics) {
		t.Fatalf("%d fabrics are counted, want %d", len(counters), len(out.Fabrics))
	}
	for i, c := range counters {
		var want, got struct{ packets, cnps, handled, timeouts, marks, drops int64 }
		for _, p := range out.Fabrics[i].Points {
			want.packets += p.Counts.Packets
			want.cnps += p.Counts.CNPs
			want.handled += p.Counts.CNPsTaken
			want.timeouts += p.Counts.Timeouts
			want.marks += p.Counts.Marks
			want.drops += p.Counts.Drops()
		}
		var sum counts.Port
		for _, p := range c.Ports {
			got.packets += p.Sent
			got.cnps += p.CNPsSent
			got.handled += p.CNPsHandled
			got.timeouts += p.Timeouts
			sum.Received += p.Received
			sum.OutOfSequence += p.OutOfSequence
			sum.SequenceNAKs += p.SequenceNAKs
		}
		for _, s := range c.Lanes {
			got.marks += int64(s.Marks)
			got.drops += int64(s.Drops + s.Refused)
		}
		if got != want {
			t.Errorf("%s: counted is %+v, the results have %+v", c.Fabric, got, want)
		}
		if lost := want.packets - want.drops; sum.Received != lost {
			t.Errorf("%s: %d packets arrived of %d sent and %d dropped", c.Fabric, sum.Received, want.packets, want.drops)
		}
		if lossy := c.Fabric == "lossy"; lossy != (sum.SequenceNAKs > 0) || lossy != (sum.OutOfSequence > 0) || sum.OutOfSequence < sum.SequenceNAKs {
			t.Errorf("%s: %d packets out of sequence, %d NAKs arrived", c.Fabric, sum.OutOfSequence, sum.SequenceNAKs)
		}
		if c.Fabric == "paused" && got.cnps == 0 {
			t.Error("no CNP: the test shows nothing of them")
		}
	}
	return text
}

// What a run shows has the sums of its results when it has ended, and the results are those of a run that
// nobody looks at.
func TestLiveCountersAgreeWithTheResults(t *testing.T) {
	alone := liveRun(t, sim.Options{Seeds: 2})
	live, stop := new(sim.Live), make(chan struct{})
	var reader sync.WaitGroup
	looks, last := 0, map[string]int64{}
	reader.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			for _, c := range live.Counters() {
				sent := int64(0)
				for _, p := range c.Ports {
					sent += p.Sent
				}
				if sent < last[c.Fabric] {
					t.Errorf("%s: %d packets after %d", c.Fabric, sent, last[c.Fabric])
				}
				last[c.Fabric] = sent
				looks++
			}
			_, _ = live.Progress(), live.Series()
		}
	})
	watched := liveRun(t, sim.Options{Seeds: 2, Workers: 2, Live: live})
	close(stop)
	reader.Wait()
	if looks == 0 {
		t.Error("nothing was seen during the run")
	}
	if !bytes.Equal(alone, watched) {
		t.Error("the results depend on whether somebody looks")
	}
}

// Skipped periods count as if they were simulated, at links and at the ports of NICs.
func TestSkippedPeriodsCount(t *testing.T) {
	r := simtest.Resolve(t, wholeNodes+`
fabrics: [roce-v2-400g, infiniband-ndr]
workload: {collective: all-reduce, algorithm: ring, protocol: simple, sizes: [64MiB]}`)
	var sums [3][]series.Totals
	var times [3]units.Time
	for i, exact := range []sim.Exact{sim.ExactOff, sim.ExactOn, sim.ExactCheck} {
		live := new(sim.Live)
		out, err := sim.Run(t.Context(), r, sim.Options{Workers: 2, Exact: exact, Live: live})
		if err != nil {
			t.Fatal(err)
		}
		for k, c := range live.Counters() {
			sums[i] = append(sums[i], c.Totals)
			times[i] += c.Simulated
			if skipped := out.Fabrics[k].Points[0].Counts.Skipped.Periods; (skipped > 0) != (exact != sim.ExactOff) {
				t.Errorf("%s: %d periods skipped", c.Fabric, skipped)
			}
		}
		ended := out.Fabrics[0].Points[0].Time + out.Fabrics[1].Points[0].Time
		if times[i] < ended || times[i] > ended+ended/100 || times[i] != times[0] {
			t.Errorf("%v of simulated time, %v if all periods are simulated; the collectives took %v", times[i], times[0], ended)
		}
		for k, want := range sums[0] {
			got := sums[i][k]
			if !reflect.DeepEqual(got.Ports, want.Ports) {
				t.Errorf("fabric %d: the counters of NICs' ports differ if periods are skipped", k)
			}
			for lane := range want.Lanes {
				got.Lanes[lane].Interval, want.Lanes[lane].Interval = 0, 0 // of the first row
				if got.Lanes[lane] != want.Lanes[lane] {
					t.Errorf("fabric %d: lane %d has %+v if periods are skipped, want %+v", k, lane, got.Lanes[lane], want.Lanes[lane])
				}
			}
		}
	}
}

// A run that ends before its workload has simulated all of its time, and not only that until the last message that arrived.
func TestAFailedRunCountsItsTime(t *testing.T) {
	live := new(sim.Live)
	out, err := sim.Run(t.Context(), simtest.Resolve(t, fiveNodes+`
fabrics: [infiniband-ndr]
workload: {pattern: flows, flows: [{src: 0, dst: 1, bytes: 1KiB}, {src: 2, dst: 3, bytes: 64MiB}]}
run: {limit: {simulated-time: 500us}}`), sim.Options{Workers: 1, Live: live})
	if out == nil || out.Fabrics[0].Points[0].Failure == "" {
		t.Fatalf("no failure: %v", err)
	}
	if got := live.Counters()[0].Simulated; got < 490*units.Microsecond || got > 500*units.Microsecond {
		t.Errorf("%v of simulated time, want the limit of 500 us", got)
	}
}
