package verbs

import (
	"net/netip"

	"weft/units"
	"weft/verbs/internal/socket"
)

// Query says how the queue pair stands (ibv_query_qp(3)): its state, the PSN that it
// expects and that of its next request, and all attributes as they were set last. The
// room of its queues is that which it was made with.
func (q *QP) Query() (QPAttr, QPInitAttr) {
	q.pd.dev.port.Lock()
	defer q.pd.dev.port.Unlock()
	a := q.set
	a.State = QPState(q.state())
	if q.rd == nil {
		a.RQPSN, a.SQPSN = q.end.QP.Expected(), q.end.QP.NextPSN()
	}
	return a, q.attr
}

// DeviceAttr is what a device can do (ibv_query_device(3)).
type DeviceAttr struct {
	NodeGUID    units.GUID // made of the address
	PhysPorts   int
	MaxQP       int
	MaxQPWR     int // work requests of a queue, of shared ones too
	MaxSGE      int
	MaxCQE      int
	MaxInline   int
	MaxMR       int // memory regions and windows together
	MaxMRSize   uint64
	MaxRdAtomic int // READs and atomics of a queue pair, as a requester and as a responder
	MaxMcastGrp int
	MaxPKeys    int
	MaxAH       int // and connected queue pairs, if each is for another address
}

// Query says what the device can do.
func (d *Device) Query() DeviceAttr {
	return DeviceAttr{
		NodeGUID: units.GUID(d.guid()), PhysPorts: 1, MaxQP: socket.MaxEndpoints - int(socket.FirstQPN), MaxQPWR: MaxQPWR, MaxSGE: MaxSGE,
		MaxCQE: MaxCQE, MaxInline: MaxInline, MaxMR: MaxMR, MaxMRSize: 1<<64 - 1, MaxRdAtomic: MaxRdAtomic, MaxMcastGrp: socket.MaxGroups,
		MaxPKeys: 1, MaxAH: socket.MaxPeers,
	}
}

// guid stands for a hardware's: it is the device's address.
func (d *Device) guid() uint64 {
	b := d.Addr().Addr().As16()
	var g uint64
	for _, v := range b[8:] {
		g = g<<8 | uint64(v)
	}
	return g
}

// PortState is the state of a port, with the numbers of ibv_port_state.
type PortState uint8

// The states that a port of weft can have.
const (
	PortDown   PortState = 1 // its socket has failed, or the device is closed
	PortActive PortState = 4
)

func (s PortState) String() string {
	return named(s, map[PortState]string{PortDown: "IBV_PORT_DOWN", PortActive: "IBV_PORT_ACTIVE"})
}

// PortAttr is what the port of a device is (ibv_query_port(3)). Rate and width are not
// among it: a UDP socket does not show them.
type PortAttr struct {
	State      PortState
	MaxMTU     int // bytes
	ActiveMTU  int
	GIDs       int // entries of the table
	PKeys      int
	MaxMessage uint64
	LID        units.LID // 0: RoCE has none
}

// QueryPort says what the device's one port is.
func (d *Device) QueryPort() PortAttr {
	d.port.Lock()
	defer d.port.Unlock()
	a := PortAttr{State: PortActive, MaxMTU: 4096, ActiveMTU: d.mtu, GIDs: 1, PKeys: 1, MaxMessage: MaxMessage}
	if d.closed || d.port.Err() != nil {
		a.State = PortDown
	}
	return a
}

// QueryGID is an entry of the port's GID table, which has one: the device's address.
func (d *Device) QueryGID(index int) (netip.Addr, error) {
	if index != 0 {
		return netip.Addr{}, invalid("GID %d: the table has one entry, 0", index)
	}
	return d.Addr().Addr(), nil
}

// QueryPKey is an entry of the port's P_Key table, which has one: the default
// partition's (IBA vol. 1, A17.7).
func (d *Device) QueryPKey(index int) (uint16, error) {
	if index != 0 {
		return 0, invalid("P_Key %d: the table has one entry, 0", index)
	}
	return defaultPKey, nil
}

// SRQAttr is what a shared receive queue is (ibv_query_srq(3)).
type SRQAttr struct {
	MaxWR, MaxSGE int
	Limit         int // see Arm; 0 is not armed
	Posted        int // receives that no queue pair has taken yet
}

// Query says how the queue stands.
func (s *SRQ) Query() SRQAttr {
	s.pd.dev.port.Lock()
	defer s.pd.dev.port.Unlock()
	return SRQAttr{MaxWR: len(s.ring), MaxSGE: MaxSGE, Limit: s.limit, Posted: s.size}
}

// Capacity is how many completions the queue has room for.
func (c *CQ) Capacity() int { return len(c.ring) }

// Access is the rights of the region.
func (m *MR) Access() Access { return m.access }
