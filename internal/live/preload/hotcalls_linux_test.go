package preload

import (
	"fmt"
	"regexp"
	"testing"
)

// A poll of an empty queue looks at memory, and a post of a pipeline makes no system call.
func TestTheHotCallsAreShort(t *testing.T) {
	out := start(t, compile(t, "hotcalls")).end(t)
	var poll, post float64
	if _, err := fmt.Sscanf(out, "poll_cq %g\npost_send %g\n", &poll, &post); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	t.Logf("medians: ibv_poll_cq of an empty queue %.0f ns, ibv_post_send %.0f ns", poll, post)
	if poll > 60 || post > 1000 {
		t.Errorf("ibv_poll_cq takes %.0f ns, want 60 at most; ibv_post_send %.0f ns, want less than a system call's microsecond", poll, post)
	}
}

// Two programs that poll on one processor do not wait for the end of each other's slice of time, a few milliseconds,
// nor for somebody who interrupts it. Other work of the machine may take the processor, too: one run of five is enough.
func TestPollersOnOneProcessorGiveWay(t *testing.T) {
	need(t, "taskset")
	typical := regexp.MustCompile(`(?m)^ 8 +5000 +[\d.]+ +[\d.]+ +([\d.]+)`)
	for range 5 {
		_, out := pair(t, "taskset", "-c", "0", "ib_write_lat", "-n", "5000", "-s", "8")
		var us float64
		m := typical.FindStringSubmatch(out)
		if m == nil {
			t.Fatalf("no typical latency:\n%s", out)
		}
		if _, err := fmt.Sscan(m[1], &us); err != nil {
			t.Fatal(err)
		}
		t.Logf("one way takes %g us", us)
		if us < 30 {
			return
		}
	}
	t.Error("one way takes 30 us or longer in five runs")
}
