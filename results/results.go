package results

import (
	"fmt"
	"reflect"
	"strings"

	"weft/units"
)

// ResultsVersion is the version of the layout of results.json.
//
// Version 2 adds results over several seeds, the sources of a link's load, and counts of failed
// points. With several seeds time_ps, algbw and busbw are means. A file of version 1 has none of
// these fields; its other fields have the same meaning.
const ResultsVersion = 2

// Results is the results of a run.
type Results struct {
	Version  int            `json:"version"`           // of the layout of results.json
	Scenario string         `json:"scenario"`          // its name
	Seed     uint64         `json:"seed"`              // the first seed
	Workload string         `json:"workload"`          // all-reduce, permutation, …
	Ranks    int            `json:"ranks"`             // GPUs of a collective, endpoints of a pattern
	Nodes    int            `json:"nodes"`             // on which the workload runs
	Fabrics  []FabricResult `json:"fabrics"`           // in the scenario's order
	Partial  bool           `json:"partial,omitempty"` // stopped before its end
	// Contest is the tests of the fabrics' order; nil if none were made.
	Contest *Contest `json:"contest,omitempty"`
}

// FabricResult is the results of one candidate fabric, size by size.
type FabricResult struct {
	Name     string     `json:"name"`     // in the scenario
	Protocol string     `json:"protocol"` // infiniband, roce-v2, …, a FabricKind of the scenario
	Rate     units.Rate `json:"rate"`     // of a port
	// Engine is the routing engine of InfiniBand's Subnet Manager that wrote the forwarding tables.
	// EngineWhy is the reason if the fabric chose the engine.
	Engine    string `json:"routing_engine,omitempty"`
	EngineWhy string `json:"routing_engine_why,omitempty"`
	// Reduction is nil if switches do not reduce.
	Reduction *Reduction `json:"reduction,omitempty"`
	// Control is nil if the scenario has no faults.
	Control *Control `json:"control,omitempty"`
	// Points has the result of each size, in the scenario's order.
	Points []Point `json:"points"`
}

// Reduction is the trees of a fabric whose switches reduce (ib.sharp): a tree of streaming
// aggregation for each rail of a group of ranks.
type Reduction struct {
	Trees   int    `json:"trees"`         // in all groups
	Groups  int    `json:"groups"`        // of ranks on several nodes, with trees
	Without int    `json:"without"`       // groups without trees, whose collectives go point to point as NCCL's do
	Why     string `json:"why,omitempty"` // reason why the first of these groups has no trees
}

// Point is one size of a sweep. Times are picoseconds of the simulated clock.
type Point struct {
	Bytes     int64  // of a message, as nccl-tests counts them
	Algorithm string // ring, tree, nvls-tree, …
	Wire      string // NCCL's protocol: LL, LL128, Simple
	Channels  int    // parallel rings or trees

	Time  units.Time // mean over iterations, and over seeds
	AlgBW float64    // algorithm bandwidth in GB/s of 1e9 bytes: Bytes over Time
	BusBW float64    // bus bandwidth of nccl-tests in GB/s

	// Seeds has the time with each seed; nil if one seed was simulated. Time, AlgBW and BusBW are
	// means over the seeds; all other fields are from the first seed.
	Seeds *Seeds

	// WithoutJitter says that run.jitter is on and that this size was simulated once without it: it
	// is too large for several seeds.
	WithoutJitter bool

	// Estimate is nil if all of the size was simulated.
	Estimate *Estimate

	Flows   Distribution // of messages between nodes
	Counts  Counts       // of the whole network
	Hottest []HotLink    // the busiest first, at most eight
	Pauses  *Pauses      // nil if they were not recorded, or there were none
	Beside  []Stream     // streams beside a collective
	// Violations are the packets that ports discarded for their P_Key, Q_Key or VRF, the
	// earliest first, at most 64.
	Violations []Violation
	// Traps are the datagrams with which an InfiniBand fabric reports them to the Subnet Manager;
	// nil if there were none.
	Traps *Traps
	// Levels are the messages of each service level of InfiniBand, if there is more than one.
	Levels []Level
	// Exchange is of an exchange of tokens with experts.
	Exchange *Exchange
	Fault    *FaultPoint // nil if the scenario has no faults
	Partial  bool        // stopped before its end
	Failure  string      // the reason if the point has no result
}

// Estimate says that a point is estimated from a part of a collective's work. Its times and its
// counters are continued to the whole. The times of messages, the links and the longest waits are
// those of the part.
type Estimate struct {
	Pieces int    `json:"pieces"`    // that were simulated
	Of     int    `json:"of_pieces"` // of the whole
	What   string `json:"what"`      // what a piece is: loops, rounds or steps
	// Rails is the number of alike rails of which one was simulated; 0 if all were.
	Rails int `json:"rails,omitempty"`
	// The whole took a time in the interval, by the difference of the parts' rates.
	LowPs  int64 `json:"time_low_ps"`
	HighPs int64 `json:"time_high_ps"`
}

// Error is half of the interval over its middle.
func (e *Estimate) Error() float64 {
	return float64(e.HighPs-e.LowPs) / max(1, float64(e.HighPs+e.LowPs))
}

// Skipped is the part of a run that repeats an earlier part exactly, and so was not simulated. All results
// include it.
type Skipped struct {
	Periods int64
	Time    units.Time // of these periods
	Events  int64      // in these periods
	Of      units.Time // of the whole run
}

// Add adds the skipped part of another run.
func (s *Skipped) Add(o Skipped) {
	s.Periods += o.Periods
	s.Time += o.Time
	s.Events += o.Events
	s.Of += o.Of
}

// Seeds is the times of a size with several seeds, in picoseconds, and the 95 % confidence
// interval of their mean.
type Seeds struct {
	TimesPs []int64 `json:"times_ps"`     // of each seed
	LowPs   int64   `json:"time_low_ps"`  // end of the interval
	HighPs  int64   `json:"time_high_ps"` // end of the interval
	// Draws is what a seed draws besides jitter; nil if nothing.
	Draws *Draws `json:"draws,omitempty"`
}

// Draws is what a seed draws besides jitter, where it has an effect: it can give a time few values, far from each other.
type Draws struct {
	Traffic bool `json:"traffic,omitempty"` // senders and receivers, starts, experts: the same on every fabric
	Hash    bool `json:"hash,omitempty"`    // a hash has chosen among several ports
	Marks   bool `json:"marks,omitempty"`   // packets were marked
	Losses  bool `json:"losses,omitempty"`  // links have lost or repeated packets
	// Like is equal for fabrics on which a seed draws the same: their times belong together seed by seed.
	Like string `json:"like"`
}

// Together reports whether the times of two fabrics belong together seed by seed, because a seed draws the same on both.
func (s *Seeds) Together(o *Seeds) bool {
	if s.Draws == nil || o.Draws == nil {
		return s.Draws == o.Draws
	}
	return s.Draws.Like == o.Draws.Like
}

// Distribution is the distribution of the completion times of messages.
type Distribution struct {
	N                         int64 // messages
	Mean, P50, P99, P999, Max units.Time
	// Fairness is Jain's index of the inverse times (Jain, Chiu and Hawe 1984): 1 if all are equal,
	// 1/N if one message has everything. For messages of equal length it is the index of their
	// rates.
	Fairness float64
}

// Counts are the counters of the network.
type Counts struct {
	Packets    int64 `json:"packets"`     // packets sent by NICs and GPUs, with acknowledgements
	PacketHops int64 `json:"packet_hops"` // one for each port of the fabric that sent the packet
	// Hashed is the number of ports that a hash has chosen among several (ECMP, flowlets), one for each packet
	// and switch.
	Hashed int64 `json:"hashed,omitempty"`
	// Events is the engine's work and not a result: with several simulation partitions a port may
	// be woken once more without effect. meta.json has their sum.
	Events          int64   `json:"-"`
	Skipped         Skipped `json:"-"`                      // the part of the run that was not simulated, because it repeats another part
	Pauses          int64   `json:"pfc_pauses"`             // PFC frames that pause
	Resumes         int64   `json:"pfc_resumes"`            // PFC frames that end a pause
	CreditStalls    int64   `json:"credit_stalls"`          // times that a lane began to wait for credits
	Marks           int64   `json:"ecn_marks"`              // ECN, or FECN on InfiniBand
	CNPs            int64   `json:"cnps"`                   // congestion notifications sent
	CNPsTaken       int64   `json:"cnps_arrived,omitempty"` // and that arrived
	CNPDelay        int64   `json:"cnp_delay_ps,omitempty"` // sum of the times of the received ones
	PaceWaits       int64   `json:"pace_waits,omitempty"`   // packets that waited 10 us or more for the rate of congestion control
	PaceWait        int64   `json:"pace_wait_ps,omitempty"` // sum of these waits
	Retransmissions int64   `json:"retransmissions"`        // retransmitted packets
	Timeouts        int64   `json:"timeouts,omitempty"`     // retransmission timeouts that expired
	Trimmed         int64   `json:"trimmed,omitempty"`      // Ultra Ethernet: packets whose payload a switch cut off
	DroppedBuffer   int64   `json:"dropped_buffer"`         // lossy class, buffer full
	DroppedHeadroom int64   `json:"dropped_headroom"`       // lossless class, headroom overrun
	DroppedLifetime int64   `json:"dropped_lifetime"`       // InfiniBand, head-of-queue lifetime

	DroppedStalled  int64 `json:"dropped_stalled,omitempty"`  // InfiniBand, lane stalled after such drops
	DroppedWatchdog int64 `json:"dropped_watchdog,omitempty"` // lossless class, the PFC watchdog ended a storm
	DroppedReceiver int64 `json:"dropped_receiver,omitempty"` // a slow NIC's buffer overrun
	PFCStorms       int64 `json:"pfc_storms,omitempty"`       // queues that the PFC watchdog found in a storm
	DroppedPKey     int64 `json:"dropped_pkey,omitempty"`     // InfiniBand, P_Key of another partition
	DroppedSegment  int64 `json:"dropped_segment,omitempty"`  // Ethernet, no route from the sender's VRF
	DroppedCorrupt  int64 `json:"dropped_corrupt,omitempty"`  // corrupted on a link
	LinkRetries     int64 `json:"link_retries,omitempty"`     // packets that links with link-level retry sent again
	ContextMisses   int64 `json:"context_misses,omitempty"`   // queue pair contexts that NICs fetched
	DroppedMTU      int64 `json:"dropped_mtu,omitempty"`      // longer than the MTU of the switch's port

	// Only of scenarios with faults.
	DroppedFault   int64 `json:"dropped_fault,omitempty"`    // on a failed cable, or before it
	DroppedNoRoute int64 `json:"dropped_no_route,omitempty"` // the switch had no route

	// Only of workloads that choose service and operation.
	MessagesLost     int64 `json:"messages_lost,omitempty"`       // UC and UD: messages that did not arrive in full
	MessagesBarred   int64 `json:"messages_barred,omitempty"`     // between NICs that share no partition
	DroppedNoReceive int64 `json:"dropped_no_receive,omitempty"`  // UC and UD: messages without a posted receive
	DroppedOutOfTurn int64 `json:"dropped_out_of_turn,omitempty"` // UC: packets of incomplete messages
	DroppedQKey      int64 `json:"dropped_qkey,omitempty"`        // UD: datagrams whose Q_Key differs from their queue pair's
	RNRNAKs          int64 `json:"rnr_naks,omitempty"`            // RC: messages without a posted receive, which were sent again
}

// Drops is the sum of all drops.
func (c Counts) Drops() int64 {
	return c.DroppedBuffer + c.DroppedHeadroom + c.DroppedLifetime + c.DroppedStalled + c.DroppedPKey + c.DroppedSegment + c.DroppedWatchdog + c.DroppedReceiver + c.DroppedCorrupt +
		c.DroppedFault + c.DroppedNoRoute + c.DroppedMTU
}

// Add adds the counts of another network.
func (c *Counts) Add(o *Counts) {
	addIntegers(reflect.ValueOf(c).Elem(), reflect.ValueOf(o).Elem())
}

// addIntegers adds the integers of a struct, and of the structs in it, to those of another.
func addIntegers(sum, more reflect.Value) {
	if sum.Kind() != reflect.Struct {
		sum.SetInt(sum.Int() + more.Int())
		return
	}
	for i := range sum.NumField() {
		addIntegers(sum.Field(i), more.Field(i))
	}
}

// Level is the messages of a service level.
type Level struct {
	SL    units.SL
	Flows Distribution // between nodes
}

// Violation is a port that discarded packets between two queue pairs for their P_Key or Q_Key; on
// Ethernet, a port that discarded packets between two NICs because there is no route from the
// sender's VRF to the receiver's.
type Violation struct {
	Trap    int    `json:"trap,omitempty"` // its number; P_Keys: 257 of an HCA, 259 of a switch; Q_Keys: 258 (IBA vol. 1, 14.2.5.1)
	Port    string `json:"port"`           // the port that discarded
	FirstPs int64  `json:"first_ps"`       // time of the first packet
	// KnownPs is the time at which the Subnet Manager took the first trap about it; [Never] if none
	// arrived, 0 on Ethernet.
	KnownPs int64     `json:"known_ps,omitempty"`
	Packets int64     `json:"packets"`            // that were discarded
	From    string    `json:"from"`               // the sending NIC
	To      string    `json:"to"`                 // the receiving NIC
	FromQP  units.QPN `json:"from_qp"`            // InfiniBand
	ToQP    units.QPN `json:"to_qp"`              // InfiniBand
	PKey    uint16    `json:"pkey"`               // InfiniBand: P_Key of the packets; bit 15 is the membership
	QKey    uint32    `json:"qkey,omitempty"`     // InfiniBand: Q_Key of the packets
	SL      units.SL  `json:"sl"`                 // InfiniBand
	FromVRF string    `json:"from_vrf,omitempty"` // Ethernet
	ToVRF   string    `json:"to_vrf,omitempty"`   // Ethernet
}

// Traps are the traps of a run about violations, and the counters of the ports that raised them.
type Traps struct {
	Raised    int         `json:"raised"`    // by all ports
	Merged    int         `json:"merged"`    // equal to a trap that was still in the outbox
	Lost      int         `json:"lost"`      // because the outbox was full
	Sent      int         `json:"sent"`      // datagrams, repetitions too
	Repressed int         `json:"repressed"` // ended by a TrapRepress of the manager
	Ports     []KeyCounts `json:"ports"`     // that raised traps
}

// KeyCounts are the counters of a port for packets with a wrong key. An HCA's are in its PortInfo,
// a switch's in its PortCounters, where they stop at 255.
type KeyCounts struct {
	Port           string `json:"port"`
	PKeys          int    `json:"pkey_violations,omitempty"`        // HCA: P_KeyViolations
	QKeys          int    `json:"qkey_violations,omitempty"`        // HCA: Q_KeyViolations
	RcvConstraint  int    `json:"rcv_constraint_errors,omitempty"`  // switch: PortRcvConstraintErrors
	XmitConstraint int    `json:"xmit_constraint_errors,omitempty"` // switch: PortXmitConstraintErrors
}

// HotLink is a busy link.
type HotLink struct {
	Name  string  `json:"name"`            // sender and receiver
	Bytes int64   `json:"bytes"`           // that it carried
	Busy  float64 `json:"busy"`            // share of the measured time, 0 to 1
	Tier  string  `json:"tier"`            // NIC to leaf, leaf to spine, …
	Mean  int64   `json:"tier_mean_bytes"` // over all links of the tier, idle ones too
	// Flows are the ends of the messages on the link, if a pattern has few messages and each keeps
	// to one path there.
	Flows []string `json:"flows,omitempty"`
	// Transfers are the ranks whose data a collective, or the operations of a graph, sent over the
	// link, if each connection keeps to one path there: the most bytes first, at most
	// [MostTransfers]. More is the number of other transfers, and MoreBytes are their bytes. Senders
	// and Receivers are the numbers of ranks with a transfer.
	Transfers []LinkTransfer `json:"transfers,omitempty"`
	More      int            `json:"more_transfers,omitempty"`
	MoreBytes int64          `json:"more_transfers_bytes,omitempty"`
	Senders   int            `json:"sending_ranks,omitempty"`
	Receivers int            `json:"receiving_ranks,omitempty"`
	// Sprayed says that connections may have crossed the link that choose their path packet by packet.
	Sprayed bool `json:"sprayed,omitempty"`
	// Sources are the senders of the bytes, if streams run beside a workload: the workload first,
	// with link control, then the streams.
	Sources []LinkSource `json:"sources,omitempty"`
}

// MostTransfers bounds the transfers that are listed for a link.
const MostTransfers = 8

// LinkTransfer is the data from one rank to another that crossed a link.
type LinkTransfer struct {
	From     int32   `json:"from"`               // rank
	To       int32   `json:"to"`                 // rank
	Group    string  `json:"group,omitempty"`    // of the operations, if the workload names it
	Channels []int32 `json:"channels,omitempty"` // of a collective's; none for plain messages
	Bytes    int64   `json:"bytes"`              // of messages, without headers and repetitions
}

// Transferred is the bytes of all transfers over a link.
func (h HotLink) Transferred() int64 {
	n := h.MoreBytes
	for i := range h.Transfers {
		n += h.Transfers[i].Bytes
	}
	return n
}

// LinkSource is the share of a link's load of the workload, or of the streams with one name.
type LinkSource struct {
	Name  string `json:"name"`  // of the workload or the streams
	Bytes int64  `json:"bytes"` // on the link
}

// Choice reports whether a link is between switches, where routing chooses among links; a NIC has
// no choice.
func (h HotLink) Choice() bool { return h.Tier != "" && !strings.Contains(h.Tier, "NIC") }

// Spread is the link's bytes over the mean of its tier; 1 if that is unknown.
func (h HotLink) Spread() float64 {
	if h.Mean <= 0 {
		return 1
	}
	return float64(h.Bytes) / float64(h.Mean)
}

// Measured reports whether the point has a result.
func (p Point) Measured() bool { return p.Failure == "" && p.Time > 0 }

// WithoutWork is the counts without what the engine did for them.
func (c Counts) WithoutWork() Counts {
	c.Events, c.Skipped = 0, Skipped{}
	return c
}

// Skipped is the part of the whole run that was not simulated.
func (r *Results) Skipped() (s Skipped) {
	for _, f := range r.Fabrics {
		for _, p := range f.Points {
			s.Add(p.Counts.Skipped)
		}
	}
	return s
}

// Events is the number of events of the whole run.
func (r *Results) Events() int64 {
	var n int64
	for _, f := range r.Fabrics {
		for _, p := range f.Points {
			n += p.Counts.Events
		}
	}
	return n
}

// Find is the point of a size on the fabric with a name; nil if there is none.
func (r *Results) Find(fabric string, size units.Bytes) *Point {
	for i := range r.Fabrics {
		f := &r.Fabrics[i]
		if f.Name != fabric {
			continue
		}
		for j := range f.Points {
			if f.Points[j].Bytes == int64(size) {
				return &f.Points[j]
			}
		}
	}
	return nil
}

// String is the counters that are not zero, by their names in results.json.
func (c Counts) String() string {
	var all []string
	v := reflect.ValueOf(c)
	for field, value := range v.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "-" && value.CanInt() && value.Int() != 0 {
			all = append(all, fmt.Sprint(name, " ", value.Int()))
		}
	}
	return strings.Join(all, ", ")
}
