package engine

import "math/rand/v2"

// Stream is the random stream of one component, derived from the seed of the run and the identity
// of the component. The draws of one component do not affect another's.
func Stream(seed uint64, kind, id uint32) rand.PCG {
	a := Mix(seed ^ uint64(kind)<<32 ^ uint64(id))
	return *rand.NewPCG(a, Mix(a^seed))
}

// Mix is the finaliser of SplitMix64 (Steele, Lea, Flood: Fast Splittable
// Pseudorandom Number Generators, OOPSLA 2014): a bijection that spreads the
// bits of x.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
