package hpcc

// mrg is the combined multiple recursive generator MRG32k3a (L'Ecuyer, "Good
// parameters and implementations for combined multiple recursive random number
// generators", Operations Research 47(1), 1999) with the streams and substreams
// of L'Ecuyer, Simard, Chen and Kelton (2002), 2^127 and 2^76 steps apart. That
// simulator takes one number from a stream of its own per decision to mark.
type mrg struct {
	// first and second are the states of the next stream's substream.
	first, second [3]uint64
	// jump leads from a stream to the next.
	jumpFirst, jumpSecond matrix
}

type matrix [3][3]uint64

const (
	mrgM1   = 4294967087
	mrgM2   = 4294944443
	mrgA12  = 1403580
	mrgA13  = 810728
	mrgA21  = 527612
	mrgA23  = 1370589
	mrgNorm = 1.0 / (mrgM1 + 1)
)

// newMRG starts at the first number of this stream, in substream 1, with seed 1.
func newMRG(stream int) *mrg {
	a := matrix{{0, 1, 0}, {0, 0, 1}, {mrgM1 - mrgA13, mrgA12, 0}}
	b := matrix{{0, 1, 0}, {0, 0, 1}, {mrgM2 - mrgA23, 0, mrgA21}}
	g := &mrg{
		jumpFirst: a.squared(127, mrgM1), jumpSecond: b.squared(127, mrgM2),
		first:  a.squared(76, mrgM1).times([3]uint64{1, 1, 1}, mrgM1),
		second: b.squared(76, mrgM2).times([3]uint64{1, 1, 1}, mrgM2),
	}
	for range stream {
		g.skip()
	}
	return g
}

// skip goes to the next stream.
func (g *mrg) skip() {
	g.first = g.jumpFirst.times(g.first, mrgM1)
	g.second = g.jumpSecond.times(g.second, mrgM2)
}

// draw gives the first number of the stream, in (0, 1), and goes to the next stream.
func (g *mrg) draw() float64 {
	p := (mrgA12*g.first[1] + (mrgM1-mrgA13)*g.first[0]%mrgM1) % mrgM1
	q := (mrgA21*g.second[2] + (mrgM2-mrgA23)*g.second[0]%mrgM2) % mrgM2
	g.skip()
	if p > q {
		return float64(p-q) * mrgNorm
	}
	return float64(p+mrgM1-q) * mrgNorm
}

func (m matrix) times(v [3]uint64, mod uint64) (out [3]uint64) {
	for i, row := range m {
		for j, a := range row {
			out[i] = (out[i] + a*v[j]%mod) % mod
		}
	}
	return out
}

// squared is m to the power of 2^n.
func (m matrix) squared(n int, mod uint64) matrix {
	for range n {
		var next matrix
		for i := range 3 {
			for j := range 3 {
				for k := range 3 {
					next[i][j] = (next[i][j] + m[i][k]*m[k][j]%mod) % mod
				}
			}
		}
		m = next
	}
	return m
}
