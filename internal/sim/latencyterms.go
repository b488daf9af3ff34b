package sim

import (
	"fmt"

	"weft/internal/catalog"
	"weft/internal/fabric"
	"weft/scenario"
	"weft/units"
)

// explainer splits the time of a ping-pong's first message into terms.
type explainer struct {
	run    *pingPong
	fabric *scenario.Fabric
	node   *scenario.Node
	out    *Latency
}

// explain fills in terms and cost, and holds their sum against the time.
func (e *explainer) explain() error {
	j := &e.run.first
	send, receive := hostTerms(e.fabric, e.node)
	if e.out.Op == LatencyRead {
		send, receive = readTerms(e.fabric, e.node)
	}
	last := int64(e.out.Bytes)
	if p := e.run.path.piece; p > 0 && last > p {
		e.before(last, p)
		last = (last-1)%p + 1
	}
	e.host(AtSender, send, last)
	e.rest(AtSender, j.handed-j.posted)
	if err := e.packets(); err != nil {
		return err
	}
	if wait := j.busy - j.delivered; wait > 0 && e.out.Op != LatencyRead {
		e.add(LatencyTerm{Part: AtReceiver, Name: "copies of the earlier segments", Time: wait})
	}
	e.host(AtReceiver, receive, last)
	e.rest(AtReceiver, j.arrived-j.delivered)
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

func (e *explainer) add(t LatencyTerm) { e.out.Terms = append(e.out.Terms, t) }

// before is the time of the copies of a message's segments but the last.
func (e *explainer) before(bytes, piece int64) {
	t := units.Time(0)
	for ; bytes > piece; bytes -= piece {
		t += e.run.path.copyTime(piece)
	}
	e.add(LatencyTerm{Part: AtSender, Name: "copies of the earlier segments", Time: t, work: workCPU})
}

// host adds the terms of a side's host.
func (e *explainer) host(part LatencyPart, list []hostTerm, bytes int64) {
	for i := range list {
		h := &list[i]
		t := LatencyTerm{Part: part, Name: h.name, Time: h.time(bytes), Rate: h.rate, work: h.work}
		if h.work >= workCPUCopy {
			t.Bytes = units.Bytes(bytes)
		}
		for _, f := range h.facts {
			t.Sources = append(t.Sources, f.source())
		}
		e.add(t)
	}
}

// rest is what the executor added to a side's terms: the jitter that was drawn,
// or the picosecond that a host without any time takes all the same. Anything
// else leaves a sum that does not hold.
func (e *explainer) rest(part LatencyPart, took units.Time) {
	for i := range e.out.Terms {
		if t := &e.out.Terms[i]; t.Part == part {
			took -= t.Time
		}
	}
	switch {
	case took > 0 && e.run.jitter != nil:
		software, nic := e.fabric.Host.Jitter, e.fabric.NIC.Jitter
		e.add(LatencyTerm{
			Part: part, Name: "jitter of host and NIC", Time: took, work: workDevice,
			Note: fmt.Sprintf("drawn: %s, mean %v, and %s, mean %v", software.Distribution, software.Mean, nic.Distribution, nic.Mean),
			Sources: []Source{
				sourceOf(catalog.Host, string(e.fabric.Host.Path), "jitter.mean", software.Mean.Exact()),
				sourceOf(catalog.NIC, e.fabric.NIC.Model, "jitter.mean", nic.Mean.Exact()),
			},
		})
	case took == units.Picosecond && e.instant(part):
		e.add(LatencyTerm{Part: part, Name: "least step of a host's clock", Time: took})
	}
}

// instant reports whether no term of a side takes time.
func (e *explainer) instant(part LatencyPart) bool {
	for i := range e.out.Terms {
		if t := &e.out.Terms[i]; t.Part == part && t.Time != 0 {
			return false
		}
	}
	return true
}

// packets adds the terms of the packet that completed the message; of a READ
// those of the request first.
func (e *explainer) packets() error {
	j := &e.run.first
	last := func(node int32) *fabric.Sighting {
		for i := len(j.landed) - 1; i >= 0; i-- {
			if s := &j.landed[i]; s.To == node && s.Dst == node && !s.Reply {
				return s
			}
		}
		return nil
	}
	target := int32(1)
	at, prefix := j.handed, ""
	if e.out.Op == LatencyRead {
		request := last(1)
		if request == nil {
			return fmt.Errorf("no request of a READ landed: this is a defect of weft")
		}
		at, prefix, target = e.leg(request, at, "request, "), "response, ", 0
	}
	end := last(target)
	if end == nil || end.Now != j.delivered {
		return fmt.Errorf("no packet landed when the message was complete: this is a defect of weft")
	}
	e.leg(end, at, prefix)
	e.out.Wire = end.Bytes
	for i := range j.landed {
		if s := &j.landed[i]; s.To == target && !s.Reply {
			e.out.Packets++
		}
	}
	return nil
}

// leg adds the terms of a packet from a time on, and gives the time at which it
// landed at its end.
func (e *explainer) leg(packet *fabric.Sighting, at units.Time, prefix string) units.Time {
	j := &e.run.first
	same := func(s *fabric.Sighting) bool {
		return s.Dst == packet.Dst && s.Flow == packet.Flow && s.Sequence == packet.Sequence && s.Reply == packet.Reply
	}
	landed := make(map[int32]units.Time)
	for i := range j.landed {
		if s := &j.landed[i]; same(s) {
			landed[s.Link] = s.Now
		}
	}
	hop := 0
	for i := range j.sent {
		if s := &j.sent[i]; same(s) {
			e.hop(s, hop, at, landed[s.Link], prefix)
			at = landed[s.Link]
			hop++
		}
	}
	return at
}

// hop adds the terms of a packet on a link and in what is at its end.
func (e *explainer) hop(s *fabric.Sighting, hop int, at, landed units.Time, prefix string) {
	f := e.fabric
	here, next := fmt.Sprintf("switch %d", hop), fmt.Sprintf("switch %d: pipeline", hop+1)
	pipeline := []Source{sourceOf(catalog.Switch, f.Switch.Model, "latency", f.Switch.Latency.Exact())}
	if s.To < 2 {
		next = "NIC receive pipeline"
		pipeline = []Source{sourceOf(catalog.NIC, f.NIC.Model, "ack-pipeline", f.NIC.AckPipeline.Exact())}
	}
	link := fmt.Sprintf("link %d: ", hop+1)
	add := func(name string, t units.Time, note string, sources ...Source) {
		e.add(LatencyTerm{Part: InFabric, Name: prefix + name, Time: t, Note: note, Sources: sources})
	}
	if wait := s.Start - at; wait > 0 {
		name := here + ": wait for the port"
		if hop == 0 {
			name = "NIC: the message's earlier packets"
		}
		add(name, wait, "")
	}
	rate := sourceOf(catalog.Link, f.Link.Generation, "lane-rate", f.Link.LaneRate.Exact())
	first := s.Start // whose arrival counts: the first bit's, or the last's
	if s.FromLastBit {
		first = s.End
		add(link+"serialisation", s.End-s.Start, fmt.Sprintf("%d bytes on the wire", s.Bytes), rate)
	} else {
		add(link+"serialisation", 0, fmt.Sprintf("cut-through: the wire is busy for %s, nothing waits for it", nanoseconds(s.End-s.Start)), rate)
	}
	fec := min(f.Link.FECLatency, s.Propagation)
	add(link+"cable", s.Propagation-fec, "", sourceOf(catalog.Link, f.Link.Generation, "per-metre", f.Link.PerMetre.Exact()), e.length(hop))
	if fec > 0 {
		add(link+"FEC", fec, "", sourceOf(catalog.Link, f.Link.Generation, "fec-latency", fec.Exact()))
	}
	took := landed - first - s.Propagation
	if j := f.Switch.Jitter; s.To >= 2 && took > f.Switch.Latency {
		add(fmt.Sprintf("switch %d: jitter", hop+1), took-f.Switch.Latency, fmt.Sprintf("drawn: %s, mean %v", j.Distribution, j.Mean),
			sourceOf(catalog.Switch, f.Switch.Model, "jitter.mean", j.Mean.Exact()))
		took = f.Switch.Latency
	}
	add(next, took, "", pipeline...)
}

// length is where the length of a link's cable is from.
func (e *explainer) length(hop int) Source {
	c := &e.fabric.Topology.Cables
	field := [...]string{"node-leaf", "leaf-spine", "spine-core"}
	length := [...]units.Length{c.NodeLeaf, c.LeafSpine, c.SpineCore}
	i := min(hop, e.out.Hops-hop, 2)
	return sourceOf(catalog.Defaults, "scenario", "topology.cables."+field[i], length[i].Exact())
}

// cost counts what a side's terms cost.
func (e *explainer) cost(part LatencyPart) {
	c, s := &e.out.Cost, sender
	if part == AtReceiver {
		s = receiver
	}
	for i := range e.out.Terms {
		t := &e.out.Terms[i]
		if t.Part != part {
			continue
		}
		if t.work.cpu() {
			c.CPU[s] += t.Time
		}
		switch t.work {
		case workCPUCopy:
			c.CPUCopies[s]++
		case workGPUCopy:
			c.GPUCopies[s]++
		case workCall:
			c.KernelCalls[s]++
		case workInterrupt:
			c.Interrupts[s]++
		}
	}
	c.Cycles[s] = int64(c.CPU[s].Seconds()*float64(e.node.CPU.Clock) + 0.5)
}
