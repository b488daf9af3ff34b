package serve

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"weft/internal/sim"
	"weft/internal/sim/run/control"
	"weft/internal/sim/run/network"
	"weft/internal/sim/run/transfer"
	"weft/internal/sim/workload/serving"
	"weft/internal/study/many"
	"weft/internal/study/training"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// cacheOf is the keys and values of a scenario's job.
func cacheOf(s *scenario.Serving) serving.Cache {
	m := training.ModelOf(&s.Model)
	return serving.CacheOf(&m, width(s.KV.Precision))
}

// width is the bytes of a number.
func width(p scenario.Precision) int64 {
	if p == scenario.FP8 {
		return 1
	}
	return 2
}

// TransferOptions are the settings of Transfers.
type TransferOptions struct {
	Tokens  []int // of the requests, a row each
	Batch   int   // requests at the same time; 0: one of each prefill instance
	Workers int   // 0 is all cores
	// Progress, if not nil, is called after each simulation, never concurrently.
	Progress func(sim.Progress)
}

// maxBatch bounds the requests of a transfer: each has a lane for every GPU that posts.
const maxBatch = 100_000

// Transfers moves the keys and values of requests of several lengths from prefill to decode on each
// fabric, without computing: request i goes from prefill instance i to decode instance i, counted
// around, all at the same time.
func Transfers(ctx context.Context, r *scenario.Resolved, o TransferOptions) (*results.KVTransfers, error) {
	if o.Batch < 0 || o.Batch > maxBatch {
		return nil, fmt.Errorf("%d requests at a time: want 1 to %d", o.Batch, maxBatch)
	}
	s := &r.Serving
	prefill := s.Prefill.Instances(r.Cluster.Node.GPUs)
	if o.Batch == 0 {
		o.Batch = prefill
	}
	cache := cacheOf(s)
	out := &results.KVTransfers{
		Version: results.KVTransfersVersion, Scenario: r.Name, Seed: r.Run.Seed, Model: s.Model.Name(),
		TokenBytes: cache.TokenBytes(), Requests: o.Batch,
		Prefill: results.ServingPool{Instances: prefill, GPUs: s.Prefill.GPUs(), Tensor: s.Prefill.Tensor},
		Decode:  results.ServingPool{Instances: s.Decode.Instances(r.Cluster.Node.GPUs), GPUs: s.Decode.GPUs(), Tensor: s.Decode.Tensor},
	}
	plans := make([]*network.Plan, len(r.Fabrics))
	for i := range r.Fabrics {
		f := &r.Fabrics[i]
		var err error
		if plans[i], err = control.NewPlan(r, f); err != nil {
			return nil, err
		}
		rows := make([]results.KVRow, len(o.Tokens))
		for row, tokens := range o.Tokens {
			rows[row] = results.KVRow{Tokens: tokens, Failure: results.Stopped} // until it has ended
		}
		out.Fabrics = append(out.Fabrics, results.KVFabric{Name: f.Name, Protocol: string(f.Kind), Rate: f.PortRate(&r.Cluster), Rows: rows})
	}
	jobs := len(plans) * len(o.Tokens)
	tally := many.NewTally(jobs, o.Progress)
	many.Each(ctx, jobs, o.Workers, func(i int) {
		f, row := i%len(plans), i/len(plans)
		out.Fabrics[f].Rows[row] = move(ctx, r, plans[f], o.Tokens[row], o.Batch)
		tally.Ended(i, out.Fabrics[f].Name, false)
	})
	if err := ctx.Err(); err != nil {
		out.Partial = true
		return out, err
	}
	return out, failures(out)
}

// failures joins the failures of the rows.
func failures(out *results.KVTransfers) error {
	var errs []error
	for i := range out.Fabrics {
		for _, row := range out.Fabrics[i].Rows {
			if row.Failure != "" {
				errs = append(errs, fmt.Errorf("%s, %d tokens: %s", out.Fabrics[i].Name, row.Tokens, row.Failure))
			}
		}
	}
	return errors.Join(errs...)
}

// move moves the caches of a number of requests at the same time.
func move(ctx context.Context, r *scenario.Resolved, plan *network.Plan, tokens, requests int) results.KVRow {
	m := &mover{requests: requests, tokens: tokens, prefill: r.Serving.Prefill.Instances(r.Cluster.Node.GPUs), decode: r.Serving.Decode.Instances(r.Cluster.Node.GPUs)}
	m.courier = courier{way: wayOf(r), rate: wayOf(r).nodeRate(plan.Fabric), lane: make(map[int]int32), delivered: m.delivered}
	row := results.KVRow{Tokens: tokens}
	for _, s := range m.way.shares {
		_, bytes := m.way.cache.Block(s, m.way.prefill.Tensor, m.way.decode.Tensor, tokens, 0, false)
		row.Bytes += bytes * int64(m.way.cache.Layers) * int64(requests)
	}
	s := m.way.shares[0]
	block, _ := m.way.cache.Block(s, m.way.prefill.Tensor, m.way.decode.Tensor, tokens, r.Serving.KV.Page, r.Serving.KV.Layout == scenario.KVHeadsFirst)
	row.Block = block
	if slice := int64(r.Serving.KV.Slice); slice > 0 {
		row.Block = min(block, slice)
	}
	out, err := transfer.Run(ctx, plan, r, transfer.Options{Limit: r.Run.Limit.SimulatedTime}, m)
	switch {
	case err != nil && ctx.Err() != nil:
		row.Failure = results.Stopped
		return row
	case err != nil:
		row.Failure = err.Error()
		return row
	}
	row.Counts, row.Hottest, row.Beside = out.Counts, out.Hottest, out.Beside
	slices.Sort(m.times)
	sum := units.Time(0)
	for _, t := range m.times {
		sum += t
	}
	n := len(m.times)
	row.TotalPs, row.MeanPs = int64(m.times[n-1]), int64(sum)/int64(n)
	row.P50Ps, row.P99Ps = int64(rank(m.times, 50)), int64(rank(m.times, 99))
	row.GBps = float64(row.Bytes) / m.times[n-1].Seconds() / 1e9
	return row
}

// rank is the time that a percentage of sorted times does not exceed.
func rank(sorted []units.Time, percent int) units.Time {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(0, (len(sorted)*percent+99)/100-1)]
}

// mover is the program of Transfers.
type mover struct {
	courier
	requests, tokens int
	prefill, decode  int // instances
	times            []units.Time
}

// Begin implements transfer.Program.
func (m *mover) Begin(b *transfer.Board) {
	m.board = b
	for i := range m.requests {
		p, d := m.way.prefill, m.way.decode
		m.send(consignment{
			from: site{i % m.prefill, i / m.prefill % p.Data}, to: site{i % m.decode, i / m.decode % d.Data}, tokens: m.tokens,
		})
	}
}

// Timer implements transfer.Program.
func (m *mover) Timer(_ *transfer.Board, tag uint64) {
	_, number := tagKind(tag)
	m.post(number)
}

// Arrived implements transfer.Program.
func (m *mover) Arrived(_ *transfer.Board, message int) { m.arrived(message) }

// Running implements transfer.Program.
func (m *mover) Running() bool { return len(m.times) < m.requests }

func (m *mover) delivered(int) { m.times = append(m.times, m.board.Now()) }
