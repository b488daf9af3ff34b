package verbs

import (
	"net/netip"

	"weft/units"
	"weft/verbs/internal/socket"
)

// Query returns the state of the queue pair (ibv_query_qp(3)): its state, the expected PSN, the PSN
// of its next request, all attributes as last set, and the parameters that it was created with.
func (q *QP) Query() (QPAttr, QPInitAttr) {
	q.pd.dev.port.Lock()
	defer q.pd.dev.port.Unlock()
	a := q.set
	a.State = QPState(q.end.QP.State())
	a.RQPSN, a.SQPSN = q.end.QP.Expected(), q.end.QP.NextPSN()
	return a, q.attr
}

// DeviceAttr are the capabilities of a device (ibv_query_device(3)).
type DeviceAttr struct {
	NodeGUID    units.GUID // derived from the address
	PhysPorts   int
	MaxQP       int
	MaxQPWR     int // work requests of a queue, including shared ones
	MaxSGE      int
	MaxCQE      int
	MaxInline   int
	MaxMR       int // memory regions and windows together
	MaxMRSize   uint64
	MaxRdAtomic int // READs and atomics of a queue pair, as a requester and as a responder
	MaxMcastGrp int
	MaxPKeys    int
	MaxAH       int // including connected queue pairs, each to another address
}

// Query returns the capabilities of the device.
func (d *Device) Query() DeviceAttr {
	return DeviceAttr{
		NodeGUID: units.GUID(d.guid()), PhysPorts: 1, MaxQP: d.port.MostEndpoints(), MaxQPWR: MaxQPWR,
		MaxSGE: MaxSGE,
		MaxCQE: MaxCQE, MaxInline: MaxInline, MaxMR: MaxMR, MaxMRSize: 1<<64 - 1,
		MaxRdAtomic: MaxRdAtomic, MaxMcastGrp: socket.MaxGroups,
		MaxPKeys: 1, MaxAH: socket.MaxPeers,
	}
}

// PortState is the state of a port, with the numbers of ibv_port_state.
type PortState uint8

// The states that a port of weft can have.
const (
	PortDown   PortState = 1 // the socket has failed, or the device is closed
	PortActive PortState = 4
)

func (s PortState) String() string {
	return named(s, map[PortState]string{PortDown: "IBV_PORT_DOWN", PortActive: "IBV_PORT_ACTIVE"})
}

// PortAttr are the attributes of a device's port (ibv_query_port(3)). Rate and width are missing: a
// UDP socket does not show them.
type PortAttr struct {
	State      PortState
	MaxMTU     int // bytes
	ActiveMTU  int
	GIDs       int // entries of the table
	PKeys      int
	MaxMessage uint64
	Link       LinkLayer
	LID        units.LID // of the device; 0: Ethernet has none
	SMLID      units.LID // of the Subnet Manager; 0: Ethernet has none
}

// QueryPort returns the attributes of the device's one port.
func (d *Device) QueryPort() PortAttr {
	d.port.Lock()
	defer d.port.Unlock()
	a := PortAttr{
		State: PortActive, MaxMTU: 4096, ActiveMTU: d.mtu, GIDs: 1, PKeys: 1,
		MaxMessage: MaxMessage, Link: LinkEthernet,
	}
	if s := d.subnet(); s != nil {
		a.Link, a.LID, a.SMLID = LinkInfiniBand, d.LID(d.Addr().Addr()), s.Manager
	}
	if d.closed || d.down || d.port.Err() != nil {
		a.State = PortDown
	}
	return a
}

// QueryGID is an entry of the port's GID table, in the form of an address. It has one: see GID.
func (d *Device) QueryGID(index int) (netip.Addr, error) {
	if index != 0 {
		return netip.Addr{}, invalid("GID %d: the table has one entry, 0", index)
	}
	return netip.AddrFrom16(d.GID(d.Addr().Addr())).Unmap(), nil
}

// QueryPKey is an entry of the port's P_Key table. It has one: the default partition's (IBA vol. 1,
// A17.7).
func (d *Device) QueryPKey(index int) (uint16, error) {
	if index != 0 {
		return 0, invalid("P_Key %d: the table has one entry, 0", index)
	}
	return defaultPKey, nil
}

// SRQAttr are the attributes of a shared receive queue (ibv_query_srq(3)).
type SRQAttr struct {
	MaxWR, MaxSGE int
	Limit         int // see Arm; 0 is not armed
	Posted        int // receives not yet taken by a queue pair
}

// Query returns the attributes of the queue.
func (s *SRQ) Query() SRQAttr {
	s.pd.dev.port.Lock()
	defer s.pd.dev.port.Unlock()
	return SRQAttr{MaxWR: len(s.ring), MaxSGE: MaxSGE, Limit: s.limit, Posted: s.size}
}

// Capacity is the number of completions that the queue can hold.
func (c *CQ) Capacity() int { return int(c.capacity) }

// Access are the rights of the region.
func (m *MR) Access() Access { return m.access }

// Stats are the device's counters.
type Stats struct {
	PacketsSent, PacketsReceived int64
	BytesSent, BytesReceived     int64 // from the BTH to the ICRC
	// Datagrams are entries of system calls: GSO and GRO put many packets in one.
	DatagramsSent, DatagramsReceived int64
	NearSent, NearReceived           int64 // of them through shared memory
	// Placed are packets of READ responses whose payload the kernel put at its place.
	Placed    int64
	BadICRC   int64
	Malformed int64
	Lost      int64 // dropped because of Options.Lose
	// Misdirected are for an unknown queue pair, not from its peer, or of another partition.
	Misdirected               int64
	SolvedICRC                int64 // matched an IP identification other than weft's
	Repeated                  int64 // packets retransmitted
	Marked                    int64 // packets that arrived with a congestion mark
	CNPsSent, CNPsReceived    int64 // congestion notifications
	OutOfSequence, Duplicates int64 // requests ahead of and behind the expected PSN
	SequenceNAKs, RNRNAKs     int64 // that arrived
	Timeouts                  int64 // of acknowledgements
	// Reads, Writes and Atomics arrived: of WRITEs the first packet of each message.
	Reads, Writes, Atomics int64
	// ManagerDropped are messages to the connection manager that were invalid, or found no room.
	ManagerDropped int64
}

// Stats returns the counters since the device was opened.
func (d *Device) Stats() Stats {
	d.port.Lock()
	defer d.port.Unlock()
	s := d.port.Stats()
	out := Stats{
		ManagerDropped: d.rejected.Load(),
		PacketsSent:    s.PacketsOut, PacketsReceived: s.PacketsIn, BytesSent: s.BytesOut,
		BytesReceived: s.BytesIn,
		DatagramsSent: s.DatagramsOut, DatagramsReceived: s.DatagramsIn, NearSent: s.NearOut,
		NearReceived: s.NearIn, Placed: s.Placed,
		BadICRC: s.BadICRC, Malformed: s.Malformed, Lost: s.Lost, Misdirected: s.Misdirected,
		SolvedICRC: s.Solved, Repeated: s.Repeated,
		Marked: s.Marked, CNPsSent: s.CNPsOut, CNPsReceived: s.CNPsIn,
		OutOfSequence: s.OutOfSequence, Duplicates: s.Duplicates, SequenceNAKs: s.SequenceNAKs,
		RNRNAKs: s.RNRNAKs, Timeouts: s.Timeouts,
		Reads: s.Reads, Writes: s.Writes, Atomics: s.Atomics,
	}
	for q := range d.qps {
		out.Repeated += int64(q.end.QP.Repeated())
	}
	return out
}
