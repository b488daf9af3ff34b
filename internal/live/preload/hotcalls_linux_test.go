package preload

import (
	"fmt"
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
