package weft_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"weft"
	"weft/units"
)

// An all-reduce on two nodes of eight GPUs, on two fabrics.
func ExampleCollective() {
	c := weft.Collective{Op: "all-reduce", Cluster: "dgx-h100", Nodes: 2, Fabrics: []string{"infiniband-ndr", "roce-v2-400g"}, Sizes: []units.Bytes{units.MiB}}
	results, err := c.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range results.Fabrics {
		fmt.Printf("%s: %v, busbw %.1f GB/s\n", f.Name, f.Points[0].Time, f.Points[0].BusBW)
	}
	// Output:
	// infiniband-ndr: 72.47 us, busbw 27.1 GB/s
	// roce-v2-400g: 71.65 us, busbw 27.4 GB/s
}

// A scenario from a file, with two fields changed. Each fabric is compared with the first.
func ExampleLoad() {
	file, err := weft.Load("examples/h100-128.yaml")
	if err != nil {
		log.Fatal(err)
	}
	r, err := file.Resolve(
		weft.Set("workload.sizes", []units.Bytes{units.MiB}, "example"),
		weft.Set("cluster.nodes", 4, "example"),
	)
	if err != nil {
		log.Fatal(err)
	}
	results, err := weft.Run(context.Background(), r, weft.Options{})
	if err != nil {
		log.Fatal(err)
	}
	first := results.Fabrics[0].Points[0].Time
	for _, f := range results.Fabrics {
		p := f.Points[0]
		fmt.Printf("%-16s %10v  %4.2f times the first\n", f.Name, p.Time, float64(p.Time)/float64(first))
	}
	// Output:
	// infiniband-ndr     103.6 us  1.00 times the first
	// roce-v2-400g       101.8 us  0.98 times the first
	// spectrum-x-400g    108.5 us  1.05 times the first
	// tcp-400g           254.9 us  2.46 times the first
}

// An incast of seven NICs into one, on RoCE v2 with DCQCN and without congestion control.
func ExampleNew() {
	dcqcn := weft.Fabric{Preset: "roce-v2-400g", Name: "DCQCN"}
	plain := weft.Fabric{Preset: "roce-v2-400g", Name: "no control", CC: weft.CC{Preset: "none"}}
	file, err := weft.New("incast", &weft.Scenario{
		Cluster:  weft.Cluster{Nodes: 8, Node: weft.Node{GPUs: 1, NICs: 1}},
		Topology: weft.Topology{Shape: "single-switch"},
		Fabrics:  []weft.Fabric{dcqcn, plain},
		Workload: weft.Workload{Pattern: "incast", FanIn: 7, Receivers: 1, Sizes: []units.Bytes{8 * units.MiB}},
	})
	if err != nil {
		log.Fatal(err)
	}
	// In Go a zero field means the default, so the value false needs an override.
	r, err := file.Resolve(weft.Set("fabrics[1].ethernet.ecn.enabled", false, "no control"))
	if err != nil {
		log.Fatal(err)
	}
	results, err := weft.Run(context.Background(), r, weft.Options{Workers: 1})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range results.Fabrics {
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
	file, err := weft.New("progress", c.Scenario())
	if err != nil {
		log.Fatal(err)
	}
	r, err := file.Resolve()
	if err != nil {
		log.Fatal(err)
	}
	share := 0.0 // of the simulations that have ended
	results, err := weft.Run(ctx, r, weft.Options{
		Workers:  1,
		Progress: func(p weft.Progress) { share = float64(p.Done) / float64(p.Total) },
		Finished: func(f weft.Finished) {
			fmt.Println(units.Bytes(f.Point.Bytes), f.Point.Algorithm, f.Point.Time)
		},
	})
	if err != nil {
		log.Fatal(err) // after the minute results.Partial is set
	}
	fmt.Printf("%d ranks, %.0f %% done\n", results.Ranks, 100*share)
	// Output:
	// 64 KiB ring 34.26 us
	// 1 MiB ring 56.72 us
	// 16 ranks, 100 % done
}

// Each error of a scenario has its line and column.
func ExampleParse() {
	_, err := weft.Parse("mine.yaml", []byte("cluster: {nodes: 2, node: dgx-h10}\nworkload: {colective: all-reduce}\n"))
	fmt.Println(err)
	// Output:
	// mine.yaml:1:27: cluster.node: node "dgx-h10" is not known: did you mean "dgx-h100"?
	// mine.yaml:2:12: workload.colective: there is no such field: did you mean "collective"?
}
