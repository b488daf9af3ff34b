package protocol

import (
	"weft/internal/sim/transport/cc"
	"weft/units"
	"weft/wire"
)

// Protocol is the description of a protocol. It is read-only.
type Protocol struct {
	// Name is how scenarios and the catalog write it, Title how sentences do.
	Name, Title string
	// Port is how ports keep buffers from overflowing.
	Port Port
	// TCP says where its TCP runs.
	TCP TCP
	// MTU is the valid sizes of packets.
	MTU MTU
	// Routing are the valid ways to choose paths, as scenarios write them; nil is all.
	Routing []string

	// ServiceLevels has packets carry a service level, which the fabric maps to virtual
	// lanes; without it they carry an 802.1p priority.
	ServiceLevels bool
	// SubnetManager has a Subnet Manager assign LIDs and write forwarding tables;
	// without it switches find their routes by BGP.
	SubnetManager bool
	// OneSegment keeps packets within one segment of Ethernet, where switches neither
	// route nor mark them: they have no IP header.
	OneSegment bool
	// Controls says which congestion controls its queue pairs can have.
	Controls cc.For
	// CNPs has receivers answer marks with congestion notification packets.
	CNPs bool
	// MarksLeaving has switches mark by the queue that a packet leaves behind, not by
	// the queue that it joins.
	MarksLeaving bool
	// Unordered has queue pairs spray packets over entropy values, and deliver and send
	// again each by itself. Switches may trim packets.
	Unordered bool
	// Reads has RDMA READ, the unreliable services, and receives that are counted.
	Reads bool
	// OutOfOrder says what becomes of packets that arrive out of order; "": the NIC
	// decides.
	OutOfOrder string

	// Bytes is the length of a packet on the cable, between-packet gap included.
	Bytes func(op wire.Opcode, payload int, f Framing) int
	// Full is the payload of a full data packet and its length on the cable; nil: the
	// payload is the MTU.
	Full func(mtu int, f Framing) (payload, bytes int)
}

// Framing is what the headers of a packet depend on besides its protocol.
type Framing struct {
	wire.EthernetFraming
	GRH        bool // InfiniBand: a global route header
	Delimiters int  // InfiniBand: bytes of the line code around a packet
	Markers    bool // iWARP: markers in the stream
}

// Port is how the ports of a fabric keep buffers from overflowing.
type Port uint8

// The kinds of port.
const (
	Pauses  Port = iota // Ethernet; a full buffer can pause its sender (PFC)
	Credits             // InfiniBand; a sender waits for credits
	Trims               // Ethernet; a full queue drops packets or trims them
)

// TCP says where the TCP of a protocol runs.
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
	Want        string        // the valid sizes in words
}

// Has reports whether a size is valid.
func (m *MTU) Has(size units.Bytes) bool {
	for _, valid := range m.Only {
		if size == valid {
			return true
		}
	}
	return m.Only == nil && size >= m.Least && size <= m.Most
}

// All are the protocols, in the order in which errors and the schema name them.
var All = []*Protocol{&infiniBand, &roceV2, &roceV1, &ultraEthernet, &iwarp, &tcp}

// unknown stands for a protocol whose name could not be read.
var unknown Protocol

// Of is the protocol of a name. A name that no protocol has gives an empty description.
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

// Link is what the catalog calls the cables and switches: infiniband or ethernet.
func (p *Protocol) Link() string {
	if p.Ethernet() {
		return "ethernet"
	}
	return "infiniband"
}

// OnTCP reports whether messages go over TCP, of the kernel or of the NIC.
func (p *Protocol) OnTCP() bool { return p.TCP != NoTCP }

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
