package source

import "weft/units"

// NsPerMetre is a rounded propagation delay that converts latencies to cable lengths.
const NsPerMetre = 10

// Cable is the cable length of a latency, as YAML.
func Cable(latency units.Time) string {
	return units.Length(int64(latency) / NsPerMetre).Exact()
}
