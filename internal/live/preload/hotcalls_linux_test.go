package preload

import (
	"fmt"
	"testing"
	"time"
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

// A program's handler of a signal may come at any time, and needs a stack. perftest measures for a time so (-D).
func TestSignalsComeAtAnyTime(t *testing.T) {
	program := compile(t, "hotcalls")
	for range 10 {
		start(t, program, "signals").end(t)
	}
}

// Two programs that poll on one processor do not spin until the end of their slices of time, a few milliseconds,
// nor until somebody interrupts them: the processor time of a message stays small, whatever else the machine does.
func TestPollersOnOneProcessorGiveWay(t *testing.T) {
	need(t, "ib_write_lat")
	const messages = 20_000
	s, c := started(t, "taskset", "-c", "0", "ib_write_lat", "-F", "-n", fmt.Sprint(messages), "-s", "8")
	c.end(t)
	s.end(t)
	took := c.cmd.ProcessState.UserTime() + c.cmd.ProcessState.SystemTime()
	t.Logf("the client takes %v of processor time", took)
	if took > messages*60*time.Microsecond {
		t.Errorf("the client takes %v of processor time for a message, want 60 us at most", took/messages)
	}
}
