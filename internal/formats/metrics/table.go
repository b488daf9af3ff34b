package metrics

import (
	"fmt"
	"strings"

	dto "github.com/prometheus/client_model/go"

	"weft/units"
)

// Subject is what a metric counts.
type Subject string

// The subjects. Their labels are those of the original exporters, and for all but collectives instance, the
// host; a fabric of weft is in fabric.
const (
	OfPort       Subject = "port of a NIC"      // device (mlx5_0), port
	OfNetdev     Subject = "interface of a NIC" // device (eth0)
	OfSwitch     Subject = "switch"             // guid, switch
	OfSwitchPort Subject = "port of a switch"   // guid, port
	OfQueue      Subject = "queue of a switch"  // device (Ethernet0), queue
	OfGPU        Subject = "GPU"                // gpu, UUID, device, Hostname
	OfCollective Subject = "collective"         // as NCCL Inspector's
	OfFabric     Subject = "fabric"             // fabric
	OfRun        Subject = "run"
)

// Row is a metric.
type Row struct {
	Name    string   // %d is a priority, 0 to 7
	Also    []string // names of the same counter at other exporters: they are read, and not written
	Type    dto.MetricType
	Unit    string
	Of      Subject
	Only    string // the protocols that have it begin so; empty: all
	Help    string // of node_exporter's metrics the original, which its textfile collector compares
	Source  string // of the name
	Counter string // of Linux, or the exporter's field
	Counts  string // what weft counts under this name
	// More and Less say what a value means that is above or below the peers'; empty if it means nothing.
	More, Less string
	// Damage says that a sound link has none of it, so that few peers suffice to see one that has.
	Damage bool
	// Near is the place of the meaning in the order of causes, the nearest first: a link's state, rate and errors;
	// the host that stops its switch; losses; waits; traffic, which follows from all of them.
	Near int

	live bool                                // a live device counts it, too
	port func(p *Port, priority int) float64 // of ports of NICs and switches
	gpu  func(g *GPU) float64
	run  func(s *Snapshot) float64
}

const (
	counter = dto.MetricType_COUNTER
	gauge   = dto.MetricType_GAUGE
	untyped = dto.MetricType_UNTYPED

	infiniband = "infiniband"
	roce       = "roce"

	nodeInfiniband = "node_exporter, infiniband"
	nodeEthtool    = "node_exporter, ethtool"
	ibExporter     = "infiniband_exporter, switch"
	hcaExporter    = "infiniband_hca_port_"
	sonicExporter  = "sonic-exporter, queue"
	rdmaExporter   = "rdma_"
)

// Names of metrics that code outside of the table uses.
const (
	RateName      = "node_infiniband_rate_bytes_per_second"
	SimulatedName = "weft_simulated_seconds_total"
	busBandwidth  = "nccl_bus_bandwidth_gbs"
	nvlinkSent    = "DCGM_FI_PROF_NVLINK_TX_BYTES"
	nvlinkTaken   = "DCGM_FI_PROF_NVLINK_RX_BYTES"
	nvlinkBoth    = "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL"
)

// hw is a row of an adapter's hw_counters.
func hw(name, file, only, help, counts string, of func(p *Port) int64) Row {
	return Row{
		Name: "node_infiniband_" + name, Also: []string{rdmaExporter + file + "_total"}, Type: counter, Unit: "packets", Of: OfPort, Only: only,
		Help: help, Source: nodeInfiniband, Counter: "hw_counters/" + file, Counts: counts, port: func(p *Port, _ int) float64 { return float64(of(p)) },
	}
}

// means gives a row its meaning.
func (r Row) means(near int, more, less string) Row {
	r.Near, r.More, r.Less = near, more, less
	return r
}

// counted marks a row that live devices have, too.
func (r Row) counted() Row {
	r.live = true
	return r
}

// on limits a row to a protocol.
func (r Row) on(protocol string) Row {
	r.Only = protocol
	return r
}

// pfc is a row of ethtool's counters of a priority.
func pfc(name, key, unit, counts string, of func(p *Port, priority int) float64) Row {
	return Row{
		Name: "node_ethtool_" + name, Type: untyped, Unit: unit, Of: OfNetdev, Only: roce, Help: "Network interface " + key,
		Source: nodeEthtool, Counter: "ethtool -S: " + key, Counts: counts, port: of,
	}
}

// ibSwitch is a row of the counters of a port of an InfiniBand switch, with their name in perfquery.
func ibSwitch(name, file, unit, help, counts string, of func(p *Port) float64) Row {
	return Row{
		Name: "infiniband_switch_port_" + name + "_total", Type: counter, Unit: unit, Of: OfSwitchPort, Only: infiniband,
		Help: help, Source: ibExporter, Counter: file, Counts: counts, port: func(p *Port, _ int) float64 { return of(p) },
	}
}

// sonicQueue is a row of the counters of a queue of a switch with SONiC, with their name in SAI.
func sonicQueue(name, key, unit, help, counts string, of func(q *Queue) int64) Row {
	return Row{
		Name: "sonic_queue_" + name + "_total", Type: counter, Unit: unit, Of: OfQueue, Only: roce,
		Help: help, Source: sonicExporter, Counter: key, Counts: counts, port: func(p *Port, priority int) float64 { return float64(of(&p.Queues[priority])) },
	}
}

// simple is a row of an adapter's counters. rdma_exporter has no gauges of them, and counts data in units of 4
// bytes.
func simple(name, file string, t dto.MetricType, unit, help, counts string, of func(p *Port) float64) Row {
	r := Row{
		Name: "node_infiniband_" + name, Type: t, Unit: unit, Of: OfPort, Help: help, Source: nodeInfiniband, Counter: file, Counts: counts,
		port: func(p *Port, _ int) float64 { return of(p) },
	}
	if t == counter && unit != "bytes" {
		r.Also = []string{rdmaExporter + file + "_total"}
	}
	return r
}

const (
	lessTraffic = "less traffic than its peers: work that is spread unevenly, a route or rail that is avoided, or a slower link; other counters of the same port tell them apart"
	moreTraffic = "more traffic than its peers: it is the target or the source of more flows, as the root of an incast or a rail that others fail over to"
)

// Rows are the metrics.
var Rows = []Row{
	simple("state_id", "state", gauge, "state", "State of the InfiniBand port (0: no change, 1: down, 2: init, 3: armed, 4: active, 5: act defer)",
		"4", func(p *Port) float64 { return float64(p.State) }).means(1, "", "the port is not active as its peers are").counted(),
	simple("physical_state_id", "phys_state", gauge, "state", "Physical state of the InfiniBand port (0: no change, 1: sleep, 2: polling, 3: disable, 4: shift, 5: link up, 6: link error recover, 7: phytest)",
		"5", func(p *Port) float64 { return map[int]float64{4: 5}[p.State] }).counted(),
	simple("rate_bytes_per_second", "rate", gauge, "bytes/s", "Maximum signal transfer rate",
		"rate of the link", func(p *Port) float64 { return float64(p.Rate) / 8 }).means(2, "", "the link runs at a lower rate than its peers': a cable, a breakout mode or a speed that was set"),
	simple("port_data_transmitted_bytes_total", "port_xmit_data", counter, "bytes", "Number of data octets transmitted on all links",
		"bytes on the wire that the port sent, with headers", func(p *Port) float64 { return float64(p.Sent) }).means(18, moreTraffic, lessTraffic).counted(),
	simple("port_data_received_bytes_total", "port_rcv_data", counter, "bytes", "Number of data octets received on all links",
		"bytes that the switch sent to the port", func(p *Port) float64 { return float64(p.Received) }).means(18, moreTraffic, lessTraffic).counted(),
	simple("port_packets_transmitted_total", "port_xmit_packets", counter, "packets", "Number of packets transmitted on all VLs from this port (including errors)",
		"packets, with acknowledgements", func(p *Port) float64 { return float64(p.Counts.Sent) }).counted(),
	simple("port_packets_received_total", "port_rcv_packets", counter, "packets", "Number of packets received on all VLs by this port (including errors)",
		"packets that reached a queue pair", func(p *Port) float64 { return float64(p.Counts.Received) }).counted(),
	simple("port_transmit_wait_total", "port_xmit_wait", counter, "ticks", "Number of ticks during which the port had data to transmit but no data was sent during the entire tick",
		"time in which a packet waited for credits. A tick is taken for 1 ns, an assumption: its length depends on the adapter", func(p *Port) float64 { return float64(p.CreditWait / units.Nanosecond) }).on(infiniband).
		means(14, "it waits for credits more than its peers do: the switch's buffers are full of packets for a congested port or for a host that receives slowly", ""),
	simple("port_discards_transmitted_total", "port_xmit_discards", counter, "packets", "Number of outbound packets discarded by the port because the port is down or congested",
		"packets dropped at the port", func(p *Port) float64 { return float64(p.DiscardsSent) }).means(9, "it discards packets that it should send: the link was down or stood still", ""),
	simple("port_discards_received_total", "port_rcv_discards", counter, "packets", "Number of inbound packets discarded by the port because the port is down or congested",
		"packets that came in by the port and were dropped", func(p *Port) float64 { return float64(p.DiscardsTaken) }).means(9, "it discards packets that arrive: the host receives too slowly, or the packets are damaged", ""),
	hw("np_cnp_packets_sent_total", "np_cnp_sent", roce,
		"The number of CNP packets sent by the Notification Point when it noticed congestion experienced in the RoCEv2 IP header (ECN bits). The counters was added in MLNX_OFED 4.1",
		"CNPs sent", func(p *Port) int64 { return p.Counts.CNPsSent }).
		means(16, "it asks its senders to slow down more than its peers do: several flows meet on the way to it, or at its own link", "").counted(),
	hw("np_ecn_marked_roce_packets_received_total", "np_ecn_marked_roce_packets", roce,
		"The number of RoCEv2 packets received by the notification point which were marked for experiencing the congestion (ECN bits where '11' on the ingress RoCE traffic) . The counters was added in MLNX_OFED 4.1",
		"packets that arrived with a mark", func(p *Port) int64 { return p.Counts.Marked }).
		means(17, "more of its packets met a queue: several flows meet on the way to it, or at its own link", "").counted(),
	hw("rp_cnp_packets_handled_total", "rp_cnp_handled", roce,
		"The number of CNP packets handled by the Reaction Point HCA to throttle the transmission rate. The counters was added in MLNX_OFED 4.1",
		"CNPs that arrived", func(p *Port) int64 { return p.Counts.CNPsHandled }).
		means(16, "it was slowed down by CNPs more than its peers: its flows cross a congested port", "").counted(),
	hw("out_of_sequence_packets_received_total", "out_of_sequence", "", "The number of out of sequence packets received.",
		"requests with a PSN ahead of the expected one", func(p *Port) int64 { return p.Counts.OutOfSequence }).
		means(10, "packets on the way to it are lost or overtaken: a bad cable on its side, drops in a switch, or adaptive routing", "").counted(),
	hw("packet_sequence_errors_total", "packet_seq_err", "", "The number of received NAK sequence error packets. The QP retry limit was not exceeded.",
		"NAKs for a sequence error that arrived", func(p *Port) int64 { return p.Counts.SequenceNAKs }).
		means(10, "packets that it sent were lost on the way: a bad cable on its side, or drops in a switch", "").counted(),
	hw("local_ack_timeout_errors_total", "local_ack_timeout_err", "", "The number of times QP's ack timer expired for RC, XRC, DCT QPs at the sender side. The QP retry limit was not exceed, therefore it is still recoverable error.",
		"timeouts of acknowledgements", func(p *Port) int64 { return p.Counts.Timeouts }).
		means(11, "its acknowledgements did not come: a lost last packet, a lost answer, or a peer that stood still", "").counted(),
	hw("rnr_nak_retry_packets_received_total", "rnr_nak_retry_err", "", "The number of received RNR NAK packets. The QP retry limit was not exceeded.",
		"RNR NAKs that arrived", func(p *Port) int64 { return p.Counts.RNRNAKs }).
		means(12, "its peers had no receive posted: their processes are late", "").counted(),
	hw("duplicate_requests_packets_total", "duplicate_request", "", "The number of received packets. A duplicate request is a request that had been previously executed.",
		"requests with a PSN behind the expected one", func(p *Port) int64 { return p.Counts.Duplicates }).
		means(13, "packets came to it twice: acknowledgements that it sent were lost or late", "").counted(),
	hw("rx_read_requests_total", "rx_read_requests", "", "The number of received READ requests for the associated QPs.",
		"READ requests that arrived", func(p *Port) int64 { return p.Counts.Reads }).counted(),
	hw("rx_write_requests_total", "rx_write_requests", "", "The number of received WRITE requests for the associated QPs.",
		"WRITEs whose first packet arrived", func(p *Port) int64 { return p.Counts.Writes }).counted(),
	hw("rx_atomic_requests_total", "rx_atomic_requests", "", "The number of received ATOMIC request for the associated QPs.",
		"atomics that arrived", func(p *Port) int64 { return p.Counts.Atomics }).counted(),
	fault(4, "symbol_error_total", "symbol_error", "symbol_error_total", "Number of minor link errors detected on one or more physical lanes.", "its cable or transceiver damages bits"),
	fault(3, "link_downed_total", "link_downed", "link_downed_total", "Number of times the link failed to recover from an error state and went down", "its link went down"),
	fault(5, "link_error_recovery_total", "link_error_recovery", "link_error_recovery_total", "Number of times the link successfully recovered from an error state", "its link recovered from errors: a marginal cable or transceiver"),
	fault(6, "port_errors_received_total", "port_rcv_errors", "receive_errors_total", "Number of packets containing an error that were received on this port", "damaged packets come in by its link"),
	fault(7, "local_link_integrity_errors_total", "local_link_integrity_errors", "local_link_integrity_errors_total", "Number of times that the count of local physical errors exceeded the threshold specified by LocalPhyErrors.", "its link has physical errors"),
	pfc("received_prio%d_pause", "rx_prio%d_pause", "frames", "PFC frames of the priority that arrived, with those that end a pause",
		func(p *Port, priority int) float64 { return float64(p.Counts.PausesTaken[priority]) }).
		means(15, "its switch stops it more than its peers: its packets go to a congested port, or to a host that receives slowly", ""),
	pfc("received_prio%d_pause_duration", "rx_prio%d_pause_duration", "us", "time in which the priority was paused",
		func(p *Port, priority int) float64 { return float64(p.Paused[priority] / units.Microsecond) }).
		means(15, "it is paused for longer than its peers: its packets go to a congested port, or to a host that receives slowly", ""),
	pfc("transmitted_prio%d_pause", "tx_prio%d_pause", "frames", "PFC frames of the priority that the NIC sent",
		func(p *Port, priority int) float64 { return float64(p.Counts.PausesSent[priority]) }).
		means(8, "it stops its switch: the host does not take in what arrives. Causes are the PCIe slot, memory, or page tables, not the network", ""),
	{
		Name: "infiniband_switch_info", Type: gauge, Unit: "1", Of: OfSwitch, Only: infiniband, Help: "The name of each switch by its GUID.",
		Source: ibExporter, Counter: "ibnetdiscover", Counts: "1: its labels are the GUID, as weft fabric has it, and the name", port: func(*Port, int) float64 { return 1 },
	},
	ibSwitch("transmit_data_bytes", "PortXmitData", "bytes", "Bytes that the port of the switch sent.",
		"bytes on the wire that the port sent, with headers", func(p *Port) float64 { return float64(p.Sent) }),
	ibSwitch("receive_data_bytes", "PortRcvData", "bytes", "Bytes that the port of the switch received.",
		"bytes that came in by the port", func(p *Port) float64 { return float64(p.Received) }),
	ibSwitch("transmit_wait", "PortXmitWait", "ticks", "Ticks in which the port had a packet to send, and no credits.",
		"time in which a packet waited for credits. A tick is taken for 1 ns, an assumption", func(p *Port) float64 { return float64(p.CreditWait / units.Nanosecond) }).
		means(14, "it waits for credits more than other ports of switches do: what is behind it is congested, or receives slowly", ""),
	ibSwitch("transmit_discards", "PortXmitDiscards", "packets", "Packets that the port discarded and did not send.",
		"packets dropped at the port", func(p *Port) float64 { return float64(p.DiscardsSent) }).
		means(9, "it discards packets that it should send: the link behind it was down or stood still", ""),
	switchFault(4, "symbol_error", "SymbolErrorCounter", "Symbol errors of the port of the switch.", "its cable or transceiver damages bits"),
	switchFault(3, "link_downed", "LinkDownedCounter", "Times that the link of the port of the switch went down.", "its link went down"),
	switchFault(5, "link_error_recovery", "LinkErrorRecoveryCounter", "Times that the link of the port of the switch recovered.", "its link recovered from errors: a marginal cable or transceiver"),
	switchFault(6, "receive_errors", "PortRcvErrors", "Packets with an error that the port of the switch received.", "damaged packets come in by its link"),
	switchFault(7, "local_link_integrity_errors", "LocalLinkIntegrityErrors", "Times that the link of the port of the switch had too many physical errors.", "its link has physical errors"),
	sonicQueue("bytes", "SAI_QUEUE_STAT_BYTES", "bytes", "Bytes that the queue sent.",
		"bytes of the priority that the port sent", func(q *Queue) int64 { return q.Bytes }),
	sonicQueue("dropped_packets", "SAI_QUEUE_STAT_DROPPED_PACKETS", "packets", "Packets that the queue dropped.",
		"packets of the priority dropped at the port", func(q *Queue) int64 { return q.Drops }),
	sonicQueue("shared_watermark_bytes", "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES", "bytes", "The most bytes that waited in the queue.",
		"the longest queue of the priority", func(q *Queue) int64 { return q.Peak }),
	{
		Name: nvlinkSent, Type: gauge, Unit: "bytes/s", Of: OfGPU, Source: "dcgm-exporter", Counter: "DCGM field 1011",
		Help:   "Bytes per second that the GPU sent over NVLink.",
		Counts: "bytes that the GPU sent into the scale-up network, over the simulated time; protocol headers are in them", gpu: func(g *GPU) float64 { return g.Sent },
		Near: 18, Less: "the GPU sends less over NVLink than its peers", More: "the GPU sends more over NVLink than its peers",
	},
	{
		Name: nvlinkTaken, Type: gauge, Unit: "bytes/s", Of: OfGPU, Source: "dcgm-exporter", Counter: "DCGM field 1012",
		Help:   "Bytes per second that the GPU received over NVLink.",
		Counts: "bytes that the GPU received from the scale-up network, over the simulated time; protocol headers are in them", gpu: func(g *GPU) float64 { return g.Received },
		Near: 18, Less: "the GPU receives less over NVLink than its peers", More: "the GPU receives more over NVLink than its peers",
	},
	{
		Name: nvlinkBoth, Type: untyped, Unit: "MB/s", Of: OfGPU, Source: "dcgm-exporter, as a counter; it behaves as a rate", Counter: "DCGM field 449",
		Help:   "NVLink traffic of the GPU over all links, both directions, in MB per second.",
		Counts: "the sum of both directions, in 10⁶ bytes a second", gpu: func(g *GPU) float64 { return (g.Sent + g.Received) / 1e6 },
	},
	{
		Name: busBandwidth, Type: gauge, Unit: "GB/s", Of: OfCollective, Source: "NCCL Inspector", Counter: "coll_busbw_gbs",
		Help:   "Bus bandwidth of a collective as nccl-tests computes it, in GB per second.",
		Counts: "bus bandwidth of each size that was simulated",
		Near:   18, Less: "the rank spends longer in the collective than its peers: it waits for others", More: "the rank spends less time in the collective than its peers: it comes last, and the others wait for it",
	},
	{
		Name: SimulatedName, Type: counter, Unit: "s", Of: OfFabric, Source: "weft", Help: "Simulated time of the simulations that are counted.",
		Counts: "the denominator of rates: counters grow with simulated time, and Prometheus scrapes by the clock on the wall",
	},
	{Name: "weft_events_total", Type: counter, Unit: "events", Of: OfRun, Source: "weft", Help: "Events of the simulator.", Counts: "work of the simulator, of all simulations", run: func(s *Snapshot) float64 { return float64(s.Events) }},
	{Name: "weft_simulations", Type: gauge, Unit: "simulations", Of: OfRun, Source: "weft", Help: "Simulations that the run consists of.", Counts: "simulations", run: func(s *Snapshot) float64 { return float64(s.Total) }},
	{Name: "weft_simulations_done_total", Type: counter, Unit: "simulations", Of: OfRun, Source: "weft", Help: "Simulations that have ended.", Counts: "simulations that have ended", run: func(s *Snapshot) float64 { return float64(s.Done) }},
}

// fault is a row of a counter that weft reads from clusters; its simulation has no such fault on a port of a
// NIC.
// infiniband_exporter has it under the name hca.
func fault(near int, name, file, hca, help, more string) Row {
	r := simple(name, file, counter, "errors", help, "read, not written", nil)
	r.port, r.Damage = nil, true
	r.Also = append(r.Also, hcaExporter+hca)
	return r.means(near, more, "")
}

// switchFault is fault for a port of a switch.
func switchFault(near int, name, file, help, more string) Row {
	r := ibSwitch(name, file, "errors", help, "read, not written", nil)
	r.port, r.Damage = nil, true
	return r.means(near, more, "")
}

// names are the names of a row, one for each priority.
func (r *Row) names() []string {
	if !strings.Contains(r.Name, "%d") {
		return []string{r.Name}
	}
	var all []string
	for priority := range 8 {
		all = append(all, fmt.Sprintf(r.Name, priority))
	}
	return all
}

// Judged reports whether a value unlike the peers' means something.
func (r *Row) Judged() bool { return r.More != "" || r.Less != "" }

// rowsByName are the rows by each name under which they are read.
var rowsByName = func() map[string]*Row {
	by := make(map[string]*Row)
	for i := range Rows {
		for _, name := range append(Rows[i].names(), Rows[i].Also...) {
			by[name] = &Rows[i]
		}
	}
	return by
}()

// Selector is the selector of PromQL for the row under all of its names, with further matchers.
func (r *Row) Selector(match string) string {
	return `{__name__=~"` + strings.Join(append(r.names(), r.Also...), "|") + `",` + match + `}`
}
