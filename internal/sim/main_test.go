package sim

import (
	"context"
	"fmt"
	"testing"
	"time"

	"weft/scenario"
)

func TestMain128(t *testing.T) {
	f, err := scenario.Load("../../examples/h100-128.yaml")
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	out, err := Run(context.Background(), r, Options{})
	fmt.Println(time.Since(start), err)
	for _, f := range out.Fabrics {
		for _, p := range f.Points {
			fmt.Printf("%s %9d %-9s %-6s %2d %v alg %.2f bus %.2f p99 %v max %v hops %d ev %d stalls %d pauses %d marks %d drops %d hot %v\n", f.Name, p.Bytes, p.Algorithm, p.Wire, p.Channels, p.Time, p.AlgBW, p.BusBW, p.Flows.P99, p.Flows.Max, p.Counts.PacketHops, p.Counts.Events, p.Counts.CreditStalls, p.Counts.Pauses, p.Counts.Marks, p.Counts.Drops(), p.Hottest[:min(1, len(p.Hottest))])
		}
	}
}
