package executor

import (
	"testing"

	"weft/internal/sim/collective"
	"weft/internal/sim/fabric"
	"weft/internal/sim/run/control"
	"weft/internal/sim/run/network"
	"weft/internal/sim/run/streams"
	"weft/internal/sim/transport"
	"weft/internal/sim/workload"
	"weft/internal/test/simtest"
	"weft/units"
)

// idleRun is the run of a scenario's collective on its network, before its start.
func idleRun(t *testing.T, text string) *collectiveRun {
	t.Helper()
	r := simtest.Resolve(t, text)
	p, err := control.NewPlan(r, &r.Fabrics[0])
	if err != nil {
		t.Fatal(err)
	}
	run, err := newCollectiveRun(r, p, r.Workload.Sizes[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := run.place(&network.Task{Plan: p, Scenario: r, Cores: 1, Parts: 1}, streams.Beside(p, run, len(run.ends)).App()); err != nil {
		t.Fatal(err)
	}
	return run
}

// TestTheRootOfABroadcastEndsAfterItsCopy: the root receives nothing, and is done when its kernel
// has written the last chunk. On every channel it is one turn.
func TestTheRootOfABroadcastEndsAfterItsCopy(t *testing.T) {
	const chunk = 512 << 10
	bytes := units.Bytes(24 * chunk)
	op := workload.Op{Kind: workload.Collective, Do: collective.Broadcast, Bytes: bytes}
	x := execute(t, "cluster: {nodes: 2, node: dgx-h100}\nfabrics: [infiniband-ndr]\n", on(16, []workload.Group{{Ranks: []int32{0, 1, 2, 3, 4, 5, 6, 7}}}, op))
	turn := 2690*units.Nanosecond + units.Time(chunk*24*1000/390)
	if got := x.Timeline.Spans[0][0].End; got < turn {
		t.Errorf("the root is done after %v, and its turn alone takes %v", got, turn)
	}
}

// posted are the times at which messages reach their NICs, by length. Rank i sends the i-th message to
// its peer in the second node, and its kernel has written it at the time due[i].
func posted(t *testing.T, text string, bytes []int64, due []units.Time) map[uint32]units.Time {
	t.Helper()
	run := idleRun(t, text)
	at := make(map[uint32]units.Time)
	run.handing = func(p *fabric.Partition, wr *transport.WorkRequest) { at[wr.Length] = p.Now() }
	run.start()
	p := run.net.Partition(0)
	for i := range due {
		k, _ := run.all.Pair(&Edge{From: int32(i), To: int32(i + 8), Channel: 31})
		run.post(p, k, message{rank: i, limits: &run.plan.Limits, tag: tagOf(0, 31, i), bytes: bytes[i], due: due[i]})
	}
	_ = run.net.Run(units.Second, 1, nil) // the program knows nothing of the messages
	return at
}

const oneMessage = "workload: {collective: all-reduce, algorithm: ring, protocol: ll, channels: 1, sizes: [8B]}\n"

// TestMessagesTakeTheHostInTheOrderOfTheirTimes posts a message that will be written later, then
// another that is written: LL's messages of a node share the host at 39 GB/s.
func TestMessagesTakeTheHostInTheOrderOfTheirTimes(t *testing.T) {
	const late, soon = 100 * us, 50 * us
	at := posted(t, "cluster: {nodes: 2, node: dgx-h100}\nfabrics: [infiniband-ndr]\n"+oneMessage, []int64{3900, 39000}, []units.Time{late, soon})
	if got := at[39000]; got < soon+us || got > soon+2*us {
		t.Errorf("39000 bytes that are written at %v go to the NIC at %v: want 1 to 2 us later", soon, got)
	}
	if got := at[3900]; got < late+us/10 || got > late+us {
		t.Errorf("3900 bytes that are written at %v go to the NIC at %v: want 0.1 to 1 us later", late, got)
	}
}

// TestTheHostCopiesWhatTheKernelHasWritten sends a message over sockets: the copy comes after the
// kernel's last store.
func TestTheHostCopiesWhatTheKernelHasWritten(t *testing.T) {
	const bytes, due = 39000, 100 * us
	text := "cluster: {nodes: 2, node: dgx-h100}\nfabrics: [tcp-400g]\n" + oneMessage
	at := posted(t, text, []int64{bytes}, []units.Time{due})[bytes]
	path := idleRun(t, text).Path
	if want := due + path.CopyTime(bytes) + path.Send; at < want {
		t.Errorf("a message that is written at %v goes to the NIC at %v, and its copy ends at %v", due, at, want)
	}
}

// TestMemoryThatAStepWrites: a NIC reads the sender's memory, unless it is beside another GPU. A step
// that goes to both waits for the slower.
func TestMemoryThatAStepWrites(t *testing.T) {
	run := idleRun(t, "cluster: {nodes: 2, node: dgx-h100}\nfabrics: [infiniband-ndr]\n"+oneMessage)
	o := &operation{comm: run.all, plan: run.plan}
	var (
		near    = collective.Transfer{Peer: 1, Bytes: 8}
		own     = collective.Transfer{Peer: 8, Bytes: 8, Rail: 1}
		relayed = collective.Transfer{Peer: 9, Bytes: 8, Rail: 2}
		reduced = collective.Transfer{Peer: 0, Bytes: 8, Rail: 1, Path: collective.PathNetReduce}
		copied  = collective.Transfer{Peer: -1, Bytes: 8, Path: collective.PathMulticast}
	)
	for name, c := range map[string]struct {
		sends []collective.Transfer
		want  destination
	}{
		"to the node": {[]collective.Transfer{near}, toPeer}, "to the own NIC": {[]collective.Transfer{own}, toNIC},
		"to another GPU's NIC": {[]collective.Transfer{relayed}, toPeer}, "to the network's switches": {[]collective.Transfer{reduced}, toNIC},
		"to all of the node": {[]collective.Transfer{copied}, toPeer}, "to the NIC and to the node": {[]collective.Transfer{own, near}, toPeer},
	} {
		if got := run.destinationOf(o, 0, 0, &collective.Step{Sends: c.sends}); got != c.want {
			t.Errorf("%s: destination %d, want %d", name, got, c.want)
		}
	}
}

// TestTheDirectionsOfATreeDoNotWaitForEachOther sends a message up the tree that is written later, and
// then one down the tree to the same GPU.
func TestTheDirectionsOfATreeDoNotWaitForEachOther(t *testing.T) {
	run := idleRun(t, "cluster: {nodes: 1, node: dgx-h100}\nfabrics: [infiniband-ndr]\nworkload: {collective: all-reduce, algorithm: tree, channels: 1, sizes: [8B]}\n")
	run.finished = func(*fabric.Partition, *operation, int) {}
	p, o := run.net.Partition(0), run.nextOf(run.all, 0, run.plan)
	for step, due := range []units.Time{1: 100 * us, 2: 0} {
		if step > 0 {
			run.send(p, o, 0, &laneRun{step: step, end: due}, []collective.Transfer{{Peer: 1, PeerStep: int32(step), Bytes: 8}}, due)
		}
	}
	if err := run.net.Run(units.Second, 1, nil); err != nil {
		t.Fatal(err)
	}
	up, down := o.members[1].early[tagOf(o.number, 0, 1)].ready, o.members[1].early[tagOf(o.number, 0, 2)].ready
	if up < 100*us || down == 0 || down > 10*us {
		t.Errorf("the message up the tree came at %v, the message down at %v: want 100 us or later, and 10 us or less", up, down)
	}
}
