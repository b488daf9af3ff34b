package fault

import (
	"weft/internal/sim/routing"
	"weft/units"
)

// Plan is the faults of a run and the reactions of the control plane. A network with a Plan,
// even an empty one, has one more port at every switch of the scale-out fabric: packets without a
// route go there, and are dropped.
//
// A failed cable loses the packets on it, the packets that wait for it, and the packets sent to it;
// each is counted. A packet whose head has left the receiver's pipeline before the fault has
// arrived. A NIC with a failed cable sends nothing. Flow control restarts when a cable works again:
// no sender is paused, and all credits are available.
type Plan struct {
	Outages []Outage
	Changes []TableChange
	Lanes   []LaneChange // if Builder.Lanes follows service levels
}

// Outage is the time of a failed cable, from From, after 0, until Until, which may be
// units.Forever. One of its ends identifies the cable; ports count from 0.
type Outage struct {
	Node, Port  int32
	From, Until units.Time
}

// TableChange is a switch's new entry for a destination, from At on. Of several changes of an entry
// at the same time, the last is valid.
type TableChange struct {
	At  units.Time
	Row int32 // of the forwarding tables
	Dst int32
	// Ports are the ports that the switch chooses from; none: it drops. They ascend, unless the number of a port has a
	// meaning: with LIDs of a NIC, each has its port in turn, routing.NoPort if packets to it are dropped. Port is the
	// port of static routing, and one of Ports.
	Ports []uint16
	Port  uint16
}

// LaneChange is a new SL2VL table of a switch between two of its ports, from At on. A packet that
// waits at an output then keeps its lane: the table is read once, at arrival. Of several changes of
// a pair of ports at the same time, the last is valid.
type LaneChange struct {
	At      units.Time
	Row     int32  // of the forwarding tables
	In, Out uint16 // ports, from 0
	Lanes   [routing.Levels]uint8
}
