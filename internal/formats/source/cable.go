package source

import "weft/units"

// nsPerMetre is a rounded propagation delay that converts latencies to cable lengths.
const nsPerMetre = 10

// cable is the cable length of a latency, as YAML.
func cable(latency units.Time) string {
	return units.Length(int64(latency) / nsPerMetre).Exact()
}
