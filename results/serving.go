package results

import (
	"slices"

	"weft/internal/base/jsontext"
	"weft/units"
)

// ServingVersion is the version of the layout of a serving job's results.
const ServingVersion = 1

// Serving is the result of a serving job, at one rate of requests or several.
type Serving struct {
	Version  int            `json:"version"`
	Scenario string         `json:"scenario"`
	Seed     uint64         `json:"seed"`
	Job      ServingJob     `json:"job"`
	Points   []ServingPoint `json:"points"`
	// Changes are the job's times at the first point with one change each.
	Changes []ServingChange `json:"changes,omitempty"`
	Partial bool            `json:"partial,omitempty"`
}

// ServingChange is a job with one change.
type ServingChange struct {
	Name    string           `json:"name"`
	Refused string           `json:"refused,omitempty"` // the reason why it cannot be
	Fabrics []ServingChanged `json:"fabrics,omitempty"`
}

// ServingChanged is the times of a changed job on a fabric.
type ServingChanged struct {
	Name       string       `json:"name"`
	Unchanged  bool         `json:"unchanged,omitempty"` // the change is none of this fabric: it has no times
	Unstable   string       `json:"unstable,omitempty"`  // the reason why it has none
	FirstToken ServingTimes `json:"first_token"`
	PerToken   ServingTimes `json:"per_token"`
	Transfer   ServingTimes `json:"kv_transfer"`
	Good       float64      `json:"good_share"`
}

// ServingJob is the job with derived figures.
type ServingJob struct {
	Model      string `json:"model"`
	GPU        string `json:"gpu"`
	Nodes      int    `json:"nodes"`
	Collocated bool   `json:"collocated,omitempty"` // prefill's instances compute answers, too; Decode is zero
	TokenBytes int64  `json:"token_bytes"`          // keys and values of a token in all layers, each head once
	Requests   int    `json:"requests"`
	Trace      string `json:"trace,omitempty"` // "" for random requests
	// Clients of a closed loop wait for their answers: requests come at no rate. 0: they arrive at random times.
	Clients int `json:"clients,omitempty"`
	// Burst is the number of random requests that arrive together; 0 and 1: each alone.
	Burst      int           `json:"burst,omitempty"`
	Prompt     float64       `json:"prompt_tokens"` // mean
	Output     float64       `json:"output_tokens"` // mean
	FirstToken int64         `json:"limit_first_token_ps"`
	PerToken   int64         `json:"limit_per_token_ps"`
	Prefill    ServingMemory `json:"prefill"`
	Decode     ServingMemory `json:"decode"`
	// Busiest is the tokens of the GPU with the busiest experts over the mean, of prompts and of answers; 0 where tokens go to no
	// other GPUs.
	Busiest []float64 `json:"busiest_experts"`
}

// ServingMemory is a pool with the memory of its GPUs.
type ServingMemory struct {
	ServingPool
	Groups   int   `json:"groups"` // of an instance, each with requests of its own
	Pipeline int   `json:"pipeline"`
	Memory   int64 `json:"memory_bytes"`       // of a GPU, for weights, keys and values
	Weights  int64 `json:"weights_bytes"`      // of a GPU
	Token    int64 `json:"gpu_token_bytes"`    // keys and values of a token on a GPU
	Room     int64 `json:"group_token_places"` // tokens that a group holds
}

// ServingPoint is the job at a rate of requests.
type ServingPoint struct {
	// Rate is 0 for requests at no rate: of clients of a closed loop, or of a single burst.
	Rate float64 `json:"requests_per_s"`
	// Loads are the shares of their capacity that the requests need, the fullest first; none for requests at no rate.
	Loads []ServingLoad `json:"loads"`
	// Most is the rate at which the time of Full is used up, on a network that takes no time.
	Most float64 `json:"most_requests_per_s"`
	Full string  `json:"full"`
	// Unstable is the reason why no steady state exists at the rate; nothing is simulated then.
	Unstable string          `json:"unstable,omitempty"`
	Ideal    *ServingRun     `json:"without_network,omitempty"` // on a network that takes no time
	Fabrics  []ServingFabric `json:"fabrics"`
	// IdealSeeds is Ideal over seeds; nil with one seed.
	IdealSeeds *ServingSeeds `json:"without_network_over_seeds,omitempty"`
}

// ServingLoad is the share of a resource that requests need, on a network that takes no time.
type ServingLoad struct {
	Resource string  `json:"resource"`
	Share    float64 `json:"share"`
}

// ServingFabric is the job on a fabric.
type ServingFabric struct {
	Name     string      `json:"name"`
	Protocol string      `json:"protocol"`
	Rate     units.Rate  `json:"rate_bps"`
	Unstable string      `json:"unstable,omitempty"` // the reason why no steady state exists on it
	Run      *ServingRun `json:"run,omitempty"`
	Counts   Counts      `json:"counts"`
	Hottest  []HotLink   `json:"hottest,omitempty"`
	Beside   []Stream    `json:"beside,omitempty"` // streams of the fabric
	Failure  string      `json:"failure,omitempty"`
	// Exchanges are the times in which tokens go to experts on other GPUs and come back, in a layer.
	Exchanges []ServingExchange `json:"exchanges,omitempty"`
	// Seeds is Run over seeds; nil with one seed.
	Seeds *ServingSeeds `json:"over_seeds,omitempty"`
	// Contention is what exchanges and transfers cost each other; nil without exchanges.
	Contention *ServingContention `json:"contention,omitempty"`
}

// ServingSeeds is a job on a fabric over seeds for the requests and everything random in a fabric. The spreads are of the
// seeds with a steady run.
type ServingSeeds struct {
	Seeds         int    `json:"seeds"`              // the results' seed and the next ones
	Unstable      int    `json:"unstable,omitempty"` // seeds without a steady run
	FirstTokenP50 Spread `json:"first_token_p50"`
	FirstTokenP99 Spread `json:"first_token_p99"`
	// FirstTokenP99s are those of each seed, with the same requests on each fabric; 0 without a steady run.
	FirstTokenP99s []int64     `json:"first_token_p99_by_seed_ps"`
	PerTokenP50    Spread      `json:"per_token_p50"`
	PerTokenP99    Spread      `json:"per_token_p99"`
	Good           ShareSpread `json:"good_share"`
}

// ShareSpread is [Spread] of a share.
type ShareSpread struct {
	Mean  float64 `json:"mean"`
	Low   float64 `json:"low"` // of the mean's 95 % interval
	High  float64 `json:"high"`
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
}

// ServingContention is what exchanges with experts and transfers of keys and values cost each other.
type ServingContention struct {
	Apart *ServingRun `json:"apart"` // the run in which they do not slow each other
	// Exchanges are those beside transfers, by pool.
	Exchanges []ServingSlowed `json:"exchanges"`
	// Sampled: only the first exchanges were simulated beside transfers. Afterwards both take longer by mean factors,
	// the transfers by that of Transfers of them.
	Sampled   bool `json:"sampled,omitempty"`
	Transfers int  `json:"transfers,omitempty"`
}

// ServingSlowed is the exchanges of a pool beside transfers.
type ServingSlowed struct {
	Pool      string  `json:"pool"`
	Meet      int     `json:"exchanges"`        // beside transfers
	Simulated int     `json:"simulated"`        // of them, packet by packet
	Slowed    float64 `json:"times_over_alone"` // mean time over that alone
}

// ServingExchange is a layer's exchange of tokens with experts.
type ServingExchange struct {
	Pool       string `json:"pool"`
	Tokens     int    `json:"tokens"` // of a GPU
	DispatchPs int64  `json:"dispatch_ps"`
	CombinePs  int64  `json:"combine_ps"`
}

// ServingRun is the times of a job's requests.
type ServingRun struct {
	FirstToken ServingTimes `json:"first_token"`   // from arrival until decode can go on
	PerToken   ServingTimes `json:"per_token"`     // mean time of a request's tokens after the first
	Waiting    ServingTimes `json:"waiting"`       // from arrival until prefill begins
	Prefill    ServingTimes `json:"prefill"`       // until the prompt is computed
	Transfer   ServingTimes `json:"kv_transfer"`   // from leaving until keys and values have arrived
	Exposed    ServingTimes `json:"kv_exposed"`    // of that, after the prompt was computed
	Tokens     float64      `json:"tokens_per_s"`  // of answers
	Good       float64      `json:"good_share"`    // requests within both limits
	GoodRate   float64      `json:"goodput_per_s"` // good_share of the rate at which requests arrive; at no rate, good requests over end_ps
	EndPs      int64        `json:"end_ps"`
	// Evictions is how often a request gave up its keys and values, for which others had no room, to be computed again.
	Evictions int `json:"evictions,omitempty"`
	// The times that the percentages of ServingPercents of the requests do not exceed.
	FirstTokenAt []int64 `json:"first_token_quantiles_ps"`
	PerTokenAt   []int64 `json:"per_token_quantiles_ps"`
	ExposedAt    []int64 `json:"kv_exposed_quantiles_ps"`
	// Requests are the first ones, at most MaxServingRequests.
	Requests []ServingRequest `json:"requests"`
	Grew     float64          `json:"backlog_growth"` // requests without a first token that piled up, per arrival in the second half
}

// ServingPercents are the percentages of requests at which a run states its times.
var ServingPercents = []int{5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 99}

// MaxServingRequests bounds the requests that a run lists one by one: as many as a page shows.
const MaxServingRequests = 20

// ServingRequest is the times of a request.
type ServingRequest struct {
	ArrivedPs  int64 `json:"arrived_ps"`
	BegunPs    int64 `json:"begun_ps"`
	ComputedPs int64 `json:"computed_ps"`
	FirstPs    int64 `json:"first_token_ps"`
	DonePs     int64 `json:"done_ps"`
	Prompt     int   `json:"prompt_tokens"`
	Output     int   `json:"output_tokens"`
}

// ServingTimes are the quantiles of times, in picoseconds.
type ServingTimes struct {
	Mean int64 `json:"mean_ps"`
	P50  int64 `json:"p50_ps"`
	P90  int64 `json:"p90_ps"`
	P99  int64 `json:"p99_ps"`
}

// Skipped is the part of all runs that was not simulated.
func (s *Serving) Skipped() (sum Skipped) {
	for i := range s.Points {
		for j := range s.Points[i].Fabrics {
			sum.Add(s.Points[i].Fabrics[j].Counts.Skipped)
		}
	}
	return sum
}

// Events are the events of all simulations.
func (s *Serving) Events() (n int64) {
	for i := range s.Points {
		for j := range s.Points[i].Fabrics {
			n += s.Points[i].Fabrics[j].Counts.Events
		}
	}
	return n
}

// Encode is the results as JSON, with rounded floats.
func (s *Serving) Encode() ([]byte, error) {
	own := *s
	own.Job.Prompt, own.Job.Output = rounded(s.Job.Prompt, bandwidthDigits), rounded(s.Job.Output, bandwidthDigits)
	own.Points = slices.Clone(s.Points)
	own.Changes = slices.Clone(s.Changes)
	for i := range own.Changes {
		c := &own.Changes[i]
		c.Fabrics = slices.Clone(c.Fabrics)
		for j := range c.Fabrics {
			c.Fabrics[j].Good = rounded(c.Fabrics[j].Good, shareDigits)
		}
	}
	for i := range own.Points {
		p := &own.Points[i]
		p.Rate = rounded(p.Rate, bandwidthDigits)
		p.Loads = slices.Clone(p.Loads)
		for j := range p.Loads {
			p.Loads[j].Share = rounded(p.Loads[j].Share, shareDigits)
		}
		p.Ideal, p.IdealSeeds = p.Ideal.rounded(), p.IdealSeeds.rounded()
		p.Fabrics = slices.Clone(p.Fabrics)
		for j := range p.Fabrics {
			f := &p.Fabrics[j]
			f.Seeds = f.Seeds.rounded()
			f.Run, f.Hottest, f.Beside = f.Run.rounded(), slices.Clone(f.Hottest), roundedStreams(f.Beside)
			f.Contention = f.Contention.rounded()
			for k := range f.Hottest {
				f.Hottest[k].Busy = rounded(f.Hottest[k].Busy, shareDigits)
			}
		}
	}
	return jsontext.Encode(&own)
}

func (c *ServingContention) rounded() *ServingContention {
	if c == nil {
		return nil
	}
	own := *c
	own.Apart, own.Exchanges = c.Apart.rounded(), slices.Clone(c.Exchanges)
	for i := range own.Exchanges {
		own.Exchanges[i].Slowed = rounded(own.Exchanges[i].Slowed, shareDigits)
	}
	return &own
}

func (r *ServingRun) rounded() *ServingRun {
	if r == nil {
		return nil
	}
	own := *r
	own.Tokens, own.GoodRate = rounded(r.Tokens, bandwidthDigits), rounded(r.GoodRate, bandwidthDigits)
	own.Good, own.Grew = rounded(r.Good, shareDigits), rounded(r.Grew, shareDigits)
	return &own
}

func (s *ServingSeeds) rounded() *ServingSeeds {
	if s == nil {
		return nil
	}
	own := *s
	for _, x := range []*float64{&own.Good.Mean, &own.Good.Low, &own.Good.High, &own.Good.Least, &own.Good.Most} {
		*x = rounded(*x, shareDigits)
	}
	return &own
}
