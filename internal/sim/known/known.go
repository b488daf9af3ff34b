package known

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"weft/internal/base/canon"
	"weft/internal/sim/catalog"
	"weft/scenario"
	"weft/units"
)

// Key identifies a simulation.
type Key [sha256.Size]byte

// Store keeps results of simulations. Its methods may be called concurrently.
type Store interface {
	// Get is the value of a key, if it is known.
	Get(Key) (value []byte, known bool)
	// Put keeps the result of a simulation that ended without a failure.
	Put(Key, Entry)
}

// Entry is a result with what is needed to simulate it again.
type Entry struct {
	Kind   string // of the simulation: what reads Recipe
	What   string // for people: all-reduce 64 MiB on roce-400g
	Recipe []byte // enough to simulate it again
	Value  []byte
}

// Part is what simulations on a fabric of a scenario are given.
type Part struct {
	Scenario  *scenario.Resolved // its only fabric is the part's
	canonical func() ([]byte, error)
}

func newPart(r *scenario.Resolved) *Part {
	return &Part{r, sync.OnceValues(func() ([]byte, error) { return canonical(*r) })}
}

// PartOf is the part of a scenario for a fabric. The scenario must not be changed afterwards.
func PartOf(r *scenario.Resolved, fabric int) *Part {
	own := *r
	own.Name = ""
	own.Fabrics = []scenario.Fabric{r.Fabrics[fabric]}
	own.Workload.Sizes = nil
	own.Training, own.Serving, own.Tune, own.Sweep = scenario.Training{}, scenario.Serving{}, scenario.Tune{}, scenario.Sweep{}
	return newPart(&own)
}

// WithSeed is the part with another seed.
func (p *Part) WithSeed(seed uint64) *Part {
	own := *p.Scenario
	own.Run.Seed = seed
	return newPart(&own)
}

// WithoutJitter is the part without random delays.
func (p *Part) WithoutJitter() *Part {
	own := *p.Scenario
	own.Run.Jitter = false
	return newPart(&own)
}

// WithoutSlowLinks is the part with every cable at the fabric's rate.
func (p *Part) WithoutSlowLinks() *Part {
	own := *p.Scenario
	own.Fabrics = []scenario.Fabric{own.Fabrics[0]}
	own.Fabrics[0].SlowLinks = nil
	return newPart(&own)
}

// Text is the part as a scenario's text, of which PartOf makes an equal part. A size is one for which the text is
// valid; 0 if the workload has no sizes.
func (p *Part) Text(size units.Bytes) ([]byte, error) {
	own := *p.Scenario
	own.Name = "known"
	if size > 0 {
		own.Workload.Sizes = []units.Bytes{size}
	}
	return own.MarshalYAML()
}

// FromText is the part whose text it is.
func FromText(text []byte) (*Part, error) {
	file, err := scenario.Decode("known", text)
	if err != nil {
		return nil, err
	}
	r, err := file.Resolve()
	if err != nil {
		return nil, err
	}
	return PartOf(r, 0), nil
}

// facts is the digest of the catalog.
var facts = sync.OnceValue(catalog.Digest)

// Key is the key of a simulation of a kind that is given the part and other values.
func (p *Part) Key(kind string, given ...any) (key Key, err error) {
	part, err := p.canonical()
	if err != nil {
		return key, err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n", kind, facts())
	h.Write(part)
	for _, v := range given {
		b, err := canon.Append(nil, v)
		if err != nil {
			return key, err
		}
		h.Write(b)
	}
	h.Sum(key[:0])
	return key, nil
}

// canonical are the bytes of a part without its fabric's name.
func canonical(own scenario.Resolved) ([]byte, error) {
	own.Fabrics = []scenario.Fabric{own.Fabrics[0]}
	own.Fabrics[0].Name = ""
	return canon.Append(nil, own)
}
