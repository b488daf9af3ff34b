package live

import (
	"strings"
	"testing"

	"weft/internal/face/cli/exit"
	"weft/internal/live/sniff"
	"weft/wire/pcap"
)

// A capture in which nothing was judged is no clean capture.
func TestACaptureWithoutRoCEv2IsAnError(t *testing.T) {
	tr := sniff.NewTracker()
	if err := undecoded("t.pcap", tr); err == nil || !strings.Contains(err.Error(), "no packet") {
		t.Errorf("an empty capture: %v", err)
	}
	for range 3 {
		tr.Take(&pcap.Packet{Link: pcap.InfiniBand, Data: make([]byte, 64), Length: 64})
	}
	if err := undecoded("t.pcap", tr); err == nil || !strings.Contains(err.Error(), "3 of InfiniBand, which weft does not decode") || exit.CodeOf(err) != exit.NotJudged {
		t.Errorf("a capture of InfiniBand: %v", err)
	}
	tr.Packets = 1
	if err := undecoded("t.pcap", tr); err != nil {
		t.Errorf("a capture with a packet of RoCE v2: %v", err)
	}
}
