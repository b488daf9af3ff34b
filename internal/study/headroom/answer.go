package headroom

import (
	"fmt"

	"weft/internal/roce"
)

// Question is a port with a lossless priority.
type Question struct {
	ASIC    string // a name from roce.Known
	Port    roce.Port
	Pattern roce.Pattern
	Shared  bool // the headroom is part of a pool that ports share
}

// Answer is the headroom of a port, and its JSON. A headroom from a formula has Terms, Occupancy
// and Lossless; a headroom from a shipped table has Shipped.
type Answer struct {
	ASIC      string       `json:"asic"`
	Speed     string       `json:"speed"`
	Cable     string       `json:"cable"`
	Terms     []roce.Term  `json:"terms,omitempty"`
	Occupancy float64      `json:"cell_occupancy,omitempty"`
	Lossless  int64        `json:"lossless_mtu_bytes,omitempty"`
	Shipped   string       `json:"shipped,omitempty"` // source of a table's value
	Xoff      int64        `json:"xoff_bytes"`
	Xon       int64        `json:"xon_bytes"`
	Size      int64        `json:"size_bytes"`
	Source    string       `json:"source"`
	Proof     *ProofRecord `json:"proof,omitempty"`
}

// ProofRecord is a Proof as JSON, beside the vendor's headroom.
type ProofRecord struct {
	LoopPs  int64   `json:"loop_ps"`
	Bound   int64   `json:"bound_bytes"`
	Packet  int64   `json:"packet_bytes"`
	AtBound int64   `json:"drops_at_bound"`
	Below   int64   `json:"drops_one_packet_below"`
	Margin  int64   `json:"margin_bytes"` // the vendor's headroom minus the bound
	Times   float64 `json:"vendor_over_bound"`
}

// Answer looks up or computes the headroom. It fails for an unknown chip, and for a port that the
// chip's table or formula does not cover.
func (q *Question) Answer() (*Answer, error) {
	asic, table, err := roce.Lookup(q.ASIC)
	if err != nil {
		return nil, err
	}
	a := &Answer{Speed: q.Port.Speed.String(), Cable: q.Port.Cable.String()}
	if table != nil {
		row, exact, err := roce.Between(table.Rows, q.Port.Speed, q.Port.Cable)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", table.Title, err)
		}
		a.ASIC, a.Source, a.Shipped = table.Title, table.Source, "a row of the shipped table"
		if !exact {
			a.Shipped = "interpolated in the length between two rows of the shipped table: the vendor does not say this value"
		}
		a.Xoff, a.Xon, a.Size = int64(row.Xoff), int64(row.Xon), int64(row.Size)
		return a, nil
	}
	got, err := asic.Headroom(q.Port, q.Pattern, q.Shared)
	if err != nil {
		return nil, err
	}
	a.ASIC, a.Source, a.Occupancy, a.Lossless, a.Terms = asic.Title, asic.Source, got.Occupancy, int64(q.Pattern.MTU), got.Terms
	a.Xoff, a.Xon, a.Size = int64(got.Xoff), int64(got.Xon), int64(got.Size)
	return a, nil
}

// Add puts the proof on the same link into the answer.
func (a *Answer) Add(p *Proof) {
	a.Proof = &ProofRecord{
		LoopPs: int64(p.Loop), Bound: int64(p.Bound), Packet: int64(p.Packet), AtBound: p.AtBound, Below: p.Below,
		Margin: a.Xoff - int64(p.Bound), Times: float64(a.Xoff) / float64(p.Bound),
	}
}
