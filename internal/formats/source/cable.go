package source

import "weft/units"

// nsPerMetre is a rounded propagation delay that converts latencies to cable lengths.
const nsPerMetre = 10

// Cable is the cable length of a latency, as YAML.
func Cable(latency units.Time) string {
	return units.Length(int64(latency) / nsPerMetre).Exact()
}
