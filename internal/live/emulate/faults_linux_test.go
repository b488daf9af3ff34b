package emulate_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/internal/live/emulate"
	"weft/internal/sim/fabric/counts"
	"weft/units"
	"weft/verbs"
)

// twoSpines is a fat tree with four leaves of two nodes, and two spines.
const twoSpines = `
cluster: {nodes: 8, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: fat-tree, levels: 2, radix: 4}
fabrics: [{preset: roce-v2-400g}]
workload: {pattern: incast, fan-in: 1, sizes: [1MiB]}
`

// telling keeps what a fabric tells.
type telling struct {
	mu  sync.Mutex
	all strings.Builder
}

func (c *telling) tell(t *testing.T) func(string, ...any) {
	return func(format string, args ...any) {
		t.Logf(format, args...)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.all.WriteString(strings.TrimSpace(fmt.Sprintf(format, args...)) + "\n")
	}
}

// await waits for a text.
func (c *telling) await(t *testing.T, text string) {
	t.Helper()
	for until := time.Now().Add(10 * time.Second); time.Now().Before(until); time.Sleep(time.Millisecond) {
		c.mu.Lock()
		told := c.all.String()
		c.mu.Unlock()
		if strings.Contains(told, text) {
			return
		}
	}
	t.Fatalf("nothing told of %q", text)
}

// TestABrokenCableStopsAWriteAndIsMended breaks the cable of a receiver: a WRITE waits, and ends when the cable
// works again; with a short timeout it fails, as on a real network.
func TestABrokenCableStopsAWriteAndIsMended(t *testing.T) {
	commands, told := make(chan string), &telling{}
	type count struct {
		nic string
		counts.Port
	}
	counted := make(chan count, 2)
	socket, end := start(t, oneSwitch, emulate.Options{
		Commands: commands, Tell: told.tell(t), Statistic: func(nic string, c *counts.Port) { counted <- count{nic, *c} },
	})
	a, b := open(t, socket, "node0/nic0", 1<<16), open(t, socket, "node1/nic0", 1<<16)
	connect(t, a, b)
	impatient := a.another(t)
	peer := b.another(t)
	for _, p := range [][2]*side{{impatient, peer}, {peer, impatient}} {
		err := p[0].qp.ConnectWith(&verbs.QPAttr{
			Access: verbs.AccessRemoteWrite, PathMTU: 4096, Dest: p[1].dev.Addr(), DestQPN: p[1].qp.QPN(),
			MaxRdAtomic: 1, MaxDestRdAtomic: 1, Timeout: 8, RetryCnt: 2, RNRRetry: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	a.write(t, b)
	if wc := a.completion(t); wc.Status != verbs.Success {
		t.Fatalf("before the fault: %v", wc.Status)
	}
	commands <- "down node1/nic0"
	told.await(t, "node1/nic0 is down")
	commands <- "down node1/nic0"
	told.await(t, "is down already")
	b.event(t, verbs.EventPortErr, verbs.PortDown)
	impatient.write(t, peer)
	if wc := impatient.completion(t); wc.Status != verbs.RetryExcErr {
		t.Errorf("with a timeout of 1 ms and 2 retries: %v, want %v", wc.Status, verbs.RetryExcErr)
	}
	a.write(t, b)
	commands <- "status"
	told.await(t, "node1/nic0 port 1 is down since")
	commands <- "up node1/nic0"
	told.await(t, "node1/nic0 is up")
	b.event(t, verbs.EventPortActive, verbs.PortActive)
	if wc := a.completion(t); wc.Status != verbs.Success {
		t.Errorf("after the repair: %v, want success", wc.Status)
	}
	for _, bad := range []struct{ line, answer string }{
		{"down nowhere", `no node "nowhere"`}, {"up node1/nic0", "is not down"}, {"halt", "want down NAME"}, {"down switch port 99", "no cable at port 99"}, {"statistic nowhere", `no NIC "nowhere"`},
	} {
		commands <- bad.line
		told.await(t, bad.answer)
	}
	commands <- "statistic node0/nic0"
	if c := <-counted; c.nic != "node0/nic0" || c.Timeouts < 3 || c.Writes != 0 || c.Sent == 0 {
		t.Errorf("the sender has counted %+v, want 3 timeouts of 2 retries at least, and no WRITE that arrived", c)
	}
	commands <- "statistic"
	<-counted
	if c := <-counted; c.nic != "node1/nic0" || c.Writes < 2 || c.Timeouts != 0 || c.Received == 0 {
		t.Errorf("the receiver has counted %+v, want two WRITEs at least, and no timeout", c)
	}
	if n := end().Results.Fabrics[0].Points[0].Counts.Drops(); n == 0 {
		t.Error("no packet was lost at the broken cable")
	}
}

// event waits for an event of the port; QueryPort then says the same.
func (e *side) event(t *testing.T, want verbs.EventType, state verbs.PortState) {
	t.Helper()
	select {
	case got := <-e.dev.Events():
		if now := e.dev.QueryPort().State; got.Type != want || now != state {
			t.Errorf("%v and a port that is %v, want %v and %v", got.Type, now, want, state)
		}
	case <-time.After(10 * time.Second):
		t.Errorf("no %v", want)
	}
}

// TestTrafficGoesAroundADeadSpine takes down one spine, then only the other.
func TestTrafficGoesAroundADeadSpine(t *testing.T) {
	commands, told := make(chan string), &telling{}
	socket, end := start(t, twoSpines, emulate.Options{Commands: commands, Tell: told.tell(t)})
	a, b := open(t, socket, "node0/nic0", 1<<16), open(t, socket, "node2/nic0", 1<<16)
	connect(t, a, b)
	for _, line := range []string{"status", "down spine0", "up spine0", "down spine1"} {
		commands <- line
		told.await(t, map[string]string{"status": "clock", "down spine0": "spine0 is down", "up spine0": "spine0 is up", "down spine1": "spine1 is down"}[line])
		time.Sleep(50 * time.Millisecond) // the control plane hears of it and reacts
		a.write(t, b)
		if wc := a.completion(t); wc.Status != verbs.Success {
			t.Fatalf("after %s: %v", line, wc.Status)
		}
	}
	if c := end().Results.Fabrics[0].Control; c == nil || len(c.Recoveries) < 3 {
		t.Errorf("the control plane reacted with %+v, want to three changes", c)
	}
}

// TestTheScenariosFaultsComeWhileProgramsRun breaks the receiver's cable from 1 to 400 ms of the fabric's clock.
func TestTheScenariosFaultsComeWhileProgramsRun(t *testing.T) {
	for _, fabric := range []string{"roce-v2-400g", "infiniband-ndr"} {
		socket, end := start(t, strings.Replace(oneSwitch, "roce-v2-400g", fabric, 1)+"faults: [{at: 1ms, until: 400ms, link: node1/nic0 port 1}]\n", emulate.Options{})
		a, b := open(t, socket, "node0/nic0", 1<<16), open(t, socket, "node1/nic0", 1<<16)
		connect(t, a, b)
		time.Sleep(20 * time.Millisecond) // the cable is broken
		a.write(t, b)
		if wc := a.completion(t); wc.Status != verbs.Success {
			t.Errorf("%s: %v, want success after the repair", fabric, wc.Status)
		}
		r := end()
		p := &r.Results.Fabrics[0].Points[0]
		if p.Counts.Drops() == 0 || p.Counts.Retransmissions == 0 || r.Devices[0].Last < 400*units.Millisecond {
			t.Errorf("%s: %d lost, %d sent again, the last packet at %v; want losses, repetitions and an end after 400 ms", fabric, p.Counts.Drops(), p.Counts.Retransmissions, r.Devices[0].Last)
		}
	}
}
