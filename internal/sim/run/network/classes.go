package network

import (
	"slices"

	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/arbitration"
	"weft/internal/sim/protocol"
	"weft/scenario"
)

// Classes are the priorities or virtual lanes that a fabric's traffic uses. The network holds state
// for each class at every port, so it gets only the classes in use, in the same order.
type Classes struct {
	Used   []int
	others []int // classes of streams and of messages with their own
}

// classesOf are the classes of a fabric's workload, or of the keys and values of its serving job.
func classesOf(f *scenario.Fabric, r *scenario.Resolved) Classes {
	var c Classes
	w := &r.Workload
	if protocol.Of(f.Kind).ServiceLevels {
		c.Used = []int{f.IB.SL2VL[f.IB.AckSL]}
		for _, sl := range scenario.ServiceLevelsOf(f, w) {
			c.Used = append(c.Used, f.IB.SL2VL[sl])
		}
	} else {
		c.Used = []int{f.Ethernet.DataPriority, f.Ethernet.AckPriority, f.Ethernet.CNPPriority}
		for i := range w.Flows {
			if n := w.Flows[i].Priority; n > 0 {
				c.others = append(c.others, n)
			}
		}
	}
	if f.Ethernet.Trim.On() {
		c.Used = append(c.Used, f.Ethernet.Trim.Priority)
	}
	for i := range f.Beside {
		c.others = append(c.others, LaneOf(f, f.Beside[i].Class))
	}
	if class := r.Serving.KV.Class; class > 0 {
		c.others = append(c.others, LaneOf(f, class))
	}
	c.Used = append(c.Used, c.others...)
	slices.Sort(c.Used)
	c.Used = slices.Compact(c.Used)
	return c
}

// LaneOf is the priority or virtual lane of a stream's class.
func LaneOf(f *scenario.Fabric, class int) int {
	if protocol.Of(f.Kind).ServiceLevels {
		return f.IB.SL2VL[class]
	}
	return class
}

// of is the network's number of a priority or lane; false if it is unused.
func (c Classes) of(priority int) (uint8, bool) {
	i, ok := slices.BinarySearch(c.Used, priority)
	return uint8(i), ok
}

// Must is the network's number of a priority or lane in use.
func (c Classes) Must(priority int) uint8 {
	i, _ := c.of(priority)
	return i
}

// mask is the set of the network's classes for priorities.
func (c Classes) mask(priorities []int) (mask uint16) {
	for _, p := range priorities {
		if i, ok := c.of(p); ok {
			mask |= 1 << i
		}
	}
	return mask
}

// stops are the queues that a pause of each class stops at a switch; nil if that is always the
// class's own queue.
func (c Classes) stops(list []scenario.Stop) *[fabric.MaxClasses]uint16 {
	if len(list) == 0 {
		return nil
	}
	var all [fabric.MaxClasses]uint16
	for class := range c.Used {
		all[class] = 1 << class
	}
	for _, s := range list {
		if class, ok := c.of(s.Priority); ok {
			all[class] = c.mask([]int{s.Queue})
		}
	}
	return &all
}

// Data is the network's class of data; ack and cnp are the classes of the fabric's other packets.
func (c Classes) Data(f *scenario.Fabric) uint8 {
	if protocol.Of(f.Kind).ServiceLevels {
		return c.Must(f.IB.SL2VL[f.IB.SL])
	}
	return c.Must(f.Ethernet.DataPriority)
}

func (c Classes) ack(f *scenario.Fabric) uint8 {
	if protocol.Of(f.Kind).ServiceLevels {
		return c.Must(f.IB.SL2VL[f.IB.AckSL])
	}
	return c.Must(f.Ethernet.AckPriority)
}

func (c Classes) cnp(f *scenario.Fabric) uint8 {
	if protocol.Of(f.Kind).ServiceLevels {
		return c.ack(f)
	}
	return c.Must(f.Ethernet.CNPPriority)
}

// arbitration is a VL arbitration table of the lanes in use.
func (c Classes) arbitration(table []scenario.VLWeight) (t []arbitration.VLWeight) {
	for _, e := range table {
		if class, ok := c.of(e.VL); ok {
			t = append(t, arbitration.VLWeight{VL: class, Weight: uint8(e.Weight)})
		}
	}
	return t
}

// schedule is the egress schedule of the priorities in use.
func (c Classes) schedule(queues []scenario.Queue) (s arbitration.Schedule) {
	for _, q := range queues {
		class, ok := c.of(q.Priority)
		switch {
		case !ok:
		case q.Schedule == scenario.Strict:
			s.Strict |= 1 << class
		default:
			// A weight of 1 is one full frame a round.
			s.Weights[class] = int32(q.Weight) * fullFrame
		}
	}
	return s
}

// fullFrame is about the largest frame with a payload of 4096 bytes: the unit of weights, so that a
// queue's turn is never shorter than a frame.
const fullFrame = 4200
