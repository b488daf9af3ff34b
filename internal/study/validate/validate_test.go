package validate

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"

	"weft/internal/sim/fabric"
	"weft/units"
	"weft/wire"
)

// knownMisses are the rows that miss, each for the reason in its note. A row that misses and is not
// in the list is a defect. A row in the list that passes makes the list out of date.
var knownMisses = []string{
	"fct/star100_inc2_1MB_dcqcn_buf32: mean completion",
	"fct/star100_inc32_1MB_pfconly_buf4: 32 flows, each",
	"uet/incast: 2:1",
	"model/16-nodes: tree, ll, 8 B",
	"model/16-nodes: tree, ll128, 8 B",
	"model/16-nodes: tree, simple, 8 B",
	"model/16-nodes: nvls-tree, simple, 8 B",
	"nccl/ordering-all-to-all: 64 KiB divided, one switch",
	"nccl/ordering-all-to-all: 64 KiB divided, two leaves",
	"nccl/ordering-all-to-all: 256 KiB divided, two leaves",
	"nccl/ordering-all-to-all: 256 KiB with OOO_RQ, one switch",
	"nccl/ordering-all-to-all: 256 KiB with OOO_RQ, two leaves",
	"serving/vllm-one-gpu: first token, 16 requests in a second",
	"serving/vllm-one-gpu: 500 requests at once, later tokens",
	"serving/disaggregated-prefill: RTP-LLM, prompts of 4,096",
	"serving/dynamo: two nodes, 4 × 2 GPUs and 8, first token",
	"serving/dynamo: two nodes, 4 × 2 GPUs and 8, later tokens",
	"serving/dynamo: base line, 4 GPUs, first token",
	"serving/dynamo: one node, 4 × 1 GPU and 4, first token",
	"serving/distserve: OPT 13B, 2 GPUs, 64 answers",
}

func TestEveryCasePassesExceptTheKnownMisses(t *testing.T) {
	cases := slices.DeleteFunc(Cases(), func(c *Case) bool { return c.Cluster != nil }) // their test is TestPredictedTimes
	results, err := Run(t.Context(), cases, Options{Workers: runtime.GOMAXPROCS(0), Short: true})
	if err != nil {
		t.Fatal(err)
	}
	var missed []string
	for i := range results {
		r := &results[i]
		if r.Err != nil {
			t.Errorf("%s: %v", r.Case.ID, r.Err)
		}
		for j := range r.Rows {
			row := &r.Rows[j]
			if row.Verdict() != Miss {
				continue
			}
			name := r.Case.ID + ": " + row.Name
			missed = append(missed, name)
			if row.Note == "" {
				t.Errorf("%s misses without an explanation", name)
			}
			if !slices.Contains(knownMisses, name) {
				t.Errorf("%s: reference %s, weft %s, error %s, tolerance %s", name,
					row.Unit.series(row.Reference), row.Unit.series(row.Weft), row.errorText(), row.Tolerance)
			}
		}
	}
	for _, name := range knownMisses {
		if !slices.Contains(missed, name) {
			t.Errorf("%s no longer misses: take it off the list", name)
		}
	}
}

func group(id string) string {
	name, _, _ := strings.Cut(id, "/")
	return name
}

// ethernetSwitch is the only switch of a case; on InfiniBand it is none of its network's.
func ethernetSwitch(m *Models) *fabric.EthernetSwitch {
	if len(m.EthernetSwitches) == 0 {
		return new(fabric.EthernetSwitch)
	}
	return m.EthernetSwitches[0]
}

// A reference computed with the constants of the models would change with them. So each change of a
// constant must make the case that covers it miss.
func TestChangingAConstantFailsTheCaseThatCoversIt(t *testing.T) {
	for _, c := range []struct {
		name, id string
		change   func(*Models)
	}{
		{"a byte more of InfiniBand's header", "packet/infiniband", func(m *Models) { m.NIC.Overhead[wire.UCSendOnly]++ }},
		{"a byte more of RoCE's header", "packet/roce/cut-through", func(m *Models) { m.NIC.Overhead[wire.UCSendOnly]++ }},
		{"a middle packet without an ICRC", "message/roce", func(m *Models) { m.NIC.Overhead[wire.UCWriteMiddle] -= 4 }},
		{"FDR of 147 ps a byte", "message/infiniband", func(m *Models) {
			if m.Link.Generation == "fdr" {
				m.Link.LaneRate = m.Link.LaneRate * 440 / 441
			}
		}},
		{"a signal that takes a picosecond longer", "packet/roce/store-and-forward", func(m *Models) { m.Link.FECLatency++ }},
		{"a switch that takes a picosecond less", "packet/two-rates", func(m *Models) {
			m.InfiniBandSwitch.Pipeline--
			ethernetSwitch(m).Pipeline--
		}},
		{"a buffer that is a credit block smaller", "credits/nic", func(m *Models) { m.NIC.Credits.Blocks[0]-- }},
		{"a credit update that is 10 ns late", "credits/switch", func(m *Models) { m.InfiniBandSwitch.Credits.Latency += 10 * ns }},
		{"a reaction to PFC of one more packet", "pfc/headroom", func(m *Models) {
			m.NIC.PFC.Reaction += (4096 + 82) * units.Time(m.Link.Rate().PerByte().Num)
		}},
		{"a class for DSCP 4 that is lossy", "pfc/classes", func(m *Models) { ethernetSwitch(m).PFC.Lossless = 1 << 1 }},
		{"a PFC frame of 4 KiB", "pfc/headroom", func(m *Models) { ethernetSwitch(m).PFC.FrameBytes += 4096 }},
		{"a link of 395 Gb/s", "incast/roce", func(m *Models) { m.Link.LaneRate = m.Link.LaneRate * 395 / 400 }},
		{"a byte more of the DETH", "verbs/headers", func(m *Models) { m.NIC.Overhead[wire.UDSendOnly]++ }},
		{"twice as many READs in flight", "verbs/read/roce", func(m *Models) { m.NIC.Transport.MaxReads *= 2 }},
		{"g of 1/128", "dcqcn/equations", func(m *Models) { m.DCQCN.Gain *= 2 }},
		{"a CCTI_Increase of 2", "ibcc/table", func(m *Models) { m.IBCC.Increase-- }},
		{"a hot port that marks nothing", "ibcc/victim", func(m *Models) { m.InfiniBandSwitch.FECN.Threshold = 0 }},
		{"links of that simulator 1 us longer", "fct/star100_inc1_1MB_pfconly_buf32", func(m *Models) { m.Link.FECLatency += units.Microsecond }},
		{"acknowledgements of 192 B", "ring/roce", func(m *Models) { m.NIC.Overhead[wire.RCAcknowledge] += 106 }},
		{"a SES header of 40 bytes", "uet/message", func(m *Models) { m.NIC.Overhead[wire.RCWriteMiddle] -= 4 }},
		{"a link of 350 Gb/s", "uet/incast", func(m *Models) { m.Link.LaneRate = m.Link.LaneRate * 350 / 400 }},
		{"MPA without a CRC", "iwarp/message", func(m *Models) { m.NIC.MPA.Unit -= 4 }},
		{"inputs that are read once at a time, without virtual queues", "uniform/voq", func(m *Models) {
			*m.InfiniBandSwitch = fabric.InfiniBandSwitch{
				Pipeline: m.InfiniBandSwitch.Pipeline, Credits: m.InfiniBandSwitch.Credits, ReadPorts: 1, FIFO: true,
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cases, err := Select(c.id)
			if err != nil {
				t.Fatal(err)
			}
			rows, err := cases[0].Run(&Env{Ctx: t.Context(), Short: true, Change: c.change})
			r := Result{Case: cases[0], Rows: rows, Err: err}
			if r.verdict() != Miss {
				t.Errorf("%s: %s changes nothing in %s", c.id, c.name, r.verdict())
			}
		})
	}
}

func TestAStoppedRunKeepsTheCasesThatAreDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cases, err := Select("packet")
	if err != nil {
		t.Fatal(err)
	}
	slow, err := Select("queue")
	if err != nil {
		t.Fatal(err)
	}
	results, err := Run(ctx, slices.Concat(cases, slow), Options{Workers: 1, Done: func(r *Result) {
		if r.Case == cases[len(cases)-1] {
			cancel()
		}
	}})
	if err == nil || len(results) != len(cases) {
		t.Errorf("%d results and %v, want the %d that were done before the stop and its error", len(results), err, len(cases))
	}
}

func TestSelectKnowsFoldersAndGlobs(t *testing.T) {
	for glob, want := range map[string]int{"*": len(Cases()), "packet": 4, "packet/roce": 2, "packet/*/cut-through": 1, "fct/star400_*": 4} {
		got, err := Select(glob)
		if err != nil || len(got) != want {
			t.Errorf("%q selects %d cases, %v; want %d", glob, len(got), err, want)
		}
	}
	for _, glob := range []string{"", "nothing", "["} {
		if _, err := Select(glob); err == nil {
			t.Errorf("%q is no error", glob)
		}
	}
}

func TestNamesAreUniqueAndTheirChaptersExist(t *testing.T) {
	seen := map[string]bool{}
	for _, id := range IDs() {
		if seen[id] {
			t.Errorf("two cases are called %s", id)
		}
		seen[id] = true
		if !slices.ContainsFunc(Chapters, func(c Chapter) bool { return c.ID == group(id) }) {
			t.Errorf("%s is in no chapter of the page", id)
		}
	}
}
