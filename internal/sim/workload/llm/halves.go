package llm

import "weft/units"

// Halves is the times of a pass whose tokens are divided into two halves: one half is computed while the other's tokens are
// on their way to experts or back. Each half reads the weights of its layers. Times are those of one half in one layer with
// experts, but for Rest.
type Halves struct {
	Before units.Time // norm and products before the attention's kernel
	After  units.Time // the kernel, the product after it, the norm and the product that choose experts
	Shared units.Time // experts of all tokens
	Routed units.Time // experts that tokens choose
	Rest   units.Time // layers without experts and the embeddings, of the whole pass, which is not divided there
}

// Halves is the times of a pass in two halves. The tokens of prompts are divided so that both halves have as much
// attention.
func (j *Job) Halves(p *Pass) Halves {
	whole := *j
	whole.Batch = Batch{Micro: 1, Sequence: p.tokens()}
	if whole.Batch.Sequence == 0 {
		return Halves{}
	}
	dense := j.Model.denseLayers()
	before, after := whole.attention(start + whole.scores(p))
	rest := whole.embeddings(p)
	if dense > 0 {
		rest += float64(dense) * (before + after + whole.feedForward(0))
	}
	half := *j
	half.Batch = Batch{Micro: 1, Sequence: (p.tokens() + 1) / 2}
	before, after = half.attention(start + half.scores(p)/2)
	shared, router, routed := half.experts(dense)
	of := func(seconds float64) units.Time { return duration(seconds / j.Framework) }
	return Halves{Before: of(before), After: of(after + router), Shared: of(shared), Routed: of(routed), Rest: of(rest)}
}

// experts is the seconds of a layer with experts: of those of all tokens, of the work that chooses the others, and of the
// others.
func (j *Job) experts(layer int) (shared, router, routed float64) {
	m := &j.Model
	own := *j
	own.Model.Shared = 0
	others := own.feedForward(layer)
	choice := product{float64(j.tokens()) / float64(j.Parallel.Tensor), float64(m.Experts), float64(m.Hidden), 1}
	router = j.normed(8*float64(m.Hidden)) + j.GPU.ahead([]product{choice})
	return j.feedForward(layer) - others, router, others - router
}
