package sma

import (
	"fmt"
	"math/rand/v2"

	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// Fabric is the agents of a subnet. It is not safe for concurrent use.
type Fabric struct {
	sub     *subnet.Subnet
	nodes   []node
	telling []subnet.End // ports with waiting traps, in the order of their first trap
	traps   TrapCounts
	lastTID uint64 // of a trap
	now     units.Time
	onCross func(out subnet.End) // called for each crossed link; may be nil
	taken   map[subnet.End]cable // by both ends: cables that Unlink took
	models  map[model]subnet.Link
	random  *rand.Rand // of SetLoss
}

// node is the state of a node's agents.
type node struct {
	sw    mad.SwitchInfo
	desc  mad.NodeDescription
	ports []port
	lft   []*mad.LinearFDB // by block; nil: nothing was written
	mft   map[uint32]*mad.MulticastFDB
	sl2vl map[uint32]mad.SLToVL // by modifier; on an adapter by port

	congestion map[congestionKey][]byte // written attributes of congestion control
}

// port is a port's state. A switch keeps its M_Key, and the P_Keys of its management port,
// in port 0.
type port struct {
	info     mad.PortInfo
	fdr10    bool
	cut      bool // the cable does not work
	pkeys    []mad.PKeyTable
	guids    mad.GUIDInfo
	vlarb    [2]mad.VLArb // low and high priority
	counters counters
	loss     loss

	leaseEnds units.Time // of the M_Key; 0 while no lease runs
	outbox    outbox     // only of ports with a LID
}

// Packet is a datagram with its addresses.
type Packet struct {
	DLID, SLID units.LID
	// PKey is the P_Key; datagrams of subnet management have none. On sending, 0 means
	// the first key of the port's table. On arrival, PKey is the matching key in the
	// receiver's table.
	PKey mad.PKey
	MAD  mad.MAD
}

// Sent is a datagram and the port of its sender.
type Sent struct {
	From   subnet.End
	Packet Packet
}

// New makes the agents of a subnet in their state after power-on: cables work, ports are Init, no
// port has a LID. Afterwards only the Fabric may change the subnet (Link, Unlink, SetGUID). New
// refuses nodes with the same GUID.
func New(s *subnet.Subnet) (*Fabric, error) {
	seen := make(map[units.GUID]int, len(s.Nodes))
	for i := range s.Nodes {
		if first, twice := seen[s.Nodes[i].GUID]; twice {
			return nil, fmt.Errorf("nodes %q and %q have the same GUID %v", s.Nodes[first].Name, s.Nodes[i].Name, s.Nodes[i].GUID)
		}
		seen[s.Nodes[i].GUID] = i
	}
	return NewUnchecked(s), nil
}

// NewUnchecked makes the agents of a subnet that may have nodes with the same GUID, as broken
// subnets do.
func NewUnchecked(s *subnet.Subnet) *Fabric {
	f := &Fabric{sub: s, nodes: make([]node, len(s.Nodes)), taken: map[subnet.End]cable{}, models: modelsOf(s)}
	for i := range s.Nodes {
		f.nodes[i] = f.powerOn(int32(i))
	}
	return f
}

// Subnet is the subnet of the agents.
func (f *Fabric) Subnet() *subnet.Subnet { return f.sub }

// OnCross sets a function that is called for every link that a datagram crosses, with its output
// port.
func (f *Fabric) OnCross(cross func(out subnet.End)) { f.onCross = cross }

func (f *Fabric) powerOn(i int32) node {
	of := &f.sub.Nodes[i]
	n := node{desc: mad.Describe(of.Name), ports: make([]port, len(of.Ports)), sl2vl: map[uint32]mad.SLToVL{}}
	best := f.supports(i)
	for p := range of.Ports {
		if p == 0 && of.Kind != subnet.Switch {
			continue
		}
		n.ports[p] = powerOnPort(of, uint8(p), best)
	}
	if of.Kind == subnet.Switch {
		n.sw = mad.SwitchInfo{
			LinearFDBCap: linearEntries, MulticastFDBCap: multicastEntries, DefaultPort: subnet.NoPort,
			LifeTime: 18, PartitionEnforcementCap: partitions, InboundEnforcement: true, OutboundEnforcement: true,
			EnhancedPort0: of.Enhanced,
		}
		n.lft = make([]*mad.LinearFDB, linearEntries/mad.LIDsPerBlock)
		n.mft = map[uint32]*mad.MulticastFDB{}
	}
	return n
}

// powerOnPort is a port after power-on, with its cable trained if it has one. It supports and enables
// best, and the widths below that it runs at.
func powerOnPort(of *subnet.Node, p uint8, best subnet.Link) port {
	link := of.Ports[p].Link
	cabled := of.Ports[p].Peer.Exists()
	if link.Rate() == 0 {
		link = best
	}
	w, s := widthBit(best.Width)|widthBit(link.Width)|1, speedOf(best.Speed)
	q := port{fdr10: link.Speed == subnet.FDR10}
	q.info = mad.PortInfo{
		LocalPort: p, LinkWidthSupported: w, LinkWidthEnabled: w,
		LinkSpeedSupported: 1<<s.legacy - 1, LinkSpeedEnabled: 1<<s.legacy - 1,
		LinkSpeedExtCap: 1<<s.extended - 1, LinkSpeedExtOn: 1<<s.extended - 1,
		LinkSpeedExt2Cap: s.second, LinkSpeedExt2On: s.second,
		LinkDownDefault: uint8(mad.PhysPolling), State: mad.PortInit, PhysState: mad.PhysLinkUp,
		MTUCap: maxMTU, NeighborMTU: maxMTU, VLCap: lanes8, OperationalVLs: lanes8,
		VLArbHighCap: arbEntries, VLArbLowCap: arbEntries, VLStallCount: 7, HOQLife: 18, SubnetTimeOut: 18, RespTime: 16,
	}
	q.activate(link)
	switch {
	case p == 0:
		q.info.State = mad.PortActive // a management port has no link to train
	case of.Ports[p].State == subnet.Disabled:
		q.info.State, q.info.PhysState = mad.PortDown, mad.PhysDisabled
	case !cabled:
		q.info.State, q.info.PhysState = mad.PortDown, mad.PhysPolling
	}
	if of.Kind != subnet.Switch || p == 0 {
		q.info.CapabilityMask = mad.CapTrap | mad.CapSystemGUID | mad.CapSLMapping | mad.CapExtSpeeds | mad.CapMask2 | mad.CapReregister
		q.info.CapabilityMask2 = speeds2(s)
		q.info.GIDPrefix = mad.DefaultPrefix
		q.info.GUIDCap = mad.GUIDsPerBlock
		q.guids[0] = portGUID(of, p)
	}
	q.pkeys = make([]mad.PKeyTable, partitions/mad.PKeysPerBlock)
	q.pkeys[0][0] = mad.DefaultPKey
	for i := range arbEntries { // as ibsim: lane 0 in the high table, the others in the low table
		q.vlarb[0][i] = mad.VLWeight{VL: units.VL(i), Weight: arbWeight}
		q.vlarb[1][i] = mad.VLWeight{VL: units.VL(i)}
	}
	q.vlarb[0][0].Weight, q.vlarb[1][0].Weight = 0, arbWeight
	return q
}

// portGUID is the GUID in a port's answers; on a switch it is the GUID of port 0.
func portGUID(of *subnet.Node, p uint8) units.GUID {
	if of.Kind == subnet.Switch {
		p = 0
	}
	if g := of.Ports[p].GUID; g != 0 {
		return g
	}
	return of.GUID
}

// widthBit is PortInfo's code of a width.
func widthBit(w subnet.Width) uint8 {
	switch w {
	case 1:
		return 1
	case 8:
		return 4
	case 12:
		return 8
	case 2:
		return 16
	}
	return 2 // 4x
}

// speedCode is, for each of PortInfo's three speed fields, the number of speeds that the
// port supports, from the slowest.
type speedCode struct{ legacy, extended, second uint8 }

// speeds2 is the bits of CapabilityMask2 for speeds.
func speeds2(s speedCode) (mask uint16) {
	mask = mad.Cap2Width2x
	if s.extended >= 3 {
		mask |= mad.Cap2HDR
	}
	if s.extended >= 4 {
		mask |= mad.Cap2NDR
	}
	if s.second > 0 {
		mask |= mad.Cap2ExtSpeeds2 | mad.Cap2XDR
	}
	return mask
}

func speedOf(s subnet.Speed) speedCode {
	switch s {
	case subnet.DDR:
		return speedCode{2, 0, 0}
	case subnet.QDR, subnet.FDR10:
		return speedCode{3, 0, 0}
	case subnet.FDR:
		return speedCode{3, 1, 0}
	case subnet.EDR:
		return speedCode{3, 2, 0}
	case subnet.HDR:
		return speedCode{3, 3, 0}
	case subnet.NDR:
		return speedCode{3, 4, 0}
	case subnet.XDR:
		return speedCode{3, 4, 1}
	}
	return speedCode{1, 0, 0}
}
