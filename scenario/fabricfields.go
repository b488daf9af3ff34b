package scenario

import "weft/units"

// Fabric is one candidate network, complete. It may be given as the name of a
// preset.
type Fabric struct {
	// Preset is the catalog's entry that the fabric starts from.
	Preset string `yaml:"preset"`
	// Name is the fabric's label in tables; it is unique in a scenario and
	// defaults to the preset.
	Name string `yaml:"name"`
	// Kind is the protocol.
	Kind FabricKind `yaml:"kind"`
	// Link is the generation of all cables of the fabric.
	Link Link `yaml:"link"`
	// MTU is the RDMA path MTU, the most payload of a packet; for TCP it is
	// the IP MTU.
	MTU units.Bytes `yaml:"mtu" range:"256B..65536B"`
	// Headers is the number of bytes that each packet has on every cable besides those of
	// its protocol: 50 for a VXLAN that starts in the NIC. A negative number takes bytes away.
	Headers int `yaml:"headers,omitzero" range:"-128..1024"`
	// NIC is the network adapter.
	NIC NIC `yaml:"nic"`
	// Switch is the model of all switches.
	Switch Switch `yaml:"switch"`
	// Topology is how they are cabled.
	Topology Topology `yaml:"topology"`
	// Routing is how paths are chosen.
	Routing Routing `yaml:"routing"`
	// IB is the settings that InfiniBand alone has.
	IB InfiniBand `yaml:"ib"`
	// Ethernet is the settings that all fabrics but InfiniBand share.
	Ethernet Ethernet `yaml:"ethernet"`
	// Transport is the reliable connection of RDMA.
	Transport Transport `yaml:"transport"`
	// CC is the congestion control of RDMA.
	CC CC `yaml:"cc"`
	// TCP is the transport of sockets, in the kernel, and of iWARP, in the NIC.
	TCP TCP `yaml:"tcp"`
	// Host is the path of the data between GPU memory and NIC.
	Host Host `yaml:"host"`
	// Beside is other traffic that the fabric carries while a collective runs.
	Beside []Stream `yaml:"beside,omitzero"`
	// Inspection is a box in the path of each NIC that looks at every packet.
	Inspection Inspection `yaml:"inspection"`
	// Switches are settings of single switches that differ from the fabric's.
	Switches []SwitchSettings `yaml:"switches,omitzero"`
	// SlowLinks are cables of NICs that run slower than the others.
	SlowLinks []SlowLink `yaml:"slow-links,omitzero"`
}

// Inspection is a store-and-forward box (a firewall, an intrusion detection
// system) in the cable of each NIC port, which all of its packets pass in both
// directions.
type Inspection struct {
	// Latency is the time of a packet in the box, from its last bit in to its
	// first bit out. 0 and no rate: there is no box.
	Latency units.Time `yaml:"latency" range:"0..1ms"`
	// Rate is its throughput in each direction, at most the link's rate.
	Rate units.Rate `yaml:"rate" range:"1Mbps..100Tbps"`
}

// On reports whether there is a box.
func (i Inspection) On() bool { return i.Rate > 0 }

// ServiceLevel gives paths a service level. A condition that is left out holds
// for all.
type ServiceLevel struct {
	// From are the NICs that send: node3, node[0-7]/nic0, all or manager.
	From []string `yaml:"from,omitzero"`
	// To are the NICs that receive.
	To []string `yaml:"to,omitzero"`
	// Partition is the key of the path's partition.
	Partition PKey `yaml:"partition,omitzero" range:"0x0000..0x7fff"`
	// SL is the service level.
	SL int `yaml:"sl" range:"0..15"`
}

// Link is a generation of cable and transceiver. It may be given as the name
// of a generation.
type Link struct {
	// Generation is the catalog's entry: sdr … xdr, 25g … 800g.
	Generation string `yaml:"generation"`
	// Lanes is the number of lanes.
	Lanes int `yaml:"lanes" range:"1..16"`
	// LaneRate is the signalling rate of a lane.
	LaneRate units.Rate `yaml:"lane-rate" range:"1Mbps..1Tbps"`
	// Code is the share of the signalling rate that carries packets, line
	// coding and FEC together: 8/10, 64/66, 16/17.
	Code Ratio `yaml:"code"`
	// FECLatency is the latency of encoding and decoding on each link.
	FECLatency units.Time `yaml:"fec-latency" range:"0..100us"`
	// PerMetre is the propagation delay of a metre of cable.
	PerMetre units.Time `yaml:"per-metre" range:"1ps..1us"`
	// ErrorRate is the share of packets that arrive corrupted over each link and
	// are dropped, after FEC and link-level retransmission.
	ErrorRate Ratio `yaml:"error-rate"`
	// RawBER is the share of wrong bits before FEC, which corrects all but a residue.
	RawBER Ratio `yaml:"raw-ber,omitzero"`
	// EffectiveBER is the share of wrong bits after FEC, in place of RawBER.
	EffectiveBER Ratio `yaml:"effective-ber,omitzero"`
	// FEC is the code of forward error correction: a block that it cannot correct costs
	// every packet with a byte in it.
	FEC FEC `yaml:"fec"`
	// FECCodewords is the number of codewords that are interleaved in a block.
	FECCodewords int `yaml:"fec-codewords" range:"1..64"`
	// LLR says whether the link sends what is in such a block again (link-level retry),
	// so that the packets are late and not lost.
	LLR bool `yaml:"llr"`
}

// HasErrors reports whether packets can arrive corrupted.
func (l Link) HasErrors() bool {
	return l.ErrorRate.Num > 0 || l.RawBER.Num > 0 || l.EffectiveBER.Num > 0
}

// RateExact is the rate of the link as a fraction of bits per second (FDR's is
// no whole number).
func (l Link) RateExact() (num, den int64) {
	r := Ratio{Num: int64(l.LaneRate) * int64(l.Lanes), Den: 1}.Mul(l.Code)
	return r.Num, r.Den
}

// Rate is the rate of the link, rounded down to whole bits per second.
func (l Link) Rate() units.Rate {
	num, den := l.RateExact()
	if den == 0 {
		return 0
	}
	return units.Rate(num / den)
}

// Switch is a model of switch. It may be given as the name of a model.
type Switch struct {
	// Model is the catalog's entry.
	Model string `yaml:"model"`
	// Ports is the number of ports at Rate.
	Ports int `yaml:"ports" range:"1..16384"`
	// MaxPorts is the number of ports when they are split to lower rates.
	MaxPorts int `yaml:"max-ports" range:"1..16384"`
	// Rate is the fastest rate of a port.
	Rate units.Rate `yaml:"rate" range:"1Mbps..100Tbps"`
	// Latency is port to port, first bit in to first bit out, cut-through and
	// without contention.
	Latency units.Time `yaml:"latency" range:"0..1ms"`
	// Forwarding is cut-through or store-and-forward.
	Forwarding Forwarding `yaml:"forwarding"`
	// StreamingAggregation is the number of trees of SHARP's streaming aggregation that
	// the switch can serve at a time: none, one-per-switch or one-per-port.
	StreamingAggregation Aggregation `yaml:"streaming-aggregation,omitzero"`
	// Buffer is the shared packet buffer of an Ethernet switch (an InfiniBand
	// switch has IB.Buffer at each port).
	Buffer units.Bytes `yaml:"buffer" range:"0B..64GiB"`
	// Jitter is a seeded extra latency of each packet.
	Jitter Jitter `yaml:"jitter"`
	// Cell is the unit in which the shared buffer is given out.
	Cell units.Bytes `yaml:"cell" range:"0B..64KiB"`
	// MTU is the longest IP packet that a port of an Ethernet switch takes in; longer
	// ones are dropped. 0: any.
	MTU units.Bytes `yaml:"mtu,omitzero" range:"0B..16KiB"`
	// SONiC is a config_db.json, or its parts such as [qos.json, buffers.json], by
	// paths from the scenario's folder on: all switches have the buffers, thresholds,
	// marking, queues and priorities that it gives a port. Values that the scenario
	// itself states come before it.
	SONiC []string `yaml:"sonic,omitzero"`
	// SONiCPort is that port; needed if ports of the link's rate differ.
	SONiCPort string `yaml:"sonic-port,omitzero"`
}

// PortsAt is the number of ports that the switch has at a rate.
func (s Switch) PortsAt(r units.Rate) int {
	if r <= 0 || r > s.Rate {
		return 0
	}
	return max(s.Ports, min(s.MaxPorts, int(int64(s.Ports)*int64(s.Rate/r))))
}

// Topology is how hosts and switches are cabled. A field that does not apply to
// the shape is 0 (topologyFields says which apply); the counts marked "0: as
// many as needed" are left to the builder of the shape, whose rule the package
// topology states.
type Topology struct {
	// Shape is the kind of topology.
	Shape Shape `yaml:"shape"`
	// PlaneShape is the shape of one plane of dual-plane: single-switch,
	// fat-tree or rail-optimised.
	PlaneShape Shape `yaml:"plane-shape,omitzero"`
	// Radix is the number of ports of a switch that may be used. The default is
	// the smallest switch among the fabrics, so that all are cabled alike.
	Radix int `yaml:"radix,omitzero" range:"2..16384"`
	// Levels is the number of switch levels of a fat tree, 2 or 3 (a
	// rail-optimised fabric has as many as it needs).
	Levels int `yaml:"levels,omitzero" range:"2..3"`
	// Oversubscription is leaf downlinks to leaf uplinks: 1, 2, 3:1, …
	Oversubscription Ratio `yaml:"oversubscription,omitzero"`
	// SpineOversubscription is spine downlinks to spine uplinks, if there
	// are cores.
	SpineOversubscription Ratio `yaml:"spine-oversubscription,omitzero"`
	// HostsPerLeaf is the number of NIC ports on a leaf (on a switch of
	// dragonfly and torus). 0: as many as the oversubscription leaves.
	HostsPerLeaf int `yaml:"hosts-per-leaf,omitzero" range:"0..16384"`
	// Spines is the number of spines: of the fabric with two levels, of a pod
	// or rail with three, of a group of dragonfly-plus. 0: as many as needed.
	Spines int `yaml:"spines,omitzero" range:"0..16777216"`
	// Cores is the number of cores of each plane of the third level. 0: as
	// many as needed.
	Cores int `yaml:"cores,omitzero" range:"0..16777216"`
	// Rails is the number of rails of a rail-optimised fabric: NIC i of every
	// node is on rail i mod Rails.
	Rails int `yaml:"rails,omitzero" range:"1..1024"`
	// NodesPerUnit is the number of nodes of a scalable unit, which share their
	// leaves. 0: as many as the oversubscription leaves.
	NodesPerUnit int `yaml:"nodes-per-unit,omitzero" range:"0..16384"`
	// UFM gives the place of one node of the last unit to the fabric's manager.
	UFM bool `yaml:"ufm,omitzero"`
	// SparePorts is the number of ports for NICs that the leaves of each plane keep free:
	// for storage, gateways, growth. The levels above have capacity for them.
	SparePorts int `yaml:"spare-ports,omitzero" range:"0..16777216"`
	// Planes is the number of planes: equal fabrics, one per port of a NIC.
	Planes int `yaml:"planes,omitzero" range:"2..16"`
	// Groups is the number of groups of dragonfly and dragonfly-plus.
	Groups int `yaml:"groups,omitzero" range:"1..1048576"`
	// SwitchesPerGroup is the number of switches of a dragonfly's group, of
	// leaves of a dragonfly-plus's.
	SwitchesPerGroup int `yaml:"switches-per-group,omitzero" range:"1..16384"`
	// GlobalLinks is the number of links to other groups per switch
	// (dragonfly) or per spine (dragonfly-plus).
	GlobalLinks int `yaml:"global-links,omitzero" range:"0..16384"`
	// Dims is the number of switches along each dimension of a torus.
	Dims []int `yaml:"dims,omitzero" range:"2..65536"`
	// LinksPerDim is the number of parallel cables between neighbours of a
	// torus.
	LinksPerDim int `yaml:"links-per-dim,omitzero" range:"1..1024"`
	// File is a file of a real fabric as it is cabled: the output of ibnetdiscover or iblinkinfo, a cabling plan, a
	// folder of switch configurations. The topology is then listed, and its devices and links are the file's.
	File string `yaml:"file,omitzero"`
	// Links are all cables of a listed topology.
	Links []TopologyLink `yaml:"links,omitzero"`
	// Devices are the devices of a real fabric, by number. Empty: they have the usual names.
	Devices []TopologyDevice `yaml:"devices,omitzero"`
	// Others is the number of the last NICs in Devices, which are of hosts that are no nodes of the cluster: they carry
	// no load.
	Others int `yaml:"others,omitzero" range:"0..16777216"`
	// Cables is the length of each kind of cable. Links have their own.
	Cables Cables `yaml:"cables"`
}

// Cables is the length of each kind of cable.
type Cables struct {
	// NodeLeaf is from NIC to first switch.
	NodeLeaf units.Length `yaml:"node-leaf" range:"1mm..100km"`
	// LeafSpine is from leaf to spine.
	LeafSpine units.Length `yaml:"leaf-spine" range:"1mm..100km"`
	// SpineCore is from spine to core.
	SpineCore units.Length `yaml:"spine-core" range:"1mm..100km"`
	// Local is between switches of a dragonfly's group or neighbours of a
	// torus.
	Local units.Length `yaml:"local" range:"1mm..100km"`
	// Global is between groups.
	Global units.Length `yaml:"global" range:"1mm..100km"`
}

// Routing is how paths are chosen.
type Routing struct {
	// Mode is the load balancing.
	Mode RoutingMode `yaml:"mode"`
	// Tables is the files, or a folder, with the tables of a real fabric (topology.file) of InfiniBand: opensm-lfts.dump,
	// opensm.fdbs, or the output of dump_fts or ibroute; and what else there is: SL2VL tables, service levels of paths.
	// They take the place of ib.engine.
	Tables []string `yaml:"tables,omitzero"`
	// Forwarding is these tables in a resolved scenario: for each switch the port to each NIC, two hexadecimal digits
	// each, ff for none. With several LIDs (lmc) the ports to all second LIDs follow those to the first ones, and so on.
	Forwarding []PortRow `yaml:"forwarding,omitzero"`
	// LMC is the number of LIDs of a NIC in these tables, as a power of 2.
	LMC int `yaml:"lmc,omitzero" range:"0..7"`
	// LIDs says which LIDs of a NIC connections use: the first, or all, spread over the connections by a hash.
	LIDs LIDChoice `yaml:"lids,omitzero"`
	// Levels are the service levels of paths in these tables: for each NIC that of the path to each, a hexadecimal digit,
	// in the order of forwarding. Empty: all packets are on ib.sl.
	Levels []Runs `yaml:"levels,omitzero"`
	// LevelLanes are the SL2VL tables, by switch: 16 hexadecimal digits for each input port from 1, and in it for each
	// output port; empty for a switch without one. Without any a level's lane is its number.
	LevelLanes []Runs `yaml:"level-lanes,omitzero"`
	// NICLanes are the SL2VL tables of NICs, 16 hexadecimal digits each; empty for a NIC without one, whose lane is the
	// level modulo the number of lanes.
	NICLanes []Runs `yaml:"nic-lanes,omitzero"`
	// HashSeed, together with run.seed, seeds all that a network draws: the hash of
	// ECMP and flowlets, marks, losses. Another number gives another draw with the
	// same run.seed; none pins the hash, because each run.seed draws again.
	HashSeed uint32 `yaml:"hash-seed"`
	// Hash is what ECMP and flowlets hash of a packet; flow if it is left out. SONiC's SWITCH_HASH gives it.
	Hash HashFields `yaml:"hash,omitzero"`
	// HashFunction is the algorithm and the seed of the hash, such as crc/10: switches with the same one choose alike among
	// as many ports, so that those behind one another use a part of their ports alone. Without it each switch hashes in its own
	// way.
	HashFunction string `yaml:"hash-function,omitzero"`
	// MaxPaths is the number of equally short paths that a switch uses at most, as maximum-paths of BGP: those at its ports
	// with the lowest numbers. 0: all.
	MaxPaths int `yaml:"max-paths,omitzero" range:"0..65535"`
	// ASN is the number of a switch's autonomous system, for switches. 0: not known.
	ASN uint32 `yaml:"asn,omitzero"`
	// MultipathRelax lets a switch use paths through different autonomous systems beside one another, as bestpath as-path
	// multipath-relax of BGP. It matters where asn is known; elsewhere all equally short paths are used.
	MultipathRelax bool `yaml:"multipath-relax,omitzero"`
	// FlowletGap is the silence after which a flow may change its path.
	FlowletGap units.Time `yaml:"flowlet-gap" range:"0..1s"`
	// AdaptiveThreshold is the number of bytes more than the shortest queue that
	// the preferred path may have before adaptive routing leaves it.
	AdaptiveThreshold units.Bytes `yaml:"adaptive-threshold" range:"0B..1GiB"`
}

// InfiniBand is the settings that InfiniBand alone has.
type InfiniBand struct {
	// Engine is the routing engine of the Subnet Manager, which writes the
	// forwarding tables. With adaptive routing the tables give the preferred port.
	Engine RoutingEngine `yaml:"engine"`
	// BySpeed has the engine count paths relative to the rate of each cable, so that slow cables between switches get
	// fewer. The engine auto is then updn.
	BySpeed bool `yaml:"by-speed,omitzero"`
	// VLs is the number of data virtual lanes.
	VLs int `yaml:"vls" range:"1..15"`
	// Buffer is the input buffer of a virtual lane at a switch port; its
	// credits are Buffer/64, at most the 2048 that FCCL can say.
	Buffer units.Bytes `yaml:"buffer" range:"64B..128KiB"`
	// NICBuffer is the same at a NIC port.
	NICBuffer units.Bytes `yaml:"nic-buffer" range:"64B..128KiB"`
	// SL is the service level of the workload's traffic.
	SL int `yaml:"sl" range:"0..15"`
	// AckSL is the service level of acknowledgements.
	AckSL int `yaml:"ack-sl" range:"0..15"`
	// SL2VL maps a service level to a virtual lane; 15 discards the level.
	SL2VL [16]int `yaml:"sl2vl" range:"0..15"`
	// VLArbHigh is the table of high priority.
	VLArbHigh []VLWeight `yaml:"vlarb-high"`
	// VLArbLow is the table of low priority.
	VLArbLow []VLWeight `yaml:"vlarb-low"`
	// HighLimit is the number of blocks of 4 KiB of high priority that may pass
	// before low priority gets a turn; 255 is no limit, 0 one packet.
	HighLimit int `yaml:"high-limit" range:"0..255"`
	// NICVLArb is the arbitration at the ports of NICs. Empty: as at switches.
	NICVLArb VLArbitration `yaml:"nic-vlarb,omitzero"`
	// CreditUpdate is the longest time that freed room waits after a virtual
	// lane's flow control packet for the next.
	CreditUpdate units.Time `yaml:"credit-update" range:"1ns..1s"`
	// CreditThreshold is the number of bytes whose time on the link is enough
	// between two flow control packets.
	CreditThreshold units.Bytes `yaml:"credit-threshold" range:"64B..128KiB"`
	// HOQLifetime is how long a packet may wait at the head of a switch's
	// queue before it is discarded; forever turns it off.
	HOQLifetime units.Time `yaml:"hoq-lifetime" range:"1us..forever"`
	// LeafHOQLifetime is the same at ports to hosts.
	LeafHOQLifetime units.Time `yaml:"leaf-hoq-lifetime" range:"1us..forever"`
	// VLStallCount is the number of packets in a row that a lane discards by
	// their lifetime before it is stalled: it then discards everything for eight
	// lifetimes. 0: it never is.
	VLStallCount int `yaml:"vl-stall-count" range:"0..7"`
	// LeafVLStallCount is the same at ports to hosts.
	LeafVLStallCount int `yaml:"leaf-vl-stall-count" range:"0..7"`
	// Queueing is voq (virtual output queues) or fifo at a switch's input.
	Queueing Queueing `yaml:"queueing"`
	// Speedup is the number of packets that an input buffer can feed to different
	// outputs at the same time, rounded up to a whole number.
	Speedup Ratio `yaml:"speedup"`
	// GRH adds a global route header of 40 bytes to each packet.
	GRH bool `yaml:"grh"`
	// SHARP has the switches reduce for collectives, by streaming aggregation: each
	// group of ranks has a tree for each of its rails, as far as switches serve them.
	SHARP bool `yaml:"sharp"`
	// SHARPLatency is the time of a switch's aggregation unit, besides forwarding.
	SHARPLatency units.Time `yaml:"sharp-latency" range:"0..100us"`
	// Partitions are the groups of NICs that may talk to each other. Without any, every
	// port is a full member of the default partition; with some, a port that no rule
	// names is a limited member of it, as with OpenSM.
	Partitions []Partition `yaml:"partitions,omitzero"`
	// PartitionsConf is a partitions.conf of OpenSM, beside the scenario, to
	// read them from.
	PartitionsConf string `yaml:"partitions-conf,omitzero"`
	// PartitionEnforcement is the check of P_Keys besides the HCA's: both,
	// in or out at the switch ports to NICs, or off.
	PartitionEnforcement Enforcement `yaml:"partition-enforcement,omitzero"`
	// OpenSMConf is an opensm.conf of OpenSM, NVIDIA's OpenSM or UFM, beside the scenario, whose QoS keys give
	// sl2vl, the arbitration tables and their limit; ar_mode and ar_sl_mask give routing.mode, sharp_enabled
	// gives sharp, partition_config_file partitions-conf.
	OpenSMConf string `yaml:"opensm-conf,omitzero"`
	// QoSPolicy is a qos-policy.conf of OpenSM, beside the scenario, to read
	// service-levels from.
	QoSPolicy string `yaml:"qos-policy,omitzero"`
	// ServiceLevels give paths their service level. The first that fits counts; a path
	// that none fits has ib.sl.
	ServiceLevels []ServiceLevel `yaml:"service-levels,omitzero"`
}

// VLWeight is an entry of a VL arbitration table.
type VLWeight struct {
	// VL is the virtual lane.
	VL int `yaml:"vl" range:"0..14"`
	// Weight is its share in units of 64 bytes.
	Weight int `yaml:"weight" range:"0..255"`
}

// VLArbitration is the arbitration tables of a kind of port.
type VLArbitration struct {
	// High is the table of high priority.
	High []VLWeight `yaml:"high,omitzero"`
	// Low is the table of low priority.
	Low []VLWeight `yaml:"low,omitzero"`
	// Limit is the number of blocks of 4 KiB of high priority that may pass before low
	// priority gets a turn; 255 is no limit, 0 one packet.
	Limit int `yaml:"limit,omitzero" range:"0..255"`
}

// Ethernet is the classes, flow control and marking of all fabrics but InfiniBand.
type Ethernet struct {
	// IPVersion is 4 or 6.
	IPVersion int `yaml:"ip-version" range:"4..6"`
	// VLAN adds a tag of 4 bytes.
	VLAN bool `yaml:"vlan"`
	// DSCP is the DSCP of data and acknowledgements. switch.sonic finds their class by it,
	// and an exported configuration is made for it. The simulator itself uses the
	// priorities.
	DSCP int `yaml:"dscp" range:"0..63"`
	// CNPDSCP is the DSCP of congestion notifications.
	CNPDSCP int `yaml:"cnp-dscp" range:"0..63"`
	// DataPriority is the 802.1p priority of data.
	DataPriority int `yaml:"data-priority" range:"0..7"`
	// AckPriority is the priority of acknowledgements.
	AckPriority int `yaml:"ack-priority" range:"0..7"`
	// CNPPriority is the priority of congestion notifications.
	CNPPriority int `yaml:"cnp-priority" range:"0..7"`
	// Queues is how each of the eight priorities is served at egress.
	Queues []Queue `yaml:"queues"`
	// PFC is priority flow control and the ingress side of the buffer.
	PFC PFC `yaml:"pfc"`
	// ECN is marking at egress.
	ECN ECN `yaml:"ecn"`
	// Shared is the part of the switch's buffer that ports share. 0: the buffer less
	// Reserve and Headroom of the ports in use.
	Shared units.Bytes `yaml:"shared,omitzero" range:"0B..64GiB"`
	// EgressAlpha is the dynamic threshold of a lossy egress queue over the
	// free shared buffer.
	EgressAlpha Ratio `yaml:"egress-alpha"`
	// Trim is Ultra Ethernet's trimming of packets that have no room.
	Trim Trim `yaml:"trim,omitzero"`
}

// Queue is how a priority is served at an egress port.
type Queue struct {
	// Priority is the 802.1p priority.
	Priority int `yaml:"priority" range:"0..7"`
	// Schedule is strict or dwrr.
	Schedule Schedule `yaml:"schedule"`
	// Weight is the share among dwrr queues; 0 for strict.
	Weight int `yaml:"weight" range:"0..1000000"`
}

// PFC is priority flow control (802.1Qbb) with the ingress accounting that
// decides about it.
type PFC struct {
	// Enabled turns it on.
	Enabled bool `yaml:"enabled"`
	// Priorities are the lossless priorities.
	Priorities []int `yaml:"priorities" range:"0..7"`
	// Alpha is the dynamic XOFF threshold over the free shared buffer.
	Alpha Ratio `yaml:"alpha"`
	// Reserve is each port and priority's own buffer, before the shared one.
	Reserve units.Bytes `yaml:"reserve" range:"0B..1GiB"`
	// XOFF is a static threshold of a port and priority; 0 uses Alpha.
	XOFF units.Bytes `yaml:"xoff" range:"0B..64GiB"`
	// XONOffset is how far below the threshold the pause ends.
	XONOffset units.Bytes `yaml:"xon-offset" range:"0B..1GiB"`
	// XON is the queue length, reserve included, at which the pause ends, whatever the
	// threshold. 0 leaves it to XONOffset; if both are given, the first that is reached
	// ends it.
	XON units.Bytes `yaml:"xon,omitzero" range:"0B..1GiB"`
	// Headroom is the buffer of each port and priority for packets that arrive
	// after XOFF.
	Headroom units.Bytes `yaml:"headroom" range:"0B..64GiB"`
	// Classes are priorities whose part of the buffer differs from that of the others.
	Classes []PFCClass `yaml:"classes,omitzero"`
	// HeadroomPool is the size of a headroom pool that all ports and priorities share,
	// each up to its Headroom. 0: each has its own.
	HeadroomPool units.Bytes `yaml:"headroom-pool,omitzero" range:"0B..64GiB"`
	// Quanta is the pause time of a PFC frame in units of 512 bit times.
	Quanta int `yaml:"quanta" range:"1..65535"`
	// Response is how long the peer takes to obey, after the frame's last
	// bit and besides the packet that it is sending.
	Response units.Time `yaml:"response" range:"0..100s"`
	// Stops are the priorities whose pause stops an egress queue of a switch other than
	// their own, because a map of priorities to queues is wrong. NICs stop their own.
	Stops []Stop `yaml:"stops,omitzero"`
	// LinkPause replaces PFC by the pauses of IEEE 802.3 Annex 31B: the lossless
	// priorities ask for them as before, and they stop all priorities of a link.
	LinkPause bool `yaml:"link-pause,omitzero"`
	// Watchdog is the PFC watchdog, which ends storms.
	Watchdog Watchdog `yaml:"watchdog"`
	// Receivers are NICs that take data in more slowly than their links bring
	// them, or not at all.
	Receivers []Receiver `yaml:"receivers,omitzero"`
}

// PFCClass is the part of a switch's buffer that a priority has at each port. What is left out is 0, and Alpha that of all
// priorities.
type PFCClass struct {
	// Priority is the priority.
	Priority int `yaml:"priority" range:"0..7"`
	// Headroom is as that of all priorities.
	Headroom units.Bytes `yaml:"headroom" range:"0B..1GiB"`
	// Reserve is as that of all priorities.
	Reserve units.Bytes `yaml:"reserve,omitzero" range:"0B..1GiB"`
	// XON is as that of all priorities.
	XON units.Bytes `yaml:"xon,omitzero" range:"0B..1GiB"`
	// Alpha is as that of all priorities.
	Alpha Ratio `yaml:"alpha,omitzero"`
}

// Stop is the egress queue that a pause of a priority stops at a switch.
type Stop struct {
	// Priority is the priority of the pause.
	Priority int `yaml:"priority" range:"0..7"`
	// Queue is the queue; -1 is none.
	Queue int `yaml:"queue" range:"-1..7"`
}

// Watchdog is the PFC watchdog of the switches, at each port and lossless
// priority. SONiC's takes times of 100 ms and more.
type Watchdog struct {
	// Enabled turns it on.
	Enabled bool `yaml:"enabled"`
	// Detection is how long a paused queue may send nothing before it is in a
	// storm.
	Detection units.Time `yaml:"detection" range:"1us..60s"`
	// Restoration is how long no pause may be in force before the queue is
	// served as usual again.
	Restoration units.Time `yaml:"restoration" range:"1us..60s"`
	// Poll is how often the queues are looked at.
	Poll units.Time `yaml:"poll" range:"1us..60s"`
	// Action is drop, forward or alert.
	Action WatchdogAction `yaml:"action"`
}

// Receiver is a NIC that takes data in more slowly than its link brings them, or
// not at all.
type Receiver struct {
	// NIC is its number, counted over the cluster.
	NIC int `yaml:"nic" range:"0..16777216"`
	// NICs, instead of nic, are NICs by name: node3, node[0-7]/nic0.
	NICs []string `yaml:"nics,omitzero"`
	// Drain is the rate at which the NIC takes packets in. 0bps is a failed NIC:
	// it pauses its switch without end.
	Drain units.Rate `yaml:"drain" range:"0bps..100Tbps"`
	// Buffer is its receive buffer. The default is twice the headroom.
	Buffer units.Bytes `yaml:"buffer" range:"0B..1GiB"`
	// Headroom is the part of the buffer for packets that arrive after a pause. The NIC
	// pauses its switch when the rest is full, and ends the pause at one half of the
	// rest. The default is one half of the buffer.
	Headroom units.Bytes `yaml:"headroom,omitzero" range:"0B..1GiB"`
	// Start is the time from which it is slow.
	Start units.Time `yaml:"start" range:"0..forever"`
	// Duration is how long it is slow; 0 is to the end.
	Duration units.Time `yaml:"duration" range:"0..forever"`
}

// ECN is marking at an egress queue (RFC 3168, WRED profile).
type ECN struct {
	// Enabled turns it on.
	Enabled bool `yaml:"enabled"`
	// Kmin is the queue length at which marking starts.
	Kmin units.Bytes `yaml:"kmin" range:"0B..64GiB"`
	// Kmax is the queue length from which all packets are marked.
	Kmax units.Bytes `yaml:"kmax" range:"0B..64GiB"`
	// Pmax is the probability of marking just below Kmax.
	Pmax Ratio `yaml:"pmax"`
}

// Transport is RDMA's reliable connection.
type Transport struct {
	// AckEvery is the largest number of packets that one acknowledgement covers; a
	// message's last packet is always acknowledged.
	AckEvery int `yaml:"ack-every" range:"1..65536"`
	// Timeout is the local acknowledgement timeout.
	Timeout units.Time `yaml:"timeout" range:"1us..forever"`
	// Retransmission is adaptive or fixed: adaptive follows the NIC's schedule, for which
	// the timeout is a bound; fixed takes the timeout as it is. The default is adaptive
	// if the NIC has a schedule and the scenario gives no timeout.
	Retransmission Retransmission `yaml:"retransmission"`
	// Retry is the number of retries before the queue pair fails.
	Retry int `yaml:"retry" range:"0..7"`
	// Recovery is how lost packets are sent again: go-back-n or
	// selective-repeat.
	Recovery Recovery `yaml:"recovery"`
	// RNRTimer is the wait after a receiver-not-ready NAK, rounded up to the
	// next of the 31 times that the NAK can say.
	RNRTimer units.Time `yaml:"rnr-timer" range:"10us..655360us"`
	// RNRRetry is the number of such waits in a row; 7 is without end.
	RNRRetry int `yaml:"rnr-retry" range:"0..7"`
	// QPsPerConnection is the number of queue pairs of a pair of ranks in a
	// channel.
	QPsPerConnection int `yaml:"qps-per-connection" range:"1..128"`
	// SplitData spreads each message over all queue pairs; otherwise messages
	// take turns.
	SplitData bool `yaml:"split-data"`
	// Entropy is how an Ultra Ethernet sender chooses the entropy value of each
	// packet: oblivious or recycled.
	Entropy Entropy `yaml:"entropy,omitzero"`
	// EntropyValues is the number of entropy values of a queue pair of Ultra Ethernet.
	EntropyValues int `yaml:"entropy-values,omitzero" range:"0..256"`
	// AdaptiveRouting says whether NCCL divides messages for adaptive routing
	// (NCCL_IB_ADAPTIVE_ROUTING). NCCL's default is true on InfiniBand and false on Ethernet.
	// It does not change the switches' routing.mode. A message that is not divided is one WRITE
	// with immediate data; if packets are delivered out of order, the network keeps those of such
	// a WRITE in order, on one path.
	AdaptiveRouting bool `yaml:"adaptive-routing"`
	// ARThreshold is the length above which, with adaptive-routing, a collective's message goes as
	// a WRITE of its data and, when that is acknowledged, a WRITE of no bytes with immediate data,
	// if packets are delivered out of order (NCCL_IB_AR_THRESHOLD).
	ARThreshold units.Bytes `yaml:"ar-threshold" range:"0B..8GiB"`
	// OOORQ has both ends take the packets of messages with immediate data in any order, so that no
	// message is divided or kept on one path (NCCL_IB_OOO_RQ). It needs adaptive-routing, NCCL 2.30
	// and a NIC with out-of-order-receives.
	OOORQ bool `yaml:"ooo-rq"`
	// PacketWindow is the most unacknowledged packets of a queue pair. The default is 512
	// with selective repeat on InfiniBand and RoCE, else the most that PSNs can tell apart.
	PacketWindow int `yaml:"packet-window" range:"0..8388607"`
	// Window is the most unacknowledged bytes of a queue pair.
	Window units.Bytes `yaml:"window" range:"256B..8GiB"`
}

// CCParameter is a parameter of a congestion control.
type CCParameter struct {
	// Name is the name that the algorithm gives it.
	Name string `yaml:"name"`
	// Value is a time, a rate, a size, a fraction or a whole number, by the algorithm's
	// declaration.
	Value string `yaml:"value"`
}

// CC is RDMA congestion control. It may be given as the name of a preset
// (dcqcn-firmware, dcqcn-amd, dcqcn-paper, dcqcn-ns3, rttcc, timely, swift, hpcc, ib-cc, nscc, none).
type CC struct {
	// Preset is the catalog's entry.
	Preset string `yaml:"preset"`
	// Algorithm is none, dcqcn, rttcc, timely, swift or hpcc (RoCE v2), ib-cc (InfiniBand)
	// or nscc (Ultra Ethernet). The fields that follow are parameters of one or several
	// algorithms.
	Algorithm CCAlgorithm `yaml:"algorithm"`
	// Parameters are the same fields as a list, for programs in Go.
	Parameters []CCParameter `yaml:"parameters,omitzero"`

	// fields are the parameters by name, each a pointer to its value.
	fields map[string]any
}

// TCP is the transport of sockets, in the kernel, and of iWARP, in the NIC.
type TCP struct {
	// Variant is cubic or dctcp.
	Variant TCPVariant `yaml:"variant"`
	// Sockets is the number of sockets between a pair of ranks in a channel: NCCL's
	// NCCL_SOCKET_NTHREADS × NCCL_NSOCKS_PERTHREAD. Messages are divided among them.
	Sockets int `yaml:"sockets" range:"1..256"`
	// Threads is the number of threads that serve these sockets at each end, each on a core
	// (NCCL_SOCKET_NTHREADS). 0: the rank's one thread serves the sockets of all its
	// connections. The default is one for each of several sockets, at most 16.
	Threads int `yaml:"threads" range:"0..16"`
	// InitialWindow is in segments.
	InitialWindow int `yaml:"initial-window" range:"1..65535"`
	// MaxWindow is the largest window of a socket (its buffer).
	MaxWindow units.Bytes `yaml:"max-window" range:"1KiB..1GiB"`
	// MinRTO is the least retransmission timeout.
	MinRTO units.Time `yaml:"min-rto" range:"1us..100s"`
	// AckEvery is the number of segments that one acknowledgement covers.
	AckEvery int `yaml:"ack-every" range:"1..65536"`
	// DelayedAck is how long an acknowledgement waits for a second segment.
	DelayedAck units.Time `yaml:"delayed-ack" range:"1ps..1s"`
	// Segment is the largest piece that the kernel hands to the NIC (TSO).
	Segment units.Bytes `yaml:"segment" range:"512B..512KiB"`
	// MPAMarkers puts the markers of MPA into the stream of iWARP, 4 bytes in every
	// 512.
	MPAMarkers bool `yaml:"mpa-markers,omitzero"`
	// Tick is the granularity of the kernel's timers, used when run.jitter is
	// on: each host's ticks have a phase of their own.
	Tick units.Time `yaml:"tick" range:"1us..1s"`
}

// Host is the path of the data between GPU memory and NIC. It may be given as
// the name of a path.
type Host struct {
	// Path is cpu, rdma-host, gpudirect-p2p or gpudirect-rdma.
	Path HostPath `yaml:"path"`
	// Post is the CPU's time to post a work request, doorbell included.
	Post units.Time `yaml:"post" range:"0..1s"`
	// Poll is from the completion in memory to the program that sees it.
	Poll units.Time `yaml:"poll" range:"0..1s"`
	// MaxInlineData is the longest message whose data the CPU writes to the NIC with the work request, as
	// ibv_qp_cap's max_inline_data: the NIC does not read them. Of data in host memory. 0: none.
	MaxInlineData units.Bytes `yaml:"max-inline-data" range:"0B..1KiB"`
	// Copies is the number of copies that a CPU or GPU engine makes at each
	// side, beyond the NIC's own DMA.
	Copies int `yaml:"copies" range:"0..16"`
	// CopyStart is the fixed cost of one such copy.
	CopyStart units.Time `yaml:"copy-start" range:"0..1s"`
	// CopyRate is the rate of one such copy.
	CopyRate units.Rate `yaml:"copy-rate" range:"0bps..100Tbps"`
	// Syscall is the kernel's time per send or receive call.
	Syscall units.Time `yaml:"syscall" range:"0..1s"`
	// PerSegment is the stack's time per piece handed to or from the NIC.
	PerSegment units.Time `yaml:"per-segment" range:"0..1s"`
	// Interrupt is from the NIC's interrupt to the program that runs again.
	Interrupt units.Time `yaml:"interrupt" range:"0..1s"`
	// Jitter is a seeded extra delay of each message at each side.
	Jitter Jitter `yaml:"jitter"`
}

// Jitter is a seeded random delay, used when run.jitter is on.
type Jitter struct {
	// Distribution is none, exponential or lognormal.
	Distribution Distribution `yaml:"distribution"`
	// Mean is its mean.
	Mean units.Time `yaml:"mean" range:"0..1s"`
	// Sigma is lognormal's shape.
	Sigma Ratio `yaml:"sigma"`
}
