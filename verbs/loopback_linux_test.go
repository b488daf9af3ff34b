package verbs

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// loopbackBytes is the number of bytes that the loopback interface has carried.
func loopbackBytes(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/sys/class/net/lo/statistics/tx_bytes")
	if err != nil {
		t.Skip("SKIPPED: the interface's counters cannot be read: ", err)
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Packets between two devices of one process pass through the interface if the program wants it. Other traffic is counted,
// too, so the test can only detect too few bytes.
func TestWhatIsWrittenGoesThroughTheInterface(t *testing.T) {
	const size, times = 8 << 20, 4
	p := newPair(t, Options{SocketOnly: true}, QPInitAttr{}, size)
	from, to := p.on[0], p.on[1]
	before := loopbackBytes(t)
	for i := range uint64(times) {
		from.post(SendWR{WRID: i, Opcode: RDMAWrite, SGL: []SGE{from.mr.SGE(0, size)}, RemoteAddr: to.mr.Addr(), RKey: to.mr.RKey()})
		from.want(i, Success)
	}
	if got := loopbackBytes(t) - before; got < size*times {
		t.Errorf("the interface has carried %d bytes, and %d were written", got, size*times)
	}
}
