package htsim

import (
	"fmt"

	"weft/internal/formats/source"
	"weft/internal/sim/workload"
)

// builder makes the graph of a matrix: a connection is a message, and its start a
// computing of that length before it.
type builder struct {
	*reader
	ops    [][]workload.Op
	places [][]int32
	after  map[int][]ending // by trigger: the ends of connections that activate it
	tag    int32
	sends  []int32 // by connection
}

// ending is the end of a connection at one of its ends.
type ending struct {
	connection int
	receiver   bool
}

// build makes the graph of the matrix. The problem is a trigger that a graph cannot have.
func (r *reader) build(w *source.Workload) *source.Problem {
	n := r.counts["Nodes"]
	b := &builder{reader: r, ops: make([][]workload.Op, n), places: make([][]int32, n), after: make(map[int][]ending)}
	w.Graph, w.Hosts = &workload.Graph{Ranks: b.ops, Sender: workload.Verbs}, true
	w.Where = func(rank, op int) string { return fmt.Sprintf("%s:%d", r.lines.File, b.places[rank][op]) }
	received := make([]int32, len(r.connections))
	b.sends = make([]int32, len(r.connections))
	for i := range r.connections {
		c := &r.connections[i]
		var after []int32
		if c.start > 0 {
			after = []int32{b.add(c.from, c.line, workload.Op{Name: "start", Time: c.start})}
		}
		b.sends[i], received[i] = b.message(c.from, c.to, c.line, workload.Op{Name: "connection", Bytes: c.bytes, After: after})
		if c.sendDone > 0 {
			b.after[c.sendDone] = append(b.after[c.sendDone], ending{i, false})
		}
		if c.recvDone > 0 {
			b.after[c.recvDone] = append(b.after[c.recvDone], ending{i, true})
		}
	}
	for i := range r.connections {
		if p := b.triggered(i, received); p != nil {
			return p
		}
	}
	return nil
}

func (b *builder) add(rank int32, line int, o workload.Op) int32 {
	o.Stream = workload.Unordered
	b.ops[rank] = append(b.ops[rank], o)
	b.places[rank] = append(b.places[rank], int32(line))
	return int32(len(b.ops[rank]) - 1)
}

// message adds both ends of a message.
func (b *builder) message(from, to int32, line int, o workload.Op) (send, recv int32) {
	b.tag++
	o.Kind, o.Peer, o.Tag = workload.Send, to, b.tag
	back := workload.Op{Name: o.Name, Kind: workload.Recv, Peer: from, Tag: b.tag, Bytes: o.Bytes}
	return b.add(from, line, o), b.add(to, line, back)
}

// triggered makes a connection wait for the ends that activate its trigger. An end at another node
// sends it an empty message.
func (b *builder) triggered(i int, received []int32) *source.Problem {
	c := &b.connections[i]
	if c.trigger == 0 {
		return nil
	}
	at := &source.Problem{File: b.lines.File, Line: c.line, Value: fmt.Sprintf("trigger %d", c.trigger)}
	t, known := b.triggers[c.trigger]
	by := b.after[c.trigger]
	switch {
	case !known:
		at.Want = "a trigger that the file has"
	case len(by) == 0:
		at.Want = "a trigger that some connection activates"
	case t.kind == "barrier" && t.count != len(by):
		at.Want = fmt.Sprintf("a barrier whose count is the number of connections that activate it: %d, not %d", len(by), t.count)
	case t.kind != "barrier" && len(by) > 1:
		at.Want = fmt.Sprintf("a %s trigger that one connection activates, not %d: the first of several is known only in the run", t.kind, len(by))
	default:
		for _, e := range by {
			other := &b.connections[e.connection]
			node, op := other.from, b.sends[e.connection]
			if e.receiver {
				node, op = other.to, received[e.connection]
			}
			if node != c.from {
				_, op = b.message(node, c.from, c.line, workload.Op{Name: "trigger", After: []int32{op}})
			}
			o := &b.ops[c.from][b.sends[i]]
			o.After = append(o.After, op)
		}
		return nil
	}
	return at
}

// describe states the meaning of the numbers and the assumptions.
func (r *reader) describe(w *source.Workload) {
	w.Units = []string{"size: bytes", "start: picoseconds, as htsim reads it; its older releases, and the files that its save writes, meant microseconds"}
	w.Assume("node i is the i-th GPU of the cluster; where no cluster is given a node has one GPU and one NIC, of a cluster that is given GPUs of one node talk over its scale-up network")
	w.Assume("transport, congestion control and links are the scenario's, not htsim's")
	if len(r.triggers) > 0 {
		w.Assume("a send is done when its data is at the receiver; a trigger that a connection of another node activates costs an empty message to the node that it starts")
	}
	if r.failures > 0 {
		w.Assume(fmt.Sprintf("the %d failures of links do not happen: a scenario has them under faults", r.failures))
	}
	if r.priorities {
		w.Assume("priorities are ignored")
	}
}
