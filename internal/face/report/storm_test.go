package report

import (
	"reflect"
	"strings"
	"testing"

	"weft/internal/face/doc"
	"weft/results"
	"weft/units"
)

// told is the sentences about the pauses of a run.
func told(r *results.Results) (out []string) {
	for _, b := range pauseStories(r) {
		out = append(out, b.(doc.Paragraph).Text)
	}
	return out
}

// pausedRun is a run of one fabric with these pauses.
func pausedRun(p *results.Pauses) *results.Results {
	r := fabricate(threeFabrics[:1], []int64{1 << 20})
	r.Fabrics[0].Name, r.Fabrics[0].Rate, r.Fabrics[0].Points[0].Pauses = "one bad NIC", 400*units.Gbps, p
	return r
}

func TestAStoryNamesTheNICThatStormedWhomItStoppedAndTheVictim(t *testing.T) {
	p := slowNIC()
	p.Links[0].Sender, p.Links[1].Sender, p.Links[2].Sender = "leaf", "a", "b"
	p.Flows[1].Bytes = 10e6 // 200 us at 400 Gb/s
	got := strings.Join(told(pausedRun(p)), "\n")
	const want = `slow stormed on "one bad NIC" at 1 MiB: from 0 on it stopped leaf for 4.00 ms without a break. That is where the pauses begin; look at this NIC and its host first.
leaf stopped a and b (2.00 ms to 3.00 ms).
Flows that cross leaf port 1 waited: a to slow (5.00 ms). Victim: b to c never crosses it, but shares b port 1 with traffic that does; it took 3.00 ms, 15 times as long as its bytes take at 400 Gb/s.`
	if got != want {
		t.Errorf("the story is\n%s\nwant\n%s", got, want)
	}
}

// A NIC storms if its pauses last. Short pauses are those of a slow NIC; and where the pausing switch held the bytes for
// a port, the NIC behind it has too many senders.
func TestAStormIsToldFromASlowNICAndFromAnIncast(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*results.PausedLink)
		want   string
	}{
		"short pauses": {func(l *results.PausedLink) { l.Pauses = 100 }, "slow takes in less than comes for it"},
		"incast":       {func(l *results.PausedLink) { l.Cause, l.CauseNIC = "switch port 2 to c", "c" }, "(incast): more came to slow for c than its port carries"},
		"two switches": {func(l *results.PausedLink) { l.Cause = "switch port 2 to spine" }, "A link between switches has too much load"},
	} {
		p := slowNIC()
		c.change(&p.Links[0])
		if got := told(pausedRun(p)); !strings.Contains(got[0], c.want) || strings.Contains(got[0], "stormed") {
			t.Errorf("%s: %s", name, got[0])
		}
	}
}

func TestARunWithoutRecordedPausesHasNoStory(t *testing.T) {
	r := fabricate(threeFabrics, []int64{1 << 20})
	r.Fabrics[1].Points[0].Counts.Pauses = 10
	if got := told(r); got != nil {
		t.Errorf("the story is %q", got)
	}
	if got := Explains(r); got != "who paused whom" {
		t.Errorf("weft explain says %q, want who paused whom", got)
	}
}

// A run without pauses, drops, marks and busy links has nothing more to explain.
func TestAQuietRunDoesNotNameExplain(t *testing.T) {
	r := fabricate(threeFabrics, []int64{1 << 20})
	for i := range r.Fabrics {
		r.Fabrics[i].Points[0].Hottest = []results.HotLink{{Name: "leaf0 port 1 to spine0", Busy: 0.3, Bytes: 110, Mean: 100, Tier: "leaf to spine"}}
	}
	if got := Explains(r); got != "" {
		t.Errorf("weft explain says %q, want nothing", got)
	}
	r.Fabrics[0].Points[0].Hottest[0].Bytes = 200
	if got := Explains(r); got != "who used the busiest links" {
		t.Errorf("weft explain says %q, want who used the busiest links", got)
	}
}

// Every count of dropped packets has its words, and only these.
func TestEveryDropHasAReason(t *testing.T) {
	for i := range reflect.TypeFor[results.Counts]().NumField() {
		var c results.Counts
		f := reflect.ValueOf(&c).Elem().Field(i)
		if f.Kind() != reflect.Int64 {
			continue
		}
		f.SetInt(7)
		sum := int64(0)
		for _, x := range dropReasons {
			sum += x.of(&c)
		}
		if sum != c.Drops() {
			t.Errorf("%s: the reasons count %d drops, want %d", reflect.TypeFor[results.Counts]().Field(i).Name, sum, c.Drops())
		}
	}
}

func TestTransfersOfALinkHaveTheirShareOfItsData(t *testing.T) {
	h := results.HotLink{Bytes: 1100, More: 3, MoreBytes: 100, Transfers: []results.LinkTransfer{
		{From: 7, To: 8, Channels: []int32{0, 4}, Bytes: 500},
		{From: 3, To: 9, Group: "data parallel", Channels: []int32{1}, Bytes: 200},
		{From: 1, To: 2, Bytes: 100},
		{From: 2, To: 1, Bytes: 60},
		{From: 4, To: 1, Bytes: 40},
	}}
	const want = `rank 7 to rank 8 (channels 0 and 4, 50 %), rank 3 to rank 9 (channel 1, "data parallel", 20 %), rank 1 to rank 2 (10 %), rank 2 to rank 1 (6.0 %) and 4 more pairs of ranks (14 %)`
	if got := whose(h); got != want {
		t.Errorf("the link carried %s\nwant %s", got, want)
	}
	all := results.HotLink{More: 99, MoreBytes: 990, Senders: 8, Receivers: 40, Transfers: []results.LinkTransfer{{From: 1, To: 2, Bytes: 10}}}
	const many = "100 pairs of ranks (8 senders, 40 receivers), each with at most 1.0 %"
	if got := whose(all); got != many {
		t.Errorf("the link carried %s\nwant %s", got, many)
	}
}
