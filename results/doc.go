// Package results is what a run gives: [Results] has a [FabricResult] for each fabric, and each
// of these a [Point] for each size, with its times and the counts of the network. Times are
// simulated picoseconds; bandwidths are floats in GB/s of 10⁹ bytes.
//
// Encode writes results.json, which has no wall-clock times: equal runs give equal files.
// DecodeResults reads it. [Training] and [Serving] are the results of weft train and weft serve,
// [Series] is what a simulation records over its time.
package results
