package protocol

import (
	"slices"

	"weft/internal/sim/transport/cc"
	"weft/units"
	"weft/wire"
)

// Protocol is the description of a protocol. It is read-only.
type Protocol struct {
	// Name is the protocol's name in scenarios and in the catalog, Title its name in sentences.
	Name, Title string
	// Port is the mechanism that keeps the buffers of ports from overflowing.
	Port Port
	// TCP is the place of its TCP, if it has one.
	TCP TCP
	// MTU is the valid sizes of packets.
	MTU MTU
	// Routing are the valid ways to choose paths, as in scenarios; nil is all.
	Routing []string

	// ServiceLevels gives packets a service level, which the fabric maps to virtual lanes; without
	// it they have an 802.1p priority.
	ServiceLevels bool
	// SubnetManager gives the fabric a Subnet Manager, which assigns LIDs and writes forwarding
	// tables; without it switches find their routes by BGP.
	SubnetManager bool
	// OneSegment keeps packets within one segment of Ethernet, where switches neither
	// route nor mark them: they have no IP header.
	OneSegment bool
	// Controls selects the congestion controls of its queue pairs.
	Controls cc.For
	// CNPs makes receivers answer marks with congestion notification packets.
	CNPs bool
	// MarksLeaving makes switches mark by the queue that a packet leaves behind, not by the queue
	// that it joins.
	MarksLeaving bool
	// Unordered makes queue pairs spray packets over entropy values, and deliver and retransmit
	// each packet by itself. Switches may trim packets.
	Unordered bool
	// Reads is true for a protocol with RDMA READ, the unreliable services, and receives that are
	// counted.
	Reads bool
	// OutOfOrder describes the handling of packets that arrive out of order; "": the NIC decides.
	OutOfOrder string

	// Settings has weft read, prove and write the settings of its switches and hosts.
	Settings bool
	// Planned has weft plan make designs of it.
	Planned bool
	// Logs are the names of its links in the logs of perftest and NCCL.
	Logs []string

	// Bytes is the length of a packet on the cable, between-packet gap included.
	Bytes func(op wire.Opcode, payload int, f Framing) int
	// Full is the payload of a full data packet and its length on the cable; nil: the
	// payload is the MTU.
	Full func(mtu int, f Framing) (payload, bytes int)
}

// Framing holds the properties that affect a packet's headers, apart from its protocol.
type Framing struct {
	wire.EthernetFraming
	GRH        bool // InfiniBand: a global route header
	Delimiters int  // InfiniBand: bytes of the line code around a packet
	Markers    bool // iWARP: markers in the stream
}

// Port is the mechanism that keeps the buffers of a fabric's ports from overflowing.
type Port uint8

// The kinds of port.
const (
	Pauses  Port = iota // Ethernet; a full buffer can pause its sender (PFC)
	Credits             // InfiniBand; a sender waits for credits
	Trims               // Ethernet; a full queue drops packets or trims them
)

// TCP is the place where the TCP of a protocol runs.
type TCP uint8

// The places.
const (
	NoTCP     TCP = iota
	KernelTCP     // the application has sockets
	NICTCP        // the application has RDMA
)

// MTU is the valid sizes of packets.
type MTU struct {
	Name        string // "an InfiniBand": for "an InfiniBand MTU of 3KiB ..."
	Least, Most units.Bytes
	Only        []units.Bytes // these sizes alone
	Want        string        // the valid sizes as a phrase
}

// Has reports whether a size is valid.
func (m *MTU) Has(size units.Bytes) bool {
	return slices.Contains(m.Only, size) || m.Only == nil && size >= m.Least && size <= m.Most
}

// All are the protocols, in the order in which errors and the schema name them.
var All = []*Protocol{&infiniBand, &roceV2, &roceV1, &ultraEthernet, &efa, &iwarp, &tcp}

// unknown is the protocol for a name that could not be read.
var unknown Protocol

// Of is the protocol with a name. An unknown name gives an empty description.
func Of[Name ~string](name Name) *Protocol {
	for _, p := range All {
		if p.Name == string(name) {
			return p
		}
	}
	return &unknown
}

// Names are the names of all protocols.
func Names() (names []string) {
	for _, p := range All {
		names = append(names, p.Name)
	}
	return names
}

// Ethernet reports whether the cables carry frames of Ethernet.
func (p *Protocol) Ethernet() bool { return p.Port != Credits }

// Link is the catalog's name of the cables and switches: infiniband or ethernet.
func (p *Protocol) Link() string {
	if p.Ethernet() {
		return "ethernet"
	}
	return "infiniband"
}

// OnTCP reports whether messages use TCP, in the kernel or in the NIC.
func (p *Protocol) OnTCP() bool { return p.TCP != NoTCP }

// NeedsPauses reports whether its queue pairs rely on Ethernet that pauses and drops nothing.
func (p *Protocol) NeedsPauses() bool { return p.Port == Pauses && !p.OnTCP() }

// RDMA reports whether the application has RDMA.
func (p *Protocol) RDMA() bool { return p.TCP != KernelTCP }

// FullPacket is the payload of a full data packet with an operation code, and its length
// on the cable.
func (p *Protocol) FullPacket(op wire.Opcode, mtu int, f Framing) (payload, bytes int) {
	if p.Full != nil {
		return p.Full(mtu, f)
	}
	return mtu, p.Bytes(op, mtu, f)
}
