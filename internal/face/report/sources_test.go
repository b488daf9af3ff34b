package report

import (
	"bytes"
	"strings"
	"testing"

	"weft/internal/face/doc"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// If storage fills a link, the verdict, the tables and the page name the sources of the load, and
// give the bandwidth of the streams.
func TestLoadIsAttributedToItsSource(t *testing.T) {
	r := fabricate(threeFabrics[:1], []int64{64 << 20})
	p := &r.Fabrics[0].Points[0]
	h := &p.Hottest[0]
	h.Busy, h.Bytes = 0.99, 1000
	h.Sources = []results.LinkSource{{Name: "all-reduce", Bytes: 220}, {Name: "storage", Bytes: 780}}
	p.Beside = []results.Stream{
		{Name: "storage", Operation: "read", Messages: 30, GBps: 21, MeanPs: int64(40 * units.Microsecond), P99Ps: int64(50 * units.Microsecond)},
		{Name: "storage", Operation: "read", Messages: 10, GBps: 7, MeanPs: int64(80 * units.Microsecond), P99Ps: int64(90 * units.Microsecond)},
	}
	v := judged(r, madeUp())
	mustSay(t, v, "infiniband-ndr shares a link that is at its limit: leaf-0:3 → node-0 nic-0 is busy 99 % of the time; of its bytes, storage 78 % and all-reduce 22 %",
		"At 64 MiB, storage on infiniband-ndr gets 28.0 GB/s (2 streams, 14.0 GB/s each on average) beside the workload.")
	mustNotSay(t, v, "at the limit of its wire")
	var page bytes.Buffer
	if err := Comparison(r, madeUp(), nil).HTML(&page); err != nil {
		t.Fatal(err)
	}
	text := terminal(t, r, madeUp(), doc.Style{})
	for _, want := range []string{"28.0", "50.00 us", "90.00 us", "78 %", "storage"} {
		if !strings.Contains(text, want) || !strings.Contains(words(page.String()), want) {
			t.Errorf("%q is not both in the table and on the page:\n%s", want, text)
		}
	}
	h.Sources, p.Beside = nil, nil
	mustSay(t, judged(r, madeUp()), "at the limit of its wire")
}

// The report says if a fabric uses fewer ports of its switch, to match another fabric's switch.
func TestAFabricThatUsesFewerPortsThanItsSwitchHasIsNamed(t *testing.T) {
	file, err := scenario.Decode("test", []byte("cluster: {nodes: 2, node: {preset: dgx-b200, nic: {model: connectx-8, rate: 800Gbps}}}\nfabrics: [infiniband-xdr, roce-v2-800g]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		radix string
		says  bool
	}{{"", true}, {"144", false}} {
		var over []scenario.Override
		if c.radix != "" {
			over = append(over, scenario.Override{Path: "fabrics[0].topology.radix", Value: c.radix})
		}
		sc, err := file.Resolve(over...)
		if err != nil {
			t.Fatal(err)
		}
		r := fabricate(threeFabrics[:2], sizesOf()[:3])
		for i := range r.Fabrics {
			r.Fabrics[i].Name = sc.Fabrics[i].Name
		}
		const want = "with 64 ports a switch, as many as sn5600 of roce-v2-800g has; larger switches: infiniband-xdr has 144 (q3400)."
		if got := said(judged(r, sc)); strings.Contains(got, want) != c.says {
			t.Errorf("radix %q: %q is said: %v, want %v\n%s", c.radix, want, !c.says, c.says, got)
		}
	}
}

// Times are not compared if the fabrics lost different numbers of messages.
func TestUnequalLossIsNotCompared(t *testing.T) {
	r := fabricate(threeFabrics[:2], []int64{1 << 20, 64 << 20})
	r.Fabrics[0].Points[0].Counts.MessagesLost, r.Fabrics[1].Points[0].Counts.MessagesLost = 3, 300
	r.Fabrics[1].Points[1].Counts.MessagesBarred = 4
	mustSay(t, judged(r, nil), "No size has a result on every fabric", "At 1 MiB the fabrics did not deliver the same messages", "At 64 MiB the fabrics did not")
	r.Fabrics[0].Points[0].Counts.MessagesLost = 300
	mustSay(t, judged(r, nil), "At 1 MiB infiniband-ndr")
}
