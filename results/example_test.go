package results_test

import (
	"fmt"

	"weft/results"
	"weft/units"
)

// The point of a fabric and size, and what its network counted.
func ExampleResults_Find() {
	r := &results.Results{Fabrics: []results.FabricResult{{Name: "roce", Points: []results.Point{
		{Bytes: int64(units.MiB), Time: 70 * units.Microsecond, Counts: results.Counts{Packets: 4096, Marks: 12}},
	}}}}
	if p := r.Find("roce", units.MiB); p != nil {
		fmt.Println(p.Time, "-", p.Counts)
	}
	// Output:
	// 70 us - packets 4096, ecn_marks 12
}
