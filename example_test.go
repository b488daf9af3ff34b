package weft_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"weft"
	"weft/scenario"
	"weft/units"
)

// An all-reduce on two nodes of eight GPUs, on two fabrics.
func ExampleCollective() {
	c := weft.Collective{Op: "all-reduce", Cluster: "dgx-h100", Nodes: 2, Fabrics: []string{"infiniband-ndr", "roce-v2-400g"}, Sizes: []units.Bytes{units.MiB}}
	out, err := c.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range out.Fabrics {
		fmt.Printf("%s: %v, busbw %.1f GB/s\n", f.Name, f.Points[0].Time, f.Points[0].BusBW)
	}
	// Output:
	// infiniband-ndr: 82.88 us, busbw 23.7 GB/s
	// roce-v2-400g: 82.06 us, busbw 24.0 GB/s
}

// A scenario from a file, with two fields changed. Each fabric is compared with the first.
func ExampleRun_file() {
	file, err := scenario.Load("examples/h100-128.yaml")
	if err != nil {
		log.Fatal(err)
	}
	r, err := file.Resolve(
		scenario.Set("workload.sizes", []units.Bytes{units.MiB}, "example"),
		scenario.Set("cluster.nodes", 4, "example"),
	)
	if err != nil {
		log.Fatal(err)
	}
	out, err := weft.Run(context.Background(), r, weft.Options{})
	if err != nil {
		log.Fatal(err)
	}
	first := out.Find("infiniband-ndr", units.MiB).Time
	for _, f := range out.Fabrics {
		p := f.Points[0]
		fmt.Printf("%-16s %10v  %4.2f times the first\n", f.Name, p.Time, float64(p.Time)/float64(first))
	}
	// Output:
	// infiniband-ndr     111.2 us  1.00 times the first
	// roce-v2-400g       109.6 us  0.99 times the first
	// spectrum-x-400g    116.2 us  1.04 times the first
	// tcp-400g           261.3 us  2.35 times the first
}

// An incast of seven NICs into one, on RoCE v2 with DCQCN and without congestion control.
func ExampleRun_go() {
	dcqcn := scenario.Fabric{Preset: "roce-v2-400g", Name: "DCQCN"}
	plain := scenario.Fabric{Preset: "roce-v2-400g", Name: "no control", CC: scenario.CC{Preset: "none"}}
	file, err := scenario.New("incast", &scenario.Scenario{
		Cluster:  scenario.Cluster{Nodes: 8, Node: scenario.Node{GPUs: 1, NICs: 1}},
		Topology: scenario.Topology{Shape: "single-switch"},
		Fabrics:  []scenario.Fabric{dcqcn, plain},
		Workload: scenario.Workload{Pattern: "incast", FanIn: 7, Receivers: 1, Sizes: []units.Bytes{8 * units.MiB}},
	})
	if err != nil {
		log.Fatal(err)
	}
	// In Go a zero field means the default, so the value false needs an override.
	r, err := file.Resolve(scenario.Set("fabrics[1].ethernet.ecn.enabled", false, "no control"))
	if err != nil {
		log.Fatal(err)
	}
	out, err := weft.Run(context.Background(), r, weft.Options{Workers: 1})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range out.Fabrics {
		p := f.Points[0]
		fmt.Printf("%s: last message after %v, %d marks, %d pauses, %d drops\n", f.Name, p.Flows.Max, p.Counts.Marks, p.Counts.Pauses, p.Counts.Drops())
	}
	// Output:
	// DCQCN: last message after 1.55 ms, 12034 marks, 0 pauses, 0 drops
	// no control: last message after 1.2 ms, 0 marks, 0 pauses, 0 drops
}

// A run that ends after a minute at the latest and reports each finished simulation.
func ExampleRun() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := weft.Collective{Op: "all-gather", Nodes: 2, Fabrics: []string{"roce-v2-400g"}, Sizes: []units.Bytes{64 * units.KiB, units.MiB}}
	file, err := scenario.New("progress", c.Scenario())
	if err != nil {
		log.Fatal(err)
	}
	r, err := file.Resolve()
	if err != nil {
		log.Fatal(err)
	}
	share := 0.0 // of the simulations that have ended
	out, err := weft.Run(ctx, r, weft.Options{
		Workers:  1,
		Progress: func(p weft.Progress) { share = float64(p.Done) / float64(p.Total) },
		Finished: func(f weft.Finished) {
			fmt.Println(units.Bytes(f.Point.Bytes), f.Point.Algorithm, f.Point.Time)
		},
	})
	if err != nil {
		log.Fatal(err) // after the minute out.Partial is set
	}
	fmt.Printf("%d ranks, %.0f %% done\n", out.Ranks, 100*share)
	// Output:
	// 64 KiB ring 34.5 us
	// 1 MiB ring 65.5 us
	// 16 ranks, 100 % done
}
