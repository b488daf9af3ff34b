package llm

import "weft/units"

// Constants of the time of an operator. Fitted ones say on what; docs/MODELS.md has the errors.
const (
	// start is the time of a kernel without its work: the gap to the kernel before, and its tail.
	// (deepseek-ai/profile-data: 2 us between kernels, the median of 907; vidur: 2 to 6 us for the
	// smallest kernel.)
	start = 3e-6
	// unhidden is the part of a product's traffic that its arithmetic does not hide. Fitted on half
	// of the shapes of ai-dynamo/aiconfigurator: 0.14 to 0.57 in bfloat16, by GPU; one value for all.
	unhidden = 0.3
	// stream is the share of the memory's rate that an operator without products reaches: Azure's
	// benchmarking guide has 79 to 95 % for copies on A100, H100 and H200.
	stream = 0.85
	// castTraffic is the traffic of a quantisation for a number, in bytes: 2 read for the largest
	// value, 2 read for the conversion, 1 written, and 1 written transposed for the weights' gradient.
	castTraffic = 6
	// attentionRamp is the length of a sequence, in tokens, at which the attention's kernel reaches
	// half of its rate for long ones, with attention to earlier tokens only: the diagonal's tiles are
	// computed whole. Fitted on FlashAttention-2 on A100.
	attentionRamp = 500
	// attentionBackwardRate is the rate of the attention's kernel in the backward pass over that of
	// the forward pass: 473 over 555 TFLOP/s in deepseek-ai/profile-data.
	attentionBackwardRate = 0.85
)

// product is a product of matrices, of m×k by k×n numbers; times of them run after each other, each in a kernel of its own.
type product struct{ m, n, k, times float64 }

// seconds is the time of a product at a rate, with operands of the given width in bytes. extra is
// further traffic. It is bound by arithmetic, and if it is small or narrow by memory.
func (g *GPU) seconds(p product, rate, width, extra float64) float64 {
	bytes := (p.m*p.k+p.k*p.n)*width + 2*p.m*p.n + extra
	memory := bytes * 8 / float64(g.MemoryRate)
	return p.times * (start + max(2*p.m*p.n*p.k/rate+unhidden*memory, memory/stream))
}

// streamed is the time of an operator without products that reads and writes a number of bytes.
func (g *GPU) streamed(bytes float64) float64 { return bytes * 8 / float64(g.MemoryRate) / stream }

// products are the times of several products: of the forward pass, of the gradients of their
// inputs, and of the gradients of their weights, which are added to a sum of the given width.
func (g *GPU) products(list []product, sum int64) (forward, inputs, weights float64) {
	for _, p := range list {
		forward += g.seconds(p, g.Matrix, g.Width, 0) + g.cast(p.m*p.k*p.times)
		inputs += g.seconds(product{p.m, p.k, p.n, p.times}, g.Matrix, g.Width, 0) + g.cast(p.m*p.n*p.times)
		weights += g.seconds(product{p.k, p.n, p.m, p.times}, g.Matrix, g.Width, float64(2*sum-2)*p.n*p.k)
	}
	return forward, inputs, weights
}

// cast is the time of converting numbers to 8 bits.
func (g *GPU) cast(numbers float64) float64 {
	if g.Width >= 2 {
		return 0
	}
	return g.streamed(numbers * castTraffic)
}

// duration is a number of seconds as a time.
func duration(seconds float64) units.Time { return units.Time(seconds * float64(units.Second)) }
