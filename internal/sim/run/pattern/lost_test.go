package pattern_test

import (
	"context"
	"strings"
	"testing"

	"weft/internal/sim"
	"weft/internal/test/simtest"
	"weft/results"
)

// TestReliableMessagesThatAreLostFailTheRun cuts a NIC off for good. Its reliable messages end
// with RETRY_EXC_ERR. The run has no time for them, names them, and gives the same text on any
// number of cores.
func TestReliableMessagesThatAreLostFailTheRun(t *testing.T) {
	const fabrics = `
fabrics:
  - {preset: infiniband-ndr, name: ib, routing: {mode: deterministic}, transport: {timeout: 100us, retry: 2}}
  - {preset: roce-v2-400g, name: roce, transport: {timeout: 100us, retry: 2}}
faults: [{at: 5us, link: node0/nic0 port 1}]
`
	r := simtest.Resolve(t, simtest.LeafSpine+fabrics)
	want := ""
	for _, workers := range []int{1, 2, 9} {
		out, err := sim.Run(context.Background(), r, sim.Options{Workers: workers})
		if err == nil {
			t.Fatal("a run that lost reliable messages is no error")
		}
		said := err.Error()
		for _, f := range out.Fabrics {
			p := f.Points[0]
			if p.Measured() || p.Failure == "" || p.Counts.MessagesLost != 2 || p.Fault == nil {
				t.Errorf("%s: measured %v, %d messages lost, failure %q: want a failure for the two messages of node0/nic0, with the counts", f.Name, p.Measured(), p.Counts.MessagesLost, p.Failure)
			}
			for _, part := range []string{"RETRY_EXC_ERR: 2 of 32 reliable messages did not arrive: ", "node0/nic0 to node", " to node0/nic0 (queue pair 1 of node0/nic3 gave up at "} {
				if !strings.Contains(p.Failure, part) {
					t.Errorf("%s does not say %q: %s", f.Name, part, p.Failure)
				}
			}
		}
		text, err := (&results.Results{Fabrics: out.Fabrics}).Encode()
		if err != nil {
			t.Fatal(err)
		}
		if said += string(text); want == "" {
			want = said
		}
		if said != want {
			t.Errorf("on %d cores the text differs:\n%s\nwant\n%s", workers, said, want)
		}
	}
}

// TestASocketThatGivesUpSaysETIMEDOUT cuts a NIC of kernel TCP off for good: a program sees
// the error of a socket, not the status of a queue pair.
func TestASocketThatGivesUpSaysETIMEDOUT(t *testing.T) {
	r := simtest.Resolve(t, simtest.LeafSpine+`
fabrics: [{preset: tcp-400g, name: tcp}]
run: {limit: {simulated-time: 3000s}} # Linux gives up after 15 retransmissions
faults: [{at: 5us, link: node0/nic0 port 1}]
`)
	out, err := sim.Run(context.Background(), r, sim.Options{Workers: 1})
	if err == nil {
		t.Fatal("a run that lost reliable messages is no error")
	}
	p := out.Fabrics[0].Points[0]
	if p.Measured() || p.Counts.MessagesLost != 2 || !strings.HasPrefix(p.Failure, "ETIMEDOUT: 2 of 32 reliable messages did not arrive: ") || strings.Contains(p.Failure, "RETRY_EXC_ERR") {
		t.Errorf("measured %v, %d messages lost, failure %q: want ETIMEDOUT for the two messages of node0/nic0", p.Measured(), p.Counts.MessagesLost, p.Failure)
	}
}
