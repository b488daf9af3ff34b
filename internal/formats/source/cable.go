package source

import "weft/units"

// NsPerMetre is a round propagation that turns latencies into lengths of cable.
const NsPerMetre = 10

// Cable is a cable of a latency, as YAML has its length.
func Cable(latency units.Time) string {
	return units.Length(int64(latency) / NsPerMetre).Exact()
}
