package sniff

import "encoding/json"

// Anomaly is a set of deviations from an undisturbed conversation.
type Anomaly uint16

// The anomalies.
const (
	BadICRC        Anomaly = 1 << iota // the invariant CRC is wrong: receivers drop the packet in silence
	Malformed                          // to port 4791, but not a RoCE v2 packet
	Retransmission                     // a request whose PSN was sent before
	Gap                                // PSNs before this request were not seen
	NAK                                // the responder refuses a request
	RNR                                // the responder has no receive posted
	CNP                                // a congestion notification
	Marked                             // congestion experienced, in the IP header
	DuplicateRead                      // a READ response whose PSN was seen before
	Reordered                          // a later packet overtook this one
	LostMessage                        // UC: a message lacks one of its packets, and its receiver drops it in silence
	Rejected                           // the connection manager refuses
)

// anomalies are the names, in the order of the bits, with the noun that a summary counts.
var anomalies = [...]struct{ name, plural string }{
	{"bad ICRC", "bad ICRCs"},
	{"malformed packet", "malformed packets"},
	{"retransmission", "retransmissions"},
	{"gap", "gaps"},
	{"NAK", "NAKs"},
	{"RNR NAK", "RNR NAKs"},
	{"CNP", "CNPs"},
	{"ECN mark", "ECN marks"},
	{"repeated READ response", "repeated READ responses"},
	{"packet out of order", "packets out of order"},
	{"lost UC message", "lost UC messages"},
	{"rejected connection", "rejected connections"},
}

// Names lists the anomalies of the set.
func (a Anomaly) Names() []string {
	var names []string
	for i := range anomalies {
		if a&(1<<i) != 0 {
			names = append(names, anomalies[i].name)
		}
	}
	return names
}

// Counts is the number of packets with each anomaly.
type Counts [len(anomalies)]int64

// add counts a packet's anomalies. It takes a gap back if all of its packets were only overtaken.
func (c *Counts) add(e *Event) {
	for i := range c {
		if e.Anomaly&(1<<i) != 0 {
			c[i]++
		}
		if e.filled && Gap == 1<<i {
			c[i]--
		}
	}
}

// Each calls f for each anomaly that occurred, with its singular and plural name.
func (c *Counts) Each(f func(one, many string, n int64)) {
	for i, n := range c {
		if n > 0 {
			f(anomalies[i].name, anomalies[i].plural, n)
		}
	}
}

// MarshalJSON is an object with the anomalies that occurred, by their singular names.
func (c Counts) MarshalJSON() ([]byte, error) {
	found := map[string]int64{}
	c.Each(func(one, _ string, n int64) { found[one] = n })
	return json.Marshal(found)
}
