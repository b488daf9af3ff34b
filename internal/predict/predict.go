package predict

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"weft/internal/runstore"
	"weft/internal/sim"
	"weft/scenario"
	"weft/units"
)

// Simulator runs a scenario, as sim.Run does.
type Simulator func(ctx context.Context, r *scenario.Resolved, o sim.Options) (*runstore.Results, error)

// Pair is what one pair of hosts does while the others are at rest.
type Pair struct {
	Latency units.Time // of 8 bytes, one way, from memory to memory
	Rate    units.Rate // of payload in a stream
}

// Collective is an all-reduce.
type Collective struct {
	Hosts     int                // at least 2
	Algorithm scenario.Algorithm // ring, tree or halving-doubling
	Chunk     int64              // the longest message, in bytes
	Sizes     []int64            // of the vector, in bytes
}

// maxMoved bounds the sizes that are simulated, in bytes of the vector times hosts:
// a million packets are sent, which take seconds.
const maxMoved = 2 << 30

// What the pair does to be calibrated.
const (
	shortBytes  = 8
	streamBytes = 64 << 20
	corrections = 5
	// leastRate keeps what rounding to Mb/s changes below 1 %.
	leastRate = 100 * units.Mbps
	// longestPipeline is the most that a scenario takes for nic.tx-pipeline.
	longestPipeline = units.Millisecond
)

// PairError is a measured pair that no simulated one can equal.
type PairError struct {
	Pair Pair
	Why  string
}

func (e *PairError) Error() string {
	return fmt.Sprintf("a pair with %v one way and %v in a stream cannot be simulated: %s", e.Pair.Latency, e.Pair.Rate, e.Why)
}

// Prediction is what the simulator says.
type Prediction struct {
	// Link is the rate of the links, and NIC the time of the transmit pipeline,
	// that were put in.
	Link units.Rate
	NIC  units.Time
	// Pair is what the simulated pair does: what was measured, but for rounding.
	Pair Pair
	// Times are of an operation, by size; 0 where the size was too large to be
	// simulated.
	Times []units.Time
	// Scenario is the collective's, for weft run.
	Scenario string
}

// AllReduce predicts a collective between hosts of which one pair was measured. A pair
// that cannot be simulated is a *PairError.
func AllReduce(ctx context.Context, simulate Simulator, pair Pair, c Collective) (*Prediction, error) {
	switch {
	case c.Hosts < 2:
		return nil, fmt.Errorf("predict: %d hosts: two are the least", c.Hosts)
	case pair.Latency <= 0 || pair.Rate < leastRate:
		return nil, &PairError{pair, fmt.Sprintf("a time and %v are the least that is simulated", leastRate)}
	}
	p := &Prediction{Link: rounded(float64(pair.Rate))}
	if err := p.calibrate(ctx, simulate, pair); err != nil {
		return nil, err
	}
	var sizes []string
	for _, bytes := range c.Sizes {
		if bytes*int64(c.Hosts) <= maxMoved {
			sizes = append(sizes, units.Bytes(bytes).Exact())
		}
	}
	p.Times = make([]units.Time, len(c.Sizes))
	p.Scenario = p.network(c.Hosts) + fmt.Sprintf(
		"workload: {collective: all-reduce, algorithm: %s, protocol: simple, channels: 1, chunk: %s, sizes: [%s]}\n",
		c.Algorithm, units.Bytes(c.Chunk).Exact(), strings.Join(sizes, ", "))
	if len(sizes) == 0 {
		return p, nil
	}
	points, err := run(ctx, simulate, p.Scenario)
	if err != nil {
		return nil, err
	}
	for i, bytes := range c.Sizes {
		for j := range points {
			if points[j].Bytes == bytes {
				p.Times[i] = points[j].Time
			}
		}
	}
	return p, nil
}

// calibrate finds the rate and the time that give the simulated pair those of the
// measured one. Each is all but linear in what is put in, so that few corrections
// bring both to what a link's rate is rounded to. Prediction.Pair says how near
// they are.
func (p *Prediction) calibrate(ctx context.Context, simulate Simulator, pair Pair) error {
	for range corrections {
		short, err := p.flow(ctx, simulate, shortBytes)
		if err != nil {
			return err
		}
		stream, err := p.flow(ctx, simulate, streamBytes)
		if err != nil {
			return err
		}
		p.Pair = Pair{Latency: short, Rate: rate(streamBytes, stream)}
		late, fast := pair.Latency-short, float64(pair.Rate)/float64(p.Pair.Rate)
		if max(late, -late) < pair.Latency/1000 && math.Abs(fast-1) < 1e-3 {
			return nil
		}
		switch p.NIC += late; {
		case p.NIC < 0:
			return &PairError{pair, fmt.Sprintf("at that rate sending %d bytes takes longer", shortBytes)}
		case p.NIC > longestPipeline:
			return &PairError{pair, fmt.Sprintf("its NIC would take more than %v, the most that a scenario has", longestPipeline)}
		}
		p.Link = rounded(float64(p.Link) * fast)
	}
	return nil
}

// rounded is a rate of four digits, and of whole Mb/s: the simulator computes with
// whole picoseconds in a number of bytes below 2^15.
func rounded(r float64) units.Rate {
	step := units.Mbps
	for r >= 1e4*float64(step) {
		step *= 10
	}
	return units.Rate(math.Round(r/float64(step))) * step
}

func rate(bytes int64, t units.Time) units.Rate {
	return units.Rate(float64(8*bytes) / t.Seconds())
}

// flow is the time of one message between two hosts.
func (p *Prediction) flow(ctx context.Context, simulate Simulator, bytes int64) (units.Time, error) {
	points, err := run(ctx, simulate, p.network(2)+fmt.Sprintf(
		"workload: {pattern: flows, flows: [{src: 0, dst: 1, bytes: %s}]}\n", units.Bytes(bytes).Exact()))
	if err != nil {
		return 0, err
	}
	return points[0].Flows.Max, nil
}

// network is the scenario without its workload.
func (p *Prediction) network(hosts int) string {
	return fmt.Sprintf(`name: predicted from one pair
cluster:
  nodes: %d
  node: {preset: dgx-h100, gpus: 1, nics: 1, pcie: {latency: 0}, cpu: {memory-latency: 0}}
topology: {shape: single-switch, cables: {node-leaf: 1mm}}
fabric:
  preset: roce-v2-100g
  name: measured pair
  host: {path: rdma-host, copies: 0, copy-start: 0, post: 0, poll: 0}
  link: {lanes: 1, lane-rate: %s, code: 1, fec-latency: 0}
  nic: {rate: %[2]s, tx-pipeline: %s, rx-pipeline: 0, ack-pipeline: 0, packet-gap: 0}
  switch: {rate: %[2]s, latency: 0}
  mtu: 4KiB
  cc: none
  ethernet: {ecn: {enabled: false}}
nccl: {base: 0.01, step-local: 0.01, step-network: 0.01, proxy: 0.01, kernel: 100}
`, hosts, p.Link.Exact(), p.NIC.Exact())
}

// run simulates a scenario of one fabric.
func run(ctx context.Context, simulate Simulator, text string) ([]runstore.Point, error) {
	f, err := scenario.Decode("prediction", []byte(text))
	if err != nil {
		return nil, err
	}
	r, err := f.Resolve()
	if err != nil {
		return nil, err
	}
	results, err := simulate(ctx, r, sim.Options{})
	if err != nil {
		return nil, err
	}
	if results.Partial || len(results.Fabrics) != 1 || len(results.Fabrics[0].Points) == 0 {
		return nil, errors.New("predict: the simulation was ended before it had a result")
	}
	for _, p := range results.Fabrics[0].Points {
		if p.Failure != "" {
			return nil, fmt.Errorf("predict: %s", p.Failure)
		}
	}
	return results.Fabrics[0].Points, nil
}
