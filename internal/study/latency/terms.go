package latency

import (
	"fmt"
	"strings"

	"weft/internal/sim/catalog"
	"weft/internal/sim/fabric"
	"weft/internal/sim/run/executor"
	"weft/internal/sim/run/host"
	"weft/internal/sim/run/jitter"
	"weft/scenario"
	"weft/units"
)

// explainer splits the time of a ping-pong's first message into terms.
type explainer struct {
	run    *executor.PingPong
	fabric *scenario.Fabric
	node   *scenario.Node
	out    *Result
}

// explain fills in terms and cost, and checks the sum against the time.
func (e *explainer) explain() error {
	j := &e.run.First
	send, receive := host.TermsOf(e.fabric, e.node, int64(e.out.Bytes))
	if e.out.Op == Read {
		send, receive = host.ReadTerms(e.fabric, e.node)
	}
	last := int64(e.out.Bytes)
	if p := e.run.Path.Piece; p > 0 && last > p {
		e.before(last, p)
		last = (last-1)%p + 1
	}
	e.host(AtSender, send, last)
	e.rest(AtSender, j.Handed-j.Posted)
	if err := e.packets(); err != nil {
		return err
	}
	if wait := j.Busy - j.Delivered; wait > 0 && e.out.Op != Read {
		e.add(Term{Part: AtReceiver, Name: "copies of the earlier segments", Time: wait})
	}
	e.host(AtReceiver, receive, last)
	e.rest(AtReceiver, j.Arrived-j.Delivered)
	e.cost(AtSender)
	e.cost(AtReceiver)
	total := units.Time(0)
	for i := range e.out.Terms {
		total += e.out.Terms[i].Time
	}
	if total != e.out.OneWay {
		return fmt.Errorf("the terms of a message sum to %d ps, and it took %d ps: this is a defect of weft", total, e.out.OneWay)
	}
	return nil
}

func (e *explainer) add(t Term) { e.out.Terms = append(e.out.Terms, t) }

// before is the time of the copies of all segments but the last.
func (e *explainer) before(bytes, piece int64) {
	t := units.Time(0)
	for ; bytes > piece; bytes -= piece {
		t += e.run.Path.CopyTime(piece)
	}
	e.add(Term{Part: AtSender, Name: "copies of the earlier segments", Time: t, work: host.WorkCPU})
}

// host adds the terms of a side's host.
func (e *explainer) host(part Part, list []host.Term, bytes int64) {
	for i := range list {
		h := &list[i]
		t := Term{Part: part, Name: h.Name, Time: h.Time(bytes), Rate: h.Rate, work: h.Work}
		if h.Work >= host.WorkCPUCopy {
			t.Bytes = units.Bytes(bytes)
		}
		for _, f := range h.Facts {
			t.Sources = append(t.Sources, f.Source())
		}
		e.add(t)
	}
}

// rest is the time that the executor adds to a side's terms: drawn jitter, or the least picosecond
// of a host without any time. Any other difference makes the sum fail.
func (e *explainer) rest(part Part, took units.Time) {
	for i := range e.out.Terms {
		if t := &e.out.Terms[i]; t.Part == part {
			took -= t.Time
		}
	}
	switch {
	case took > 0 && e.run.Jitter != nil:
		software, nic := e.fabric.Host.Jitter, e.fabric.NIC.Jitter
		e.add(Term{
			Part: part, Name: "jitter of host and NIC", Time: took, work: host.WorkDevice,
			Note: fmt.Sprintf("drawn: %s, mean %v, and %s, mean %v", software.Distribution, software.Mean, nic.Distribution, nic.Mean),
			Sources: []host.Source{
				host.SourceOf(catalog.Host, string(e.fabric.Host.Path), "jitter.mean", software.Mean.Exact()),
				host.SourceOf(catalog.NIC, e.fabric.NIC.Model, "jitter.mean", nic.Mean.Exact()),
			},
		})
	case took == units.Picosecond && e.instant(part):
		e.add(Term{Part: part, Name: "least step of a host's clock", Time: took})
	}
}

// instant reports whether all terms of a side are zero.
func (e *explainer) instant(part Part) bool {
	for i := range e.out.Terms {
		if t := &e.out.Terms[i]; t.Part == part && t.Time != 0 {
			return false
		}
	}
	return true
}

// packets adds the terms of the packet that completed the message; for a READ, the terms of the
// request first.
func (e *explainer) packets() error {
	j := &e.run.First
	last := func(node int32) *fabric.Sighting {
		for i := len(j.Landed) - 1; i >= 0; i-- {
			if s := &j.Landed[i]; s.To == node && s.Dst == node && !s.Reply {
				return s
			}
		}
		return nil
	}
	target := int32(1)
	at, prefix := j.Handed, ""
	if e.out.Op == Read {
		request := last(1)
		if request == nil {
			return fmt.Errorf("no request of a READ landed: this is a defect of weft")
		}
		at, prefix, target = e.leg(request, at, "request, "), "response, ", 0
	}
	end := last(target)
	if end == nil || end.Now != j.Delivered {
		return fmt.Errorf("no packet landed when the message was complete: this is a defect of weft")
	}
	e.leg(end, at, prefix)
	e.out.Wire = end.Bytes
	for i := range j.Landed {
		if s := &j.Landed[i]; s.To == target && !s.Reply {
			e.out.Packets++
		}
	}
	return nil
}

// leg adds the terms of a packet from a time on, and returns the time of its arrival at its
// destination.
func (e *explainer) leg(packet *fabric.Sighting, at units.Time, prefix string) units.Time {
	j := &e.run.First
	same := func(s *fabric.Sighting) bool {
		return s.Dst == packet.Dst && s.Flow == packet.Flow && s.Sequence == packet.Sequence && s.Reply == packet.Reply
	}
	landed := make(map[int32]units.Time)
	for i := range j.Landed {
		if s := &j.Landed[i]; same(s) {
			landed[s.Link] = s.Now
		}
	}
	hop := 0
	for i := range j.Sent {
		if s := &j.Sent[i]; same(s) {
			e.hop(s, hop, at, landed[s.Link], prefix)
			at = landed[s.Link]
			hop++
		}
	}
	return at
}

// hop adds the terms of a packet on a link and in the device at its end.
func (e *explainer) hop(s *fabric.Sighting, hop int, at, landed units.Time, prefix string) {
	f := e.fabric
	here, next := fmt.Sprintf("switch %d", hop), fmt.Sprintf("switch %d: pipeline", hop+1)
	pipeline := []host.Source{host.SourceOf(catalog.Switch, f.Switch.Model, "latency", f.Switch.Latency.Exact())}
	if s.To < 2 {
		next = "NIC receive pipeline"
		pipeline = []host.Source{host.SourceOf(catalog.NIC, f.NIC.Model, "ack-pipeline", f.NIC.AckPipeline.Exact())}
	}
	link := fmt.Sprintf("link %d: ", hop+1)
	add := func(name string, t units.Time, note string, sources ...host.Source) {
		way := prefix + "links and switches"
		if strings.HasPrefix(name, "NIC") {
			way = ""
		}
		e.add(Term{Part: InFabric, Way: way, Name: prefix + name, Time: t, Note: note, Sources: sources})
	}
	if wait := s.Start - at; wait > 0 {
		name := here + ": wait for the port"
		if hop == 0 {
			name = "NIC: the message's earlier packets"
		}
		add(name, wait, "")
	}
	rate := host.SourceOf(catalog.Link, f.Link.Generation, "lane-rate", f.Link.LaneRate.Exact())
	first := s.Start // the bit whose arrival counts: the first or the last
	if s.FromLastBit {
		first = s.End
		add(link+"serialisation", s.End-s.Start, fmt.Sprintf("%d bytes on the wire", s.Bytes), rate)
	} else {
		add(link+"serialisation", 0, fmt.Sprintf("cut-through: the wire is busy for %s, nothing waits for it", host.Nanoseconds(s.End-s.Start)), rate)
	}
	fec := min(f.Link.FECLatency, s.Propagation)
	add(link+"cable", s.Propagation-fec, "", host.SourceOf(catalog.Link, f.Link.Generation, "per-metre", f.Link.PerMetre.Exact()), e.length(hop))
	if fec > 0 {
		add(link+"FEC", fec, "", host.SourceOf(catalog.Link, f.Link.Generation, "fec-latency", fec.Exact()))
	}
	took := landed - first - s.Propagation
	if j := f.Switch.Jitter; s.To >= 2 && took > f.Switch.Latency {
		add(fmt.Sprintf("switch %d: jitter", hop+1), took-f.Switch.Latency, fmt.Sprintf("drawn: %s, mean %v", j.Distribution, j.Mean),
			host.SourceOf(catalog.Switch, f.Switch.Model, "jitter.mean", j.Mean.Exact()))
		took = f.Switch.Latency
	}
	add(next, took, "", pipeline...)
}

// length is the source of a link's cable length.
func (e *explainer) length(hop int) host.Source {
	c := &e.fabric.Topology.Cables
	field := [...]string{"node-leaf", "leaf-spine", "spine-core"}
	length := [...]units.Length{c.NodeLeaf, c.LeafSpine, c.SpineCore}
	i := min(hop, e.out.Hops-hop, 2)
	return host.SourceOf(catalog.Defaults, "scenario", "topology.cables."+field[i], length[i].Exact())
}

// cost adds up the cost of a side's terms.
func (e *explainer) cost(part Part) {
	c, s := &e.out.Cost, jitter.Sender
	if part == AtReceiver {
		s = jitter.Receiver
	}
	for i := range e.out.Terms {
		t := &e.out.Terms[i]
		if t.Part != part {
			continue
		}
		if t.work.CPU() {
			c.CPU[s] += t.Time
		}
		switch t.work {
		case host.WorkCPUCopy:
			c.CPUCopies[s]++
		case host.WorkGPUCopy:
			c.GPUCopies[s]++
		case host.WorkCall:
			c.KernelCalls[s]++
		case host.WorkInterrupt:
			c.Interrupts[s]++
		}
	}
	c.Cycles[s] = int64(c.CPU[s].Seconds()*float64(e.node.CPU.Clock) + 0.5)
}
