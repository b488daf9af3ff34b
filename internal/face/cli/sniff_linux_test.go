package cli

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"
)

// growing is output that is read while it is written.
type growing struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (g *growing) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.b.Write(p)
}

func (g *growing) String() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.b.String()
}

func TestSniffShowsTheLoopbackAsItSpeaks(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	e := environment([]string{"sniff", "--interface", "lo"})
	var out, errs growing
	e.Stdout, e.Stderr = &out, &errs
	done := make(chan Code, 1)
	go func() { done <- Main(ctx, e) }()
	// Sniff looks at RoCE's own port only; the addresses are nobody else's.
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
		if _, text, code := runMain(t, "perf", "read-bw", "127.9.0.1", "--addr", "127.9.0.2", "-n", "20", "-s", "20000", "--warmup", "0", "-p", port); code != OK {
			t.Fatal(text)
		}
	}
	cancel()
	if code := <-done; code != OK {
		t.Fatalf("sniffing ended with %d: %s", code, errs.String())
	}
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, "127.9.0.") && (strings.Contains(line, "ICRC") || strings.Contains(line, "malformed")) {
			t.Errorf("a packet that was cut is not what was sent: %s", line)
		}
	}
}
