package scenario

import "weft/units"

// Fault is a failure during the run, of a link, a switch or the Subnet Manager. Links and switches are named as weft topology and reports
// name them, so a fault is the same on every fabric that is cabled alike.
type Fault struct {
	// At is the time of the failure. The run starts when the control plane has brought
	// the fabric up.
	At units.Time `yaml:"at" range:"1ns..forever"`
	// Until is the time of the repair; 0 is never.
	Until units.Time `yaml:"until,omitzero" range:"0..forever"`
	// Times is the number of failures; 0 is one. Each begins Period after the one before
	// and lasts as long as the first.
	Times  int        `yaml:"times,omitzero" range:"0..64"`
	Period units.Time `yaml:"period,omitzero" range:"0..forever"`
	// Link is a cable, by one of its ends: leaf1 port 5, or leaf1:5. Ports count from 1, and have the names of a
	// fabric's file: leaf1:Ethernet16.
	Link string `yaml:"link,omitzero"`
	// Switch is a switch that goes dark, with all its cables.
	Switch string `yaml:"switch,omitzero"`
	// SM says that InfiniBand's Subnet Manager ends. The standby takes over, if there is
	// one.
	SM bool `yaml:"sm,omitzero"`
}

// Control is the times of the control planes.
type Control struct {
	// LossOfSignal is from a cable's failure, or its repair, to the moment when
	// the switch's software hears of it, on every fabric.
	LossOfSignal units.Time `yaml:"loss-of-signal" range:"0..10s"`
	// SM is InfiniBand's Subnet Manager.
	SM SubnetManager `yaml:"sm"`
	// BGP is the routing protocol of Ethernet fabrics.
	BGP BGP `yaml:"bgp"`
}

// SubnetManager is the host that manages an InfiniBand subnet, and the agents in
// the nodes that it talks to.
type SubnetManager struct {
	// Agent is the time of a node's agent for a datagram; it handles one at a time.
	Agent units.Time `yaml:"agent" range:"0..1s"`
	// Datagram is the time of the manager for an answer.
	Datagram units.Time `yaml:"datagram" range:"0..1s"`
	// Entry is the time to compute a table entry; there is one for each switch and LID.
	Entry units.Time `yaml:"entry" range:"0..1ms"`
	// Window is the number of requests under way at a time.
	Window int `yaml:"window" range:"1..65536"`
	// Timeout is how long a request waits for its answer.
	Timeout units.Time `yaml:"timeout" range:"1us..60s"`
	// Sweep is the time between light sweeps, which find changes that no trap reported.
	Sweep units.Time `yaml:"sweep" range:"1ms..3600s"`
	// Standby says that a second manager runs on the last host.
	Standby bool `yaml:"standby"`
	// Poll is the time between a standby's questions to the master; after three
	// without an answer it takes over.
	Poll units.Time `yaml:"poll" range:"1ms..3600s"`
	// MKey is the M_Key by which the manager protects ports from others; 0 is none.
	MKey int `yaml:"m-key,omitzero" range:"0..9223372036854775807"`
	// MKeyProtection is the access that ports refuse to a manager without the M_Key: 0
	// writing, 1 writing and reading the M_Key, 2 and 3 all reading too.
	MKeyProtection int `yaml:"m-key-protection,omitzero" range:"0..3"`
	// MKeyLease is how long ports keep the M_Key after a datagram with a wrong one while
	// the manager is silent, in whole seconds. 0: for ever.
	MKeyLease units.Time `yaml:"m-key-lease,omitzero" range:"0..65535s"`
	// StandbyMKey is the M_Key of the standby. 0: the same.
	StandbyMKey int `yaml:"standby-m-key,omitzero" range:"0..9223372036854775807"`
}

// BGP is eBGP with a session over every link, as RFC 7938 has it.
type BGP struct {
	// Detection is how a switch finds that a neighbour is gone.
	Detection Detection `yaml:"detection"`
	// BFDInterval is the time between BFD's packets.
	BFDInterval units.Time `yaml:"bfd-interval" range:"1us..60s"`
	// BFDMultiplier is the number of packets in a row that must be missing.
	BFDMultiplier int `yaml:"bfd-multiplier" range:"1..255"`
	// Repair is the time of a switch to take a port of its own out of its ECMP groups
	// once it knows.
	Repair units.Time `yaml:"repair" range:"0..60s"`
	// Update is the time of a switch for an update: to read it, to choose again and to
	// send updates to its neighbours.
	Update units.Time `yaml:"update" range:"0..60s"`
	// Advertisement is the MRAI, the least time between updates to a neighbour. Each hop
	// waits for it once.
	Advertisement units.Time `yaml:"advertisement" range:"0..600s"`
	// Entry is the time to write an entry of the switch's forwarding table.
	Entry units.Time `yaml:"entry" range:"0..1s"`
	// Session is from a link's signal to the routes of the session over it.
	Session units.Time `yaml:"session" range:"0..600s"`
}
