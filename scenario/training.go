package scenario

// deriveTraining computes the open values of a training job: the number of replicas for the
// cluster, the batch, the length of a sequence.
func (r workloadRules) deriveTraining() {
	t := &r.Training
	if !r.stated("training") || r.broken("cluster", "training") {
		return
	}
	if t.Model.Preset == "" && t.Model.Layers == 0 {
		r.complain("training.model", "no model is given: name one such as llama3-8b, or give its layers, hidden and so on")
		return
	}
	if !r.deriveModel("training.model", &t.Model) {
		return
	}
	p, b := &t.Parallel, &t.Batch
	if b.Sequence == 0 {
		b.Sequence = t.Model.Sequence
	}
	each := p.Replica()
	setZero(&t.Nodes, r.Cluster.Nodes)
	if t.Nodes > r.Cluster.Nodes {
		r.complain("training.nodes", "the job runs on %d nodes, the cluster has %d", t.Nodes, r.Cluster.Nodes)
		return
	}
	gpus := t.Nodes * r.Cluster.Node.GPUs
	if gpus%each != 0 {
		r.complain("training.parallel", "%d GPUs are not a whole number of replicas: a replica takes tensor %d × context %d × pipeline %d = %d", gpus, p.Tensor, p.Context, p.Pipeline, each)
		return
	}
	if p.Data != 0 && p.Data*each != gpus {
		r.complain("training.parallel.data", "%d replicas of tensor %d × context %d × pipeline %d = %d GPUs take %d, the job has %d", p.Data, p.Tensor, p.Context, p.Pipeline, each, p.Data*each, gpus)
		return
	}
	p.Data = gpus / each
	if b.Global == 0 {
		b.Global = 8 * p.Pipeline * p.Data * b.Micro
	}
	if r.written["training.noise"] && !r.written["training.noise.draws"] {
		t.Noise.Draws = NoiseDraws
	}
	r.deriveStack()
	r.checkNoise(gpus)
	r.checkStorage()
	r.checkComputing()
	r.deriveTokens()
}

// NoiseDraws is the number of draws of noise if a scenario does not say it.
const NoiseDraws = 20

// deriveModel gives a model without kv-heads as many as heads, and one without head-dim their share of hidden. It reports
// whether the dimensions make a model.
func (r workloadRules) deriveModel(at string, m *Model) bool {
	for _, d := range []struct {
		field string
		given bool
	}{
		{"layers", m.Layers > 0},
		{"hidden", m.Hidden > 0},
		{"heads", m.Heads > 0},
		{"vocab", m.Vocab > 0},
		{"ffn", m.FFN > 0 || m.Experts > 0 && m.DenseLayers == 0},
		{"expert-ffn", m.ExpertFFN > 0 || m.Experts == 0},
	} {
		if !d.given {
			r.complain(at, "the model has no %s: name a model such as llama3-8b, or give its %s, too", d.field, d.field)
			return false
		}
	}
	if m.HeadDim == 0 && m.Hidden%m.Heads != 0 {
		r.complain(at, "%d of hidden are not divided evenly over %d heads: give head-dim", m.Hidden, m.Heads)
		return false
	}
	setZero(&m.KVHeads, m.Heads)
	setZero(&m.HeadDim, m.Hidden/m.Heads)
	return true
}

// checkNoise checks the differences between the GPUs of a job.
func (r workloadRules) checkNoise(gpus int) {
	n := &r.Training.Noise
	if n.Draws == 1 {
		r.complain("training.noise.draws", "one draw does not show the spread: take 2 or more")
	}
	if n.SlowGPUs > gpus {
		r.complain("training.noise.slow-gpus", "%d slow GPUs of %d", n.SlowGPUs, gpus)
	}
	for _, share := range []struct {
		field string
		of    Ratio
	}{{"spread", n.Spread}, {"jitter", n.Jitter}} {
		if share.of.Float() > mostNoise {
			r.complain("training.noise."+share.field, "a standard deviation of %s of a computation's time: want at most %.0f%%, beyond it the normal distribution has negative times", share.of, 100*mostNoise)
		}
	}
}

// mostNoise bounds standard deviations of computing times: a third leaves three of them above 0.
const mostNoise = 0.33

// checkStorage checks that a checkpoint has a place to go.
func (r workloadRules) checkStorage() {
	t := &r.Training
	if t.Checkpoint.Every > 0 && t.Storage == 0 {
		r.complain("training.storage", "checkpoints every %d steps and no rate of storage: give the rate at which all GPUs together write, such as 200GB/s", t.Checkpoint.Every)
	}
	if f := t.Failures.PerGPUYear.Float(); f > mostFailures {
		r.complain("training.failures.per-gpu-year", "%s interruptions in a year of a GPU: want at most %d", t.Failures.PerGPUYear, mostFailures)
	}
}

// mostFailures bounds the interruptions of a GPU: one an hour.
const mostFailures = 8766

// checkComputing checks the rates of a training job's computations.
func (r workloadRules) checkComputing() {
	t, g := &r.Training, &r.Cluster.Node.GPU
	peak, reached := g.Peak(t.Precision)
	if peak == 0 {
		r.complain("training.precision", "the GPU %s computes no %s: take bf16", g.Model, t.Precision)
		return
	}
	for _, share := range []struct {
		field string
		of    Ratio
	}{
		{"training.framework", t.Framework},
		{"cluster.node.gpu.matrix-" + string(t.Precision), reached},
		{"cluster.node.gpu.matrix-bf16", g.MatrixBF16},
		{"cluster.node.gpu.attention", g.Attention},
		{"cluster.node.gpu.sustained", g.Sustained},
	} {
		if f := share.of.Float(); f <= 0 || f > 1 {
			r.complain(share.field, "computations at %s of a rate: want more than 0 and at most 100%%", share.of)
		}
	}
}
