package validate

import (
	"math"
	"slices"
	"strings"
)

// kind is a kind of number in weft's results, with its answer to "can I trust it?".
type kind struct {
	number  string
	against string
	cases   []string // prefixes of the IDs of its cases; none if no reference is known
	doubt   string   // when not to trust it
	// contrast: the rows without a score are contrasts, such as a worse setting, and
	// say nothing of the error.
	contrast bool
}

// kinds are in the order from the best known to the least.
var kinds = []kind{
	{
		number:  "bytes of a packet; time of a packet, a message or a READ on free links",
		against: "arithmetic",
		cases:   []string{"packet/", "message/", "verbs/", "uet/message", "iwarp/"},
		doubt:   "where latencies of the catalog are assumptions",
	},
	{
		number:   "throughput and queueing: incast, ring, random arrivals, uniform traffic, reductions in switches",
		against:  "closed forms",
		cases:    []string{"incast/", "ring/", "queue/", "uniform/", "sharp/"},
		doubt:    "for the inside of a switch chip, which no vendor publishes",
		contrast: true,
	},
	{
		number:  "headroom, credits, PFC",
		against: "vendors' tables, arithmetic, and the least buffer that loses nothing",
		cases:   []string{"credits/", "pfc/"},
		doubt:   "where the real switch has other thresholds than the scenario",
	},
	{
		number:  "counts of switches and cables",
		against: "published reference designs",
		cases:   []string{"bill/"},
		doubt:   "for power and cost where the catalog says unknown: the sum is then a lower bound",
	},
	{
		number:   "shares and rates under congestion control",
		against:  "properties that the papers and specifications promise",
		cases:    []string{"dcqcn/", "cc/", "ibcc/", "uet/fairness"},
		doubt:    "as the rate of a real NIC: vendors' parameters and firmware differ",
		contrast: true,
	},
	{
		number:   "rates under DCQCN of ConnectX's firmware (dcqcn-firmware)",
		against:  "one lab's BlueField-3 from 200 into 100 Gb/s; at 400 Gb/s only a sentence on another maker's NIC",
		cases:    []string{"congestion/"},
		doubt:    "at 400 Gb/s, for a few senders with a few MiB each, or with another preset: dcqcn-amd and rttcc are held against nothing",
		contrast: true,
	},
	{
		number:  "completion of flows with DCQCN and PFC",
		against: "another packet simulator",
		cases:   []string{"fct/"},
		doubt:   "for a single flow if a few marks decide: compare distributions over seeds",
	},
	{
		number:   "Ultra Ethernet under loss",
		against:  "the time that the wire needs",
		cases:    []string{"uet/incast", "uet/permutation"},
		doubt:    "as a prediction of a device: none was measured",
		contrast: true,
	},
	{
		number:  "the choice of algorithm and protocol that NCCL makes",
		against: "NCCL's own formula",
		cases:   []string{"model/formula"},
		doubt:   "with a tuner plug-in that nccl.tuner does not have, or without an NVSwitch",
	},
	{
		number:  "time of a collective by one algorithm",
		against: "NCCL's own formula, which is no measurement",
		cases:   []string{"model/1-node", "model/16-nodes"},
		doubt:   "for the choice between two algorithms: see MODELS.md",
	},
	{
		number:  "time of a collective inside a node",
		against: "measured tables of healthy clusters; some rows are fitted",
		cases:   []string{"nccl/A100", "nccl/H100", "nccl/B200", "nccl/A4", "nccl/T2", "nccl/V8", "nccl/T1", "nccl/A8", "nccl/V10", "nccl/T8", "nccl/MI300X", "nccl/MI300X-torch", "nccl/MI325X"},
		doubt:   "where the launch counts: one thread for all GPUs, PyTorch, or a slow host",
	},
	{
		number:  "time of a collective between nodes",
		against: "measured tables of healthy clusters, and a rule of NCCL's maintainers",
		cases:   []string{"nccl/V4", "nccl/V1", "nccl/A5", "nccl/MI325X-nodes", "nccl/H200", "nccl/G1", "nccl/G2", "nccl/G3", "nccl/N152", "nccl/T1-default", "nccl/T1-tuned", "nccl/line-rate"},
		doubt:   "below 64 MiB on a host or a NIC that no table shows: two clusters of the same machines differ by 26 us (G1, G2)",
	},
	{
		number:  "the same over EFA, and on MI300X",
		against: "measured tables; that of MI300X is not scored, its health is unknown",
		cases:   []string{"nccl/A1", "nccl/A2", "nccl/P5EN", "nccl/MI300X-nodes"},
		doubt:   "as an absolute time; calibrate to your own log first (DIAGNOSE.md)",
	},
	{
		number:  "what NCCL's division of messages for adaptive routing costs",
		against: "one cluster of two nodes, of unknown cabling, whose runs contradict each other",
		cases:   []string{"nccl/ordering-all-to-all", "nccl/ordering-ring"},
		doubt:   "for all-to-all from 1 to 32 MiB, where weft has too little of it, and for trees",
	},
	{
		number:  "the cost of ECMP's collisions",
		against: "one cluster and one published statement, neither with its cabling",
		cases:   []string{"scaleout/"},
		doubt:   "as an absolute loss: cabling and hash decide. Compare settings on your own cabling",
	},
	{
		number:  "a training step put together from phases",
		against: "the same step, simulated whole",
		cases:   []string{"training/exact", "training/collisions"},
		doubt:   "where phases of different kinds share a link: use --whole",
	},
	{
		number:  "speed of a training step",
		against: "published steps",
		cases:   []string{"training/published-nvidia", "training/published-others", "training/published-before-2024", "training/stacks"},
		doubt:   "with experts, or with a stack that no row shows (training/stacks). The difference between two fabrics is the better figure",
	},
	{
		number:  "scaling efficiency of a training job",
		against: "published steps of the same job on more GPUs",
		cases:   []string{"training/scaling"},
		doubt:   "as a prediction of one cluster: its slow hosts and its pauses are its own",
	},
	{
		number:  "waiting of requests before prefill",
		against: "closed forms",
		cases:   []string{"serving/queues"},
		doubt:   "as a service's: its arrivals come in bursts",
	},
	{
		number:  "time of a transfer of keys and values",
		against: "one library on three measured settings, whose rows fitted the time of a layer and what a node moves",
		cases:   []string{"serving/kv-mooncake", "serving/kv-node"},
		doubt:   "for another library than Mooncake's: its time of a layer decides below some thousand tokens",
	},
	{
		number:  "time of a dispatch to experts, or a combine",
		against: "three libraries on one kind of cluster each, 8 to 32 GPUs; the rows of low-latency kernels fitted one number for each library, and those of throughput kernels were in view",
		cases:   []string{"serving/moe-low-latency", "serving/moe-uccl", "serving/moe-throughput", "serving/moe-hybrid-ep"},
		doubt:   "for another library or GPU, whose kernels have other times",
	},
	{
		number:  "what ECMP costs a dispatch",
		against: "a report without figures",
		cases:   []string{"serving/moe-ecmp"},
		doubt:   "as an absolute loss: cabling, hash and number of queue pairs decide",
	},
	{
		number:  "speed of a serving job",
		against: "published figures of vLLM, Dynamo, DistServe, SGLang, RTP-LLM and DeepSeek",
		cases:   []string{"serving/vllm-one-gpu", "serving/vllm-one-client", "serving/mooncake-first-token", "serving/disaggregated-prefill", "serving/disaggregated-decode", "serving/dynamo", "serving/llmservingsim", "serving/distserve"},
		doubt:   "as the first token of a burst or of clients that wait for a full prefill (the last token is better), or of prompts where experts are uneven in ways that are not published. The difference between two fabrics is the better figure",
	},
	{number: "anything over kernel TCP", against: "no case", doubt: "closely: copies and interrupts of the host decide"},
	{number: "time of recovery from faults", against: "no case", doubt: "closely: the times of control planes are mostly assumptions"},
}

// covers reports whether a case is of the kind.
func (k *kind) covers(id string) bool {
	return slices.ContainsFunc(k.cases, func(begin string) bool {
		return strings.HasPrefix(id, begin) && (strings.HasSuffix(begin, "/") || len(id) == len(begin) || id[len(begin)] == '/')
	})
}

// Trust is a kind of number in weft's results, with the outcome of its cases.
type Trust struct {
	Number, Against string
	Doubt           string // when not to trust it
	Passed, Missed  int    // scored rows
	Scored, Shown   Worst  // of the scored rows, and of the others
}

// Trusts are the kinds of numbers, from the best known to the least.
func Trusts(results []Result) (out []Trust) {
	for i := range kinds {
		k := &kinds[i]
		t := Trust{Number: k.number, Against: k.against, Doubt: k.doubt}
		for j := range results {
			if r := &results[j]; k.covers(r.Case.ID) {
				for l := range r.Rows {
					t.add(r.Case, &r.Rows[l], k.contrast)
				}
			}
		}
		out = append(out, t)
	}
	return out
}

// add counts a row.
func (t *Trust) add(c *Case, row *Row, contrast bool) {
	switch row.Verdict() {
	case Pass:
		t.Passed++
		t.Scored.add(c, row)
	case Miss:
		t.Missed++
		t.Scored.add(c, row)
	case Shown:
		if !contrast {
			t.Shown.add(c, row)
		}
	}
}

// Worst is the row with the largest error.
type Worst struct {
	Error float64 // as a part of the reference
	At    string  // its case and name; empty if no row has an error
}

// add counts a row. A row with a tolerance of at least or at most has no error.
func (w *Worst) add(c *Case, r *Row) {
	if r.Tolerance.Kind == ToleranceAtLeast || r.Tolerance.Kind == ToleranceAtMost || len(r.Weft) == 0 || len(r.Reference) == 0 {
		return
	}
	i := r.Worst()
	if e := relative(r.Reference[i], r.Weft[i]); math.Abs(e) > math.Abs(w.Error) && !math.IsInf(e, 0) {
		w.Error, w.At = e, c.ID+": "+r.Name
	}
}
