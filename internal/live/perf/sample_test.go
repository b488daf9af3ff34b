package perf

import (
	"encoding/json"
	"math"
	"net"
	"strings"
	"testing"
	"time"
)

func TestABandwidthIsTheBytesFromTheFirstPostToTheLastCompletion(t *testing.T) {
	r := Result{Test: Test{Depth: 2}}
	// Ten messages of 1000 bytes, one each millisecond, each under way for 2 ms; the
	// last five come twice as fast.
	var in times
	at := time.Duration(0)
	for i := range 10 {
		in.posted = append(in.posted, at)
		in.completed = append(in.completed, at+2*time.Millisecond)
		if i < 5 {
			at += time.Millisecond
		} else {
			at += time.Millisecond / 2
		}
	}
	r.bandwidth(&in, 1000)
	if want := 9 * time.Millisecond; r.Elapsed != want {
		t.Errorf("it took %v, want %v", r.Elapsed, want)
	}
	if want := 10_000 / 0.009; math.Abs(r.Average-want) > 1 {
		t.Errorf("the average is %.0f B/s, want %.0f", r.Average, want)
	}
	// The best run: from the sixth post, at 5 ms, to the last completion, at 9 ms.
	if want := 5_000 / 0.004; math.Abs(r.Peak-want) > 1 {
		t.Errorf("the peak is %.0f B/s, want %.0f", r.Peak, want)
	}
}

func TestALatencyIsAShareOfARoundTripAndItsPercentilesAreRanks(t *testing.T) {
	var trips []time.Duration
	for i := 1000; i >= 1; i-- {
		trips = append(trips, time.Duration(2*i)*time.Microsecond)
	}
	var r Result
	r.latency(trips, 2)
	for name, c := range map[string][2]float64{
		"min": {r.Min, 1}, "max": {r.Max, 1000}, "typical": {r.Typical, 500}, "mean": {r.Mean, 500.5},
		"99 %": {r.P99, 990}, "99.9 %": {r.P999, 999}, "stdev": {r.Stdev, math.Sqrt((1000*1000 - 1) / 12.0)},
	} {
		if math.Abs(c[0]-c[1]) > 1e-6 {
			t.Errorf("%s is %v us, want %v", name, c[0], c[1])
		}
	}
}

func TestAMessageWithoutAnEndIsRefused(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	go func() {
		junk := strings.Repeat("x", 1<<16)
		for range maxMessage/len(junk) + 2 {
			if _, err := b.Write([]byte(junk)); err != nil {
				return
			}
		}
	}()
	var e End
	if err := newLink(a).read(&e, patience); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("a line of more than %d bytes: %v", maxMessage, err)
	}
}

func FuzzOrders(f *testing.F) {
	f.Add(`{"verb":"write","kind":"bw","size":8,"iters":1,"qps":1,"mtu":1024,"depth":1}`)
	f.Add(`{"verb":"read","kind":"lat","size":8,"iters":-1,"qps":1000000000}`)
	f.Fuzz(func(t *testing.T, text string) {
		var order Test
		if json.Unmarshal([]byte(text), &order) != nil || order.Check() != nil {
			return
		}
		if order.Size < 1 || order.Size > MaxSize || order.QPs < 1 || order.QPs > MaxQPs || order.QPs*order.Depth > MaxWork || order.Iters < 1 {
			t.Errorf("accepted: %+v", order)
		}
	})
}
