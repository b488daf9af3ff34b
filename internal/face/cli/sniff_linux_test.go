package cli

import (
	"context"
	"strings"
	"testing"
	"time"

	"weft/internal/face/cli/exit"
)

func TestSniffShowsPacketsOfTheLoopbackAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	e := environment([]string{"sniff", "--interface", "lo"})
	var out, errs liveOutput
	e.Stdout, e.Stderr = &out, &errs
	done := make(chan exit.Code, 1)
	go func() { done <- Main(ctx, e) }()
	// Sniff reads RoCE's UDP port only; no other test uses these addresses.
	port := freePort(t)
	serving(t, "perf", "serve", "--addr", "127.9.0.1", "-p", port)
	for end := time.Now().Add(20 * time.Second); !strings.Contains(out.String(), "READ"); {
		select {
		case code := <-done:
			if strings.Contains(errs.String(), "CAP_NET_RAW") {
				t.Skip("reading an interface takes privilege here")
			}
			t.Fatalf("sniffing ended with %d: %s", code, errs.String())
		default:
		}
		if time.Now().After(end) {
			t.Fatalf("no READ was seen:\n%s", out.String())
		}
		if _, text, code := runMain(t, "perf", "read-bw", "127.9.0.1", "--addr", "127.9.0.2", "--socket-only", "-n", "20", "-s", "20000", "--warmup", "0", "-p", port); code != exit.OK {
			t.Fatal(text)
		}
	}
	cancel()
	if code := <-done; code != exit.OK {
		t.Fatalf("sniffing ended with %d: %s", code, errs.String())
	}
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, "127.9.0.") && (strings.Contains(line, "ICRC") || strings.Contains(line, "malformed")) {
			t.Errorf("a packet differs from the packet that was sent: %s", line)
		}
	}
}
