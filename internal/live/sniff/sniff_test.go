package sniff

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"weft/internal/test/golden"
	"weft/internal/test/wiretest"
)

// The captures are conversations of Linux's soft-RoCE, most of them with one fault that their
// README names. testdata/captures.txt lists the expected anomalies.
func TestAnomaliesInRealConversations(t *testing.T) {
	files := wiretest.Captures(t)
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, ".pcap") {
			fmt.Fprintf(&b, "%s\n", name)
			describe(t, &b, files[name])
		}
	}
	golden.File(t, "testdata/captures.txt", b.String())
}

func describe(t *testing.T, w io.Writer, file []byte) {
	tr := NewTracker()
	run(t, tr, file, func(n int, e *Event) {
		if e.Anomaly != 0 {
			fmt.Fprintf(w, "  packet %d: %s %d\n", n, strings.Join(e.Anomaly.Names(), ", "), e.Missing)
		}
	})
	for _, f := range tr.Flows() {
		peer := "?"
		if f.PeerQP != nil {
			peer = fmt.Sprintf("%#x", *f.PeerQP)
		}
		fmt.Fprintf(w, "  %v QP %s -> %v QP %#x: %d packets, %d requests, %d bytes, %d again, MTU %d\n",
			f.Src, peer, f.Dst, f.QP, f.Packets, f.Requests, f.Payload, f.Repeated, f.mtu)
	}
}

func run(t testing.TB, tr *Tracker, file []byte, see func(int, *Event)) {
	t.Helper()
	for n, p := range wiretest.Packets(t, bytes.NewReader(file)) {
		if e, ok := tr.Take(&p); ok {
			see(n+1, &e)
		}
	}
}
