package cablehealth

import (
	"regexp"
)

// Tier orders findings by what they cost.
type Tier int

// The tiers, the most costly first.
const (
	Fabric   Tier = iota // all links alike are slow
	LinkDown             // a link that should be up is not
	Slow                 // lanes or speed below what both ends support
	Unstable             // the link went down or retrained
	Lost                 // packets lost on the wire
	Dropped              // packets dropped for want of a buffer or of a way out
	Errors               // symbols and bits with errors
	Module               // a cable or transceiver beyond its limits
	Waits                // pauses and waiting
	Part                 // fans, power, temperature of a device
)

var tierNames = [...]string{"slow fabric", "link down", "lost lanes or speed", "unstable link", "packet loss", "packets dropped", "symbol or FEC errors", "module", "waiting", "device"}

// String is the tier's name.
func (t Tier) String() string { return tierNames[t] }

// MarshalText is String.
func (t Tier) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// meaning is what a counter says.
type meaning struct {
	tier Tier
	what string // what it counts, for the reader of a report
	// wire says that the cable, or a transceiver on one of its ends, is the cause.
	wire bool
	// loss says that each count is a packet that was lost; detail, that another counter has it, too.
	loss, detail bool
	// ordinary says that some counts are normal: only a port unlike its peers stands out.
	ordinary bool
	// of is the counter of packets that were received or sent well, which gives the share.
	of string
}

// meanings are the counters that speak against a port. Of InfiniBand: IBA vol. 1, 16.1.3.5 and
// 16.1.4. jabbers, fragments and undersize are RFC 2819's.
var meanings = map[string]meaning{
	"LinkDownedCounter":        {tier: Unstable, what: "the link went down; a reboot of the host counts, too", wire: true, ordinary: true},
	"LinkErrorRecoveryCounter": {tier: Unstable, what: "the link retrained", wire: true},
	"PortRcvErrors":            {tier: Lost, what: "packets received with an error", wire: true, loss: true, of: "PortRcvPkts"},
	"LocalLinkIntegrityErrors": {tier: Lost, what: "too many physical errors in a row", wire: true},
	"PortLocalPhysicalErrors":  {tier: Lost, what: "of the receive errors: bits were damaged", wire: true, loss: true, detail: true, of: "PortRcvPkts"},
	"PortMalformedPktErrors":   {tier: Lost, what: "of the receive errors: the packet was malformed", loss: true, detail: true, of: "PortRcvPkts"},

	"PortFECUncorrectableBlockCounter": {tier: Lost, what: "blocks that FEC could not correct", wire: true},
	"Effective Err":                    {tier: Lost, what: "errors behind FEC", wire: true},

	"SymbolErrorCounter":     {tier: Errors, what: "symbols received with an error", wire: true},
	"Symbol Err":             {tier: Errors, what: "symbols with an error behind FEC", wire: true},
	"SyncHeaderErrorCounter": {tier: Errors, what: "blocks with a damaged header", wire: true},

	"PortXmitDiscards":               {tier: Dropped, what: "packets not sent: the other side took none for too long, or the link was down", loss: true, of: "PortXmitPkts"},
	"PortInactiveDiscards":           {tier: Dropped, what: "of the discards: the link was not active", loss: true, detail: true, of: "PortXmitPkts"},
	"PortSwLifetimeLimitDiscards":    {tier: Dropped, what: "of the discards: the packet was too old", loss: true, detail: true, of: "PortXmitPkts"},
	"PortSwHOQLifetimeLimitDiscards": {tier: Dropped, what: "of the discards: the packet waited too long at the head of its queue", loss: true, detail: true, of: "PortXmitPkts"},
	"PortNeighborMTUDiscards":        {tier: Dropped, what: "of the discards: larger than the neighbour's MTU", loss: true, detail: true, of: "PortXmitPkts"},
	"ExcessiveBufferOverrunErrors":   {tier: Dropped, what: "the buffer overran: the other side ignored its credits"},
	"PortBufferOverrunErrors":        {tier: Dropped, what: "of the receive errors: the buffer overran", loss: true, detail: true, of: "PortRcvPkts"},

	"RX_ERR":           {tier: Lost, what: "frames received with an error", wire: true, loss: true, of: "RX_OK"},
	"TX_ERR":           {tier: Lost, what: "frames not sent because of an error", loss: true, of: "TX_OK"},
	"FEC_UNCORR":       {tier: Lost, what: "frames lost: FEC could not correct them", wire: true},
	"FEC_SYMBOL_ERR":   {tier: Errors, what: "symbols that FEC corrected", wire: true, ordinary: true},
	"RX_DRP":           {tier: Dropped, what: "frames dropped on arrival", loss: true, of: "RX_OK"},
	"TX_DRP":           {tier: Dropped, what: "frames dropped before sending", loss: true, of: "TX_OK"},
	"jabbers":          {tier: Lost, what: "frames received too long and with a wrong checksum", wire: true, loss: true, of: "RX_OK"},
	"fragments":        {tier: Lost, what: "frames received too short and with a wrong checksum", wire: true, loss: true, of: "RX_OK"},
	"undersize":        {tier: Lost, what: "frames received shorter than 64 bytes", loss: true, of: "RX_OK"},
	"WRED green drops": {tier: Dropped, what: "packets that WRED dropped in place of a mark: they are not of an ECN transport, or the queue has no ECN", loss: true, of: "TX_OK"},
	queueDrops:         {tier: Dropped, what: "packets dropped at a full queue", loss: true, of: queuePackets},

	"rx_crc_errors_phy":           {tier: Lost, what: "frames with a wrong checksum", wire: true, loss: true, of: "rx_packets_phy"},
	"rx_symbol_err_phy":           {tier: Errors, what: "symbols with an error", wire: true},
	"rx_pcs_symbol_err_phy":       {tier: Errors, what: "symbols that FEC could not correct", wire: true},
	"link_down_events_phy":        {tier: Unstable, what: "the link went down; a reboot of the switch counts, too", wire: true, ordinary: true},
	"tx_errors_phy":               {tier: Lost, what: "frames sent with an error", loss: true, of: "tx_packets_phy"},
	"rx_discards_phy":             {tier: Dropped, what: "frames dropped: the host was slower than the link", loss: true, of: "rx_packets_phy"},
	"tx_discards_phy":             {tier: Dropped, what: "frames dropped before sending", loss: true, of: "tx_packets_phy"},
	"rx_out_of_buffer":            {tier: Dropped, what: "packets for which the host had posted no buffer"},
	"module_bad_shorted":          {tier: Module, what: "the module reported a short circuit", wire: true},
	"module_high_temp":            {tier: Module, what: "the module was too hot", wire: true},
	"module_bus_stuck":            {tier: Module, what: "the module did not answer", wire: true},
	"tx_pause_storm_error_events": {tier: Waits, what: "the host paused the switch for so long that the NIC ended it"},

	"out_of_buffer":                {tier: Dropped, what: "requests for which the host had posted no receive buffer"},
	"out_of_sequence":              {tier: Lost, what: "packets that came out of order: some before them were lost on the way, unless the network spreads packets"},
	"packet_seq_err":               {tier: Lost, what: "the other side reported lost packets"},
	"implied_nak_seq_err":          {tier: Lost, what: "answers were lost on the way"},
	"local_ack_timeout_err":        {tier: Lost, what: "no answer came in time"},
	"rnr_nak_retry_err":            {tier: Dropped, what: "the other side had no receive buffer for too long"},
	"resp_cqe_error without flush": {tier: Dropped, what: "requests that ended with an error as responder; flush errors are not counted"},
	"req_cqe_error without flush":  {tier: Dropped, what: "requests that ended with an error as requester; flush errors are not counted"},
}

// patterns are the counters with a number in their name.
var patterns = []struct {
	name *regexp.Regexp
	meaning
}{
	{regexp.MustCompile(`^FEC BIN(8|9|1[0-5])$`), meaning{tier: Errors, what: "codewords with as many symbol errors, of 15 that FEC corrects", wire: true}},
	{regexp.MustCompile(`^rx_prio\d_(discards|buf_discard)$`), meaning{tier: Dropped, what: "frames of the priority dropped: no buffer", detail: true}},
	{regexp.MustCompile(`^WRED (yellow|red) drops$`), meaning{tier: Dropped, what: "packets of a colour that WRED dropped", loss: true, of: "TX_OK"}},
	{regexp.MustCompile(`^rx_prio\d_cong_discard$`), meaning{tier: Dropped, what: "frames of the priority dropped by congestion control of the NIC", detail: true}},
}

// elsewhere are counters that speak of congestion, of configuration or of another link. They are told,
// and are no fault of the cable.
var elsewhere = map[string]string{
	"PortRcvRemotePhysicalErrors": "packets that another link damaged and marked",
	"PortRcvSwitchRelayErrors":    "packets that the switch could not forward: multicast and loops, mostly",
	"PortXmitConstraintErrors":    "packets that partitions or filters refused on the way out",
	"PortRcvConstraintErrors":     "packets that partitions or filters refused on the way in",
	"PortDLIDMappingErrors":       "packets to a LID without a port",
	"PortVLMappingErrors":         "packets to a lane that does not exist",
	"PortLoopingErrors":           "packets that would leave by the port of their arrival",
	"VL15Dropped":                 "management datagrams dropped for want of a buffer",
	"RX_OVR":                      "received frames that the switch counts as oversize (SAI, ETHER_RX_OVERSIZE_PKTS): compare the MTU of both ends",
	"TX_OVR":                      "sent frames that the switch counts as oversize (SAI, ETHER_TX_OVERSIZE_PKTS)",
	"QP1Dropped":                  "management datagrams of queue pair 1 dropped",
}

// Names of sums that this package makes.
const (
	queueDrops   = "dropped packets of all queues"
	queuePackets = "packets of all queues"
)

// meaningOf is what a counter says against a port.
func meaningOf(name string) (meaning, bool) {
	if m, ok := meanings[name]; ok {
		return m, true
	}
	for _, p := range patterns {
		if p.name.MatchString(name) {
			return p.meaning, true
		}
	}
	return meaning{}, false
}
