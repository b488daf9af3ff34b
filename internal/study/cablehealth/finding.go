package cablehealth

import (
	"cmp"

	"weft/internal/base/sorting"
	"weft/units"
)

// Evidence is a value that speaks against a port.
type Evidence struct {
	Port    string  `json:"port"`
	Counter string  `json:"counter"`
	Value   string  `json:"value"`
	Number  float64 `json:"number,omitempty"` // the value, where it is one
	What    string  `json:"what,omitempty"`   // the meaning of the counter
	At      string  `json:"at"`               // file:line
	Peers   *Peers  `json:"peers,omitempty"`
	Share   float64 `json:"share,omitempty"` // of the packets

	tier Tier
	wire bool
}

// Finding is a bad link, port or device.
type Finding struct {
	Tier     Tier       `json:"tier"`
	What     string     `json:"what"` // one sentence: what is wrong with which link
	Port     string     `json:"port,omitempty"`
	Far      string     `json:"far,omitempty"` // the other end of the cable, if it is known
	Cable    string     `json:"cable,omitempty"`
	Evidence []Evidence `json:"evidence"`
	Action   string     `json:"action"`
	Gain     string     `json:"gain,omitempty"` // what a job would gain, where it can be computed
	Cost     Cost       `json:"cost"`

	wire   bool
	amount float64 // the largest value of the tier's counters, where no cost is known
}

// Cost is what a fault costs, as far as it can be computed.
type Cost struct {
	Rate      units.Rate `json:"rate,omitempty"` // bandwidth that is missing
	PerSecond float64    `json:"packets_per_second,omitempty"`
	Packets   float64    `json:"packets,omitempty"` // lost, since an unknown time
	AtLeast   bool       `json:"at_least,omitempty"`
}

// rank sorts findings: by tier, then by cost, then by the value of the counter.
func rank(all []Finding) {
	sorting.StableFunc(all, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Tier, b.Tier),
			cmp.Compare(b.Cost.Rate, a.Cost.Rate),
			cmp.Compare(b.Cost.PerSecond, a.Cost.PerSecond),
			cmp.Compare(b.Cost.Packets, a.Cost.Packets),
			cmp.Compare(b.amount, a.amount),
			cmp.Compare(len(b.Evidence), len(a.Evidence)),
			cmp.Compare(a.Port, b.Port),
		)
	})
}
