package predict

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/internal/sim"
	"weft/internal/study/many"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Pair is a measurement of one pair of hosts while the others are idle.
type Pair struct {
	Latency units.Time // of 8 bytes, one way, from memory to memory
	Rate    units.Rate // of payload in a stream
}

// Machine is a machine of the collective's hosts; hosts on one machine share its processors.
type Machine struct {
	Name              string
	Hosts, Processors int
}

// Collective is an all-reduce.
type Collective struct {
	Machines  []Machine          // known machines
	Hosts     int                // at least 2
	Algorithm scenario.Algorithm // ring, tree or halving-doubling
	Chunk     int64              // the longest message, in bytes
	Sizes     []int64            // of the vector, in bytes
}

// maxMoved bounds the simulated sizes, in bytes of the vector times hosts: a million packets, which
// take seconds.
const maxMoved = 2 << 30

// The messages for calibrating the pair.
const (
	shortBytes  = 8
	streamBytes = 64 << 20
	corrections = 5
	// leastRate keeps the effect of rounding to Mb/s below 1 %.
	leastRate = 100 * units.Mbps
	// longestPipeline is the maximum of nic.tx-pipeline in a scenario.
	longestPipeline = units.Millisecond
)

// UnknownError says why there is no prediction: the measurement does not determine the collective's
// time.
type UnknownError struct{ Why string }

func (e *UnknownError) Error() string { return e.Why }

// unlike is the error for a measured pair that no simulated pair can match.
func unlike(pair Pair, why string) error {
	return &UnknownError{fmt.Sprintf("a pair with %v one way and %v in a stream cannot be simulated: %s", pair.Latency, pair.Rate, why)}
}

// Prediction is the result of the simulator.
type Prediction struct {
	// Link is the chosen rate of the links, NIC the chosen time of the transmit pipeline.
	Link units.Rate
	NIC  units.Time
	// Measured is the median of the rounds, separately for latency and rate. Pair is the simulated
	// pair: the same, except for rounding.
	Measured, Pair Pair
	// Best has the least latency and the highest rate of any round, Worst the opposite.
	Best, Worst Pair
	// Times are times of an operation, by size; 0 if the size was too large to simulate. Least and
	// Most are the times with the best and the worst pair.
	Times, Least, Most []units.Time
	// Scenario is the collective's, for weft run.
	Scenario string
}

// AllReduce predicts a collective between hosts, of which one pair was measured in a few rounds. If
// these do not determine the collective's time the error is an *UnknownError.
func AllReduce(ctx context.Context, simulate many.Runner, rounds []Pair, c Collective) (*Prediction, error) {
	if c.Hosts < 2 || len(rounds) == 0 {
		return nil, fmt.Errorf("predict: %d hosts and %d rounds: valid are at least two hosts and one round", c.Hosts, len(rounds))
	}
	pair, best, worst := spread(rounds)
	if err := knows(best, worst, c.Machines); err != nil {
		return nil, err
	}
	p, err := from(ctx, simulate, pair, c)
	if err != nil {
		return nil, err
	}
	p.Measured, p.Best, p.Worst = pair, best, worst
	for _, end := range []struct {
		pair  Pair
		times *[]units.Time
	}{{best, &p.Least}, {worst, &p.Most}} {
		if end.pair == pair {
			*end.times = p.Times
			continue
		}
		q, err := from(ctx, simulate, end.pair, c)
		if err != nil {
			return nil, err
		}
		*end.times = q.Times
	}
	return p, nil
}

// widest is the maximum ratio between the rounds of a pair: beyond, the pair shows two programs
// waiting for something else, not the network. It is an assumption.
const widest = 3

// spread is the median of rounds, and their best and worst latencies and rates.
func spread(rounds []Pair) (median, best, worst Pair) {
	var late []units.Time
	var fast []units.Rate
	for _, r := range rounds {
		late, fast = append(late, r.Latency), append(fast, r.Rate)
	}
	slices.Sort(late)
	slices.Sort(fast)
	n := len(rounds)
	return Pair{late[n/2], fast[n/2]}, Pair{late[0], fast[n-1]}, Pair{late[n-1], fast[0]}
}

// knows returns an error if a pair does not determine a collective's time: hosts wait for shared
// processors, or the rounds of the pair differ.
func knows(best, worst Pair, machines []Machine) error {
	for _, m := range machines {
		if m.Hosts > m.Processors {
			return &UnknownError{fmt.Sprintf("%d ranks share the %d processors of %s, and each keeps one busy: a pair does not show how long ranks wait for a processor", m.Hosts, m.Processors, m.Name)}
		}
	}
	if worst.Latency <= 0 || worst.Rate < leastRate {
		return unlike(worst, fmt.Sprintf("a time and %v are the least that is simulated", leastRate))
	}
	if worst.Latency > widest*best.Latency || best.Rate > widest*worst.Rate {
		return &UnknownError{fmt.Sprintf("the pair had from %v to %v one way, and from %v to %v in a stream: the rounds are more than a factor of %d apart",
			best.Latency, worst.Latency, worst.Rate, best.Rate, widest)}
	}
	return nil
}

// from predicts with one pair.
func from(ctx context.Context, simulate many.Runner, pair Pair, c Collective) (*Prediction, error) {
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

// calibrate finds the rate and the time for which the simulated pair matches the measured one. Both
// results are nearly linear in the inputs, so a few corrections suffice, down to the rounding of a
// link's rate. Prediction.Pair shows the remaining difference.
func (p *Prediction) calibrate(ctx context.Context, simulate many.Runner, pair Pair) error {
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
			return unlike(pair, fmt.Sprintf("at that rate sending %d bytes takes longer", shortBytes))
		case p.NIC > longestPipeline:
			return unlike(pair, fmt.Sprintf("its NIC would take more than %v, the most that a scenario has", longestPipeline))
		}
		p.Link = rounded(float64(p.Link) * fast)
	}
	return nil
}

// rounded is a rate of four digits, and of whole Mb/s: the simulator needs whole picoseconds for a
// number of bytes below 2^15.
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
func (p *Prediction) flow(ctx context.Context, simulate many.Runner, bytes int64) (units.Time, error) {
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
nccl: {times: nccl, base: 0.01, step-local: 0.01, step-network: 0.01, proxy: 0.01, kernel: 100}
`, hosts, p.Link.Exact(), p.NIC.Exact())
}

// run simulates a scenario of one fabric.
func run(ctx context.Context, simulate many.Runner, text string) ([]results.Point, error) {
	f, err := scenario.Decode("prediction", []byte(text))
	if err != nil {
		return nil, err
	}
	r, err := f.Resolve()
	if err != nil {
		return nil, err
	}
	fabric, err := many.FabricOf(simulate(ctx, r, sim.Options{}))
	if err != nil {
		return nil, err
	}
	return fabric.Points, nil
}
