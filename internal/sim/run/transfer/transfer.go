package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"weft/internal/sim/engine"
	"weft/internal/sim/fabric"
	"weft/internal/sim/protocol"
	"weft/internal/sim/run/executor"
	"weft/internal/sim/run/host"
	"weft/internal/sim/run/jitter"
	"weft/internal/sim/run/measure"
	"weft/internal/sim/run/network"
	"weft/internal/sim/run/streams"
	"weft/internal/sim/transport"
	"weft/internal/sim/workload"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Program decides what is posted. Its methods are called in the order of simulated time, never
// concurrently.
type Program interface {
	// Begin is called once, at time zero.
	Begin(b *Board)
	// Timer is called at the time given to Board.At.
	Timer(b *Board, tag uint64)
	// Arrived is called when a message is complete in its receiver's memory.
	Arrived(b *Board, message int)
	// Running reports whether the program has more to do: the fabric's streams beside it go on so long.
	Running() bool
}

// Message is a message to post.
type Message struct {
	From, To int32 // ranks; one that reads posts at To
	Routes   []Route
	Bytes    int64
	Block    int64 // bytes that lie together: a work request has no more; 0: all
	Slice    int64 // most bytes of a work request; 0: a block, up to a GiB
	Read     bool
	Class    int // service level or priority; 0: the fabric's data's
}

// Route is a pair of NICs.
type Route struct{ From, To int32 }

// Outcome is what the network did for a program.
type Outcome struct {
	Counts  results.Counts
	Hottest []results.HotLink
	Beside  []results.Stream // results of the fabric's streams meanwhile
}

// Options are the settings of Run.
type Options struct {
	Limit units.Time // of simulated time
	// Graphs says that the program launches graphs, which need the nodes' scale-up networks.
	Graphs bool
	// Whole simulates every period of a Repeating program, too.
	Whole bool
}

// Run runs a program on a plan until nothing is left to do or the limit of simulated time is over. An
// unfinished run has an outcome too; if the limit was reached its error is a network.Unfinished.
func Run(ctx context.Context, plan *network.Plan, r *scenario.Resolved, o Options, p Program) (*Outcome, error) {
	own := *plan
	own.Verbs = network.Verbs{Service: transport.RC, Op: transport.OpWriteImm}
	ranks := r.Cluster.Ranks()
	b := &Board{
		program: p, path: host.PathOf(own.Fabric, &r.Cluster.Node), posting: own.Fabric.Host.Post,
		jitter: jitter.Of(&r.Run, own.Fabric, ranks), hosts: make([]rankHost, ranks), links: make(map[pair][]units.QPN), free: make(map[[2]int32][]int32), waiting: make(map[end][]host.Transfer),
		reads: protocol.Of(own.Fabric.Kind).RDMA(), scenario: r,
	}
	send, receive := host.ReadTerms(own.Fabric, &r.Cluster.Node)
	b.reading = host.Path{Send: host.Sum(send, false, 0), Receive: host.Sum(receive, false, 0)}
	for i := range b.hosts {
		b.hosts[i].cores = host.CoresOf(own.Fabric, &r.Cluster.Node)
	}
	var err error
	beside := streams.Beside(&own, b, r.Cluster.Endpoints())
	up := network.ScaleUp{}
	if o.Graphs {
		up = executor.ScaleUpOf(&r.Cluster.Node)
		b.launchers = make([]*executor.Launcher, ranks)
	}
	if b.net, err = own.Build(beside.App(), r.Cluster.Nodes, up, 1); err != nil {
		return nil, err
	}
	stop, release := engine.NewStop(ctx)
	defer release()
	if err := beside.Start(b.net); err != nil {
		return nil, err
	}
	b.p = b.net.Partition(0)
	if !o.Graphs && !o.Whole && beside.None() {
		b.skipPeriods()
	}
	p.Begin(b)
	err = b.net.Run(o.Limit, 1, stop)
	out := &Outcome{Counts: measure.Counts(b.net.Network)}
	var links []int32
	out.Hottest, links = measure.Hottest(b.net, b.ended)
	out.Beside = beside.Results(b.ended, out.Hottest, links, "the transfers")
	measure.TellSeries(b.net, b.ended, nil, 0)
	return out, cmp.Or(ctx.Err(), err, b.failure, beside.Failure(), b.unfinished(o.Limit))
}

// Board is where a program posts.
type Board struct {
	net     *network.Network
	p       *fabric.Partition
	program Program
	// repeating is the program, if its periods are skipped.
	repeating Repeating
	path      host.Path
	reading   host.Path  // of READs, without copies
	posting   units.Time // of a work request, in its thread
	jitter    *jitter.Jitter
	hosts     []rankHost
	own       host.Timers             // of the program
	links     map[pair][]units.QPN    // ends at the poster's NIC
	waiting   map[end][]host.Transfer // slices without room in their send queue, in order
	messages  []flight
	free      map[[2]int32][]int32 // numbers of messages that are over, by the ranks between which they went
	open      int                  // messages in flight
	reads     bool
	scenario  *scenario.Resolved
	// launchers are by rank; each is that of several ranks. nil: none.
	launchers []*executor.Launcher
	launched  int // graphs that are not over
	ended     units.Time
	failure   error
}

// rankHost is the host of a rank.
type rankHost struct {
	timers             host.Timers
	cores              host.Cores
	posted             units.Time // end of the thread's last posting
	sending, receiving units.Time // ends of the last copies
	latest             [2]units.Time
	taken              units.Time // with inline data: the time at which the NIC takes the last message
}

// flight is a message in flight: what is left of it, and the ranks that post and take it.
type flight struct {
	left    int32    // slices
	unacked int32    // slices whose poster has no completion
	ranks   [2]int32 // from whose memory it comes, and whose it reaches
	read    bool
}

// pair identifies connections: of two ranks over two NICs, in a class.
type pair struct {
	poster, other, a, b int32
	class               int
}

// end is a connection's end at a NIC.
type end struct {
	nic int32
	qpn units.QPN
}

// Running implements streams.Application.
func (b *Board) Running() bool { return b.failure == nil && b.program.Running() }

// Now is the simulated time.
func (b *Board) Now() units.Time { return b.p.Now() }

// At calls the program's Timer with the tag at a time, or a picosecond from now if that is later.
func (b *Board) At(at units.Time, tag uint64) {
	b.own.Schedule(b.p, uint32(len(b.hosts)), at, host.Timer{Kind: host.TimerBegin, Tag: tag})
}

// Post posts a message and returns its number, which an earlier one between the same ranks may have had. A message
// without bytes has arrived when it is posted; the program hears of it all the same.
func (b *Board) Post(m *Message) int {
	id, ranks := len(b.messages), [2]int32{m.From, m.To}
	if free := b.free[ranks]; len(free) > 0 {
		id, b.free[ranks] = int(free[len(free)-1]), free[:len(free)-1]
	} else {
		b.messages = append(b.messages, flight{})
	}
	read := m.Read && b.reads
	poster, other := m.From, m.To
	if read {
		poster, other = other, poster
	}
	b.messages[id] = flight{ranks: ranks, read: read}
	if id >= maxMessages {
		b.fail(fmt.Errorf("more than %d messages at a time: simulate fewer requests", maxMessages))
		return id
	}
	if n := m.count(b.path.Piece); n > maxSlices {
		b.fail(fmt.Errorf("a message of %v takes %d work requests: want at most %d, with longer slices or more that lies together", units.Bytes(m.Bytes), n, maxSlices))
		return id
	}
	b.open++
	turn := 0
	m.slices(b.path.Piece, func(bytes int64) {
		w := m.Routes[turn%len(m.Routes)]
		k := pair{poster, other, w.From, w.To, m.Class}
		if read {
			k.a, k.b = k.b, k.a
		}
		b.messages[id].left++
		b.messages[id].unacked++
		b.post(k, turn/len(m.Routes), id, bytes)
		turn++
	})
	return id
}

// count is the number of work requests of a message.
func (m *Message) count(piece int64) int64 {
	slice := min(longestSlice, cmp.Or(m.Slice, longestSlice))
	if piece > 0 {
		slice = min(slice, piece)
	}
	all := max(1, m.Bytes)
	block := min(all, cmp.Or(m.Block, all))
	each := func(bytes int64) int64 { return (bytes + slice - 1) / slice }
	return all/block*each(block) + each(all%block)
}

// slices calls f with the bytes of each work request of a message, none longer than piece if that is
// not 0.
func (m *Message) slices(piece int64, f func(bytes int64)) {
	slice := min(longestSlice, cmp.Or(m.Slice, longestSlice))
	if piece > 0 {
		slice = min(slice, piece)
	}
	for all := max(1, m.Bytes); all > 0; {
		block := min(all, cmp.Or(m.Block, all))
		all -= block
		for block > 0 {
			n := min(slice, block)
			block -= n
			f(n)
		}
	}
}

// post takes a slice through the poster's host.
func (b *Board) post(k pair, turn, id int, bytes int64) {
	links, err := b.connect(k)
	if err != nil {
		b.fail(err)
		return
	}
	h, sending := &b.hosts[k.poster], b.path.SendTime(bytes)
	h.posted = max(h.posted, b.Now()) + b.posting
	out := h.posted
	if b.messages[id].read {
		sending = b.reading.Send
	} else {
		out = max(out, h.cores.Copy(&h.sending, b.Now(), b.path.CopyTime(bytes)))
	}
	to := links[turn%len(links)]
	at := b.path.InTurn(&h.taken, b.jitter.InOrder(&h.latest[jitter.Sender], out+max(0, sending-b.posting)+b.jitter.Draw(jitter.Sender, int(k.poster))))
	h.timers.Schedule(b.p, uint32(k.poster), at, host.Timer{Kind: host.TimerPost, Transfer: host.Transfer{NIC: k.a, End: to, Tag: uint32(id), Bytes: bytes}})
}

// connect is the connections of a pair, made at the first message.
func (b *Board) connect(k pair) ([]units.QPN, error) {
	if l := b.links[k]; l != nil {
		return l, nil
	}
	var list []units.QPN
	for i := range b.net.Plan.ConnectionsPerPair() {
		entropy := uint32(engine.Mix(uint64(k.poster)<<40 | uint64(uint32(k.other))<<16 | uint64(uint32(k.a^k.b))<<8 | uint64(i)))
		end, _, err := b.net.ConnectNICs(k.a, k.b, entropy, 0, k.class)
		if err != nil {
			return nil, err
		}
		list = append(list, end)
	}
	b.links[k] = list
	return list, nil
}

// Launch begins a graph of messages between GPUs (package executor) on the ranks that have operations in
// it. The program's Timer is called with the tag when all are done. Until then these ranks
// begin no other; they are always the same that have graphs together. All graphs of a rank have the same
// software that sends.
func (b *Board) Launch(g *workload.Graph, tag uint64) {
	var l *executor.Launcher
	for rank, ops := range g.Ranks {
		if len(ops) == 0 {
			continue
		}
		if l == nil {
			if l = b.launchers[rank]; l == nil {
				l = executor.NewLauncher(b.scenario, b.net, g, uint32(len(b.hosts)+1))
			}
		}
		b.launchers[rank] = l
	}
	b.launched++
	l.Launch(g, func() {
		b.launched--
		b.ended = b.Now()
		b.At(b.Now(), tag) // after this event, in which the graph still is
	})
}

// Timer implements fabric.App.
func (b *Board) Timer(p *fabric.Partition, source uint32) {
	switch n := len(b.hosts); {
	case int(source) == n:
		b.own.Run(p, source, func(t *host.Timer) { b.program.Timer(b, t.Tag) })
		return
	case int(source) > n:
		b.launchers[int(source)-n-1].Timer(p, source)
		return
	}
	b.hosts[source].timers.Run(p, source, func(t *host.Timer) {
		if t.Kind == host.TimerPost {
			b.handOver(&t.Transfer)
			return
		}
		b.arrived(int(t.Tag))
	})
}

// handOver posts a slice on its NIC, or lets it wait for room in the send queue behind earlier ones.
func (b *Board) handOver(t *host.Transfer) {
	at := end{t.NIC, t.End}
	if len(b.waiting[at]) > 0 {
		b.waiting[at] = append(b.waiting[at], *t)
		return
	}
	err := b.hand(t)
	if errors.Is(err, transport.ErrQueueFull) {
		b.waiting[at] = append(b.waiting[at], *t)
		return
	}
	b.fail(err)
}

// hand posts a slice.
func (b *Board) hand(t *host.Transfer) error {
	op := transport.OpWriteImm
	if b.messages[t.Tag].read {
		op = transport.OpRead
	}
	return b.p.Post(t.NIC, t.End, transport.WorkRequest{ID: uint64(t.Tag), Op: op, Length: uint32(t.Bytes), Imm: t.Tag})
}

// roomAt posts the slices that have waited for room in a send queue, as many as it takes.
func (b *Board) roomAt(at end) {
	list := b.waiting[at]
	for len(list) > 0 {
		err := b.hand(&list[0])
		if errors.Is(err, transport.ErrQueueFull) {
			break
		}
		b.fail(err)
		list = list[1:]
	}
	if len(list) == 0 {
		delete(b.waiting, at)
		return
	}
	b.waiting[at] = list
}

// Arrived implements fabric.LocalApp: a message inside a node is a graph's.
func (b *Board) Arrived(p *fabric.Partition, gpu int32, tag uint64) {
	b.launchers[b.net.Rank(gpu)].Arrived(p, gpu, tag)
}

// launcherAt is the launcher that a connection's end at a NIC belongs to; nil if it is the board's.
func (b *Board) launcherAt(nic int32, end units.QPN) *executor.Launcher {
	if b.launchers == nil {
		return nil
	}
	node := &b.scenario.Cluster.Node
	first := int(nic) / node.NICs * node.GPUs
	var last *executor.Launcher
	for _, l := range b.launchers[first : first+node.GPUs] {
		if l != nil && l != last && l.Owns(nic, end) {
			return l
		}
		last = l
	}
	return nil
}

// Complete implements fabric.App: data has reached a NIC, or a connection has failed.
func (b *Board) Complete(p *fabric.Partition, nic int32, c *transport.Completion) {
	if l := b.launcherAt(nic, c.QPN); l != nil {
		l.Complete(p, nic, c)
		b.fail(l.Failure())
		return
	}
	if c.Status != transport.Success {
		b.fail(fmt.Errorf("queue pair %d of %s failed at %v: %v", c.QPN, b.net.NodeName(nic), p.Now(), c.Status))
		return
	}
	id, path := int(c.Imm), &b.path
	if !c.Recv {
		if len(b.waiting) > 0 {
			b.roomAt(end{nic, c.QPN})
		}
		id = int(c.ID)
		b.messages[id].unacked--
		if !b.messages[id].read { // the acknowledgement of a WRITE
			b.forget(id)
			return
		}
		path = &b.reading
	}
	rank := b.messages[id].ranks[1]
	h := &b.hosts[rank]
	copied := h.cores.Copy(&h.receiving, p.Now(), b.path.CopyTime(int64(c.Bytes)))
	at := b.jitter.InOrder(&h.latest[jitter.Receiver], copied+path.Receive+b.jitter.Draw(jitter.Receiver, int(rank)))
	h.timers.Schedule(p, uint32(rank), at, host.Timer{Kind: host.TimerArrive, Tag: uint64(id)})
}

// arrived counts a slice in memory.
func (b *Board) arrived(id int) {
	m := &b.messages[id]
	if m.left--; m.left > 0 {
		return
	}
	b.open--
	b.ended = b.Now()
	b.program.Arrived(b, id)
	b.forget(id)
}

// forget frees the number of a message that has arrived, if nothing more comes of it.
func (b *Board) forget(id int) {
	m := &b.messages[id]
	if m.left > 0 || m.unacked > 0 {
		return
	}
	b.free[m.ranks] = append(b.free[m.ranks], int32(id))
}

// fail keeps the first error of a run.
func (b *Board) fail(err error) {
	if b.failure == nil {
		b.failure = err
	}
}

// unfinished is the reason why messages have not arrived; nil if all have.
func (b *Board) unfinished(limit units.Time) error {
	switch {
	case b.open == 0 && b.launched == 0:
		return nil
	case b.net.NextTime() == units.Forever:
		return errors.New("no progress: messages have not arrived and nothing moves; " + b.net.Waiting())
	}
	return network.Unfinished{Why: fmt.Errorf("the limit of %v of simulated time was reached with %d messages in flight and %d exchanges; %s", limit, b.open, b.launched, b.net.Waiting())}
}
