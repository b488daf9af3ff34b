package cablehealth

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/base/portstate"
)

// tellings is what a set says, a line each. Lines of files are counted from above.
func tellings(set *portstate.Set, above int) (all []string) {
	for _, r := range set.Readings {
		line := fmt.Sprintf("%d %s %v %s to %s", r.At.Line-above, r.Reader, r.Port, r.State.Value, r.Peer)
		for _, c := range r.Counters {
			line += fmt.Sprintf(", %v", c)
		}
		all = append(all, fmt.Sprintf("%s, %d measured", line, len(r.Measured)))
	}
	for _, p := range set.Pauses {
		all = append(all, fmt.Sprintf("%v %d %d", p.Port, p.Sent, p.Received))
	}
	for _, r := range set.Remarks {
		all = append(all, fmt.Sprintf("%d %s", r.At.Line-above, r.Value))
	}
	return all
}

// captured are outputs that a terminal can show, by their commands.
var captured = []struct{ device, command, file string }{
	{"admin@leaf1:~", "show interfaces counters", "interfaces.txt"},
	{"admin@leaf1:~", "show pfc counters", "pfc.txt"},
	{"admin@leaf1:~", "show queue watermark unicast", "queue-watermark.txt"},
	{"admin@leaf1:~", "sudo show interfaces transceiver eeprom -d", "transceiver.txt"},
	{"admin@leaf1:~", "show lldp table", "lldp.txt"},
	{"admin@leaf2:~", "show pfc counters", "pfc.txt"},
	{"root@gpu1:~", "mlnx_qos -i ens1", "mlnx_qos.txt"},
	{"root@gpu1:~", "ethtool -S ens1", "ethtool-S.txt"},
	{"root@gpu1:~", "rdma statistic show", "rdma-statistic.txt"},
}

// TestACaptureGivesEachReaderItsPart: a file with several outputs says what the outputs say as files of their own.
func TestACaptureGivesEachReaderItsPart(t *testing.T) {
	whole, lines := "", 0
	var want []string
	for _, c := range captured {
		text := fmt.Sprintf("%s$ %s\n%s", c.device, c.command, example(t, "roce/counters/testdata/"+c.file).Text)
		set, _, err := Read([]Source{{"x.txt", text}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, tellings(set, -lines)...)
		whole += text
		lines += strings.Count(text, "\n")
	}
	set, files, err := Read([]Source{{"x.txt", whole}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	kind := "show interfaces counters, show pfc counters, watermark, show interfaces transceiver eeprom, show lldp table, mlnx_qos, ethtool -S, rdma statistic"
	if len(files) != 1 || files[0].Kind != kind {
		t.Errorf("kinds %v, want %s", files, kind)
	}
	got := map[string]int{}
	for _, line := range tellings(set, 0) {
		got[line]++
	}
	for _, line := range want {
		if got[line]--; got[line] < 0 {
			t.Errorf("not in the capture: %s", line)
		}
	}
	if n := len(tellings(set, 0)); n != len(want) {
		t.Errorf("%d readings, pauses and remarks in the capture, %d in the files", n, len(want))
	}
}

// TestFilesBehindEachOtherAreCutAtTheirHeads: without prompts, too, also behind more than one window.
func TestFilesBehindEachOtherAreCutAtTheirHeads(t *testing.T) {
	long := example(t, "roce/counters/testdata/pfc.txt").Text
	for len(long) < 3*window {
		long += "Ethernet" + strings.Repeat(" ", 1) + "\n"
	}
	whole := long
	for _, name := range []string{"interfaces", "queue-watermark", "transceiver", "lldp"} {
		whole += example(t, "roce/counters/testdata/"+name+".txt").Text
	}
	set, files, err := Read([]Source{{"all.txt", whole}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "show pfc counters, show interfaces counters, watermark, show interfaces transceiver eeprom, show lldp table"; files[0].Kind != want {
		t.Errorf("kinds %s, want %s", files[0].Kind, want)
	}
	lines := strings.Split(whole, "\n")
	for _, r := range set.Readings {
		if !strings.Contains(lines[r.At.Line-1], r.Port.Name) {
			t.Errorf("%s is told at line %d, which is %q", r.Port, r.At.Line, lines[r.At.Line-1])
		}
	}
}

// TestAFileOfOneKindStaysWhole.
func TestAFileOfOneKindStaysWhole(t *testing.T) {
	for _, folder := range []string{"roce/counters", "ib/counters", "base/cabling/planfile"} {
		files, err := filepath.Glob("../../" + folder + "/testdata/*.*")
		if err != nil || len(files) < 10 {
			t.Fatalf("%d files in %s: %v", len(files), folder, err)
		}
		for _, path := range files {
			if parts := partsOf(0, example(t, strings.TrimPrefix(path, "../../"))); len(parts) != 1 {
				t.Errorf("%s is cut into %d parts: the second begins with %q", path, len(parts), parts[1].Text[:min(80, len(parts[1].Text))])
			}
		}
	}
}

// TestWhatNoReaderKnowsInACaptureIsSaidByItsLine, and neighbours that another room reads are no such thing.
func TestWhatNoReaderKnowsInACaptureIsSaidByItsLine(t *testing.T) {
	text := "Last login: Monday\nadmin@leaf1:~$ date\nMon Nov 30 08:00:00 UTC 2026\nadmin@leaf1:~$ show pfc counters\n" + example(t, "roce/counters/testdata/pfc.txt").Text +
		"\nadmin@leaf1:~$ show version\nSONiC 202405\nadmin@leaf1:~$ show lldp neighbors\nInterface:    Ethernet0, via: LLDP, RID: 1, Time: 0 day\n" +
		"  Chassis:\n    SysName:      spine1\n  Port:\n    PortID:       local Ethernet4\nadmin@leaf1:~$ \n"
	set, files, err := Read([]Source{{"x.txt", text}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := 1 + strings.Count(text[:strings.Index(text, "admin@leaf1:~$ show version")], "\n")
	want := fmt.Sprintf("x.txt:1: what stands above the next prompt is of no known kind and is left out: 1 line\nx.txt:%d: the output of \"show version\" is of no known kind and is left out", at)
	if got := strings.Join(set.Notes, "\n"); !strings.Contains(got, want) || strings.Contains(got, "neighbors") || strings.Contains(got, "date") {
		t.Errorf("notes %q, want %q", got, want)
	}
	if want := "lldpctl, show pfc counters"; files[0].Kind != want {
		t.Errorf("kinds %s, want %s", files[0].Kind, want)
	}
	dated, neighbours := 0, 0
	for _, r := range set.Readings {
		if r.Time != 0 {
			dated++
		}
		if r.HasPeer && r.At.Line == at+3 {
			neighbours++
		}
	}
	if dated == 0 || neighbours != 2 {
		t.Errorf("%d readings have the date above them, %d are of the neighbour of line %d; want some, and both ends", dated, neighbours, at+3)
	}
}
