package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/internal/roce/host"
	"weft/internal/roce/sonic"
	"weft/units"
)

// done is the place of a value that a fix has set.
var done = host.Place{File: "fix", Line: 1}

// obey applies a line of a fix to a host; an unknown line fails the test.
func obey(t *testing.T, h *host.Host, line string) {
	t.Helper()
	number := func(text string) int {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("%q of %q is no number", text, line)
		}
		return n
	}
	words := strings.Fields(line)
	last := words[len(words)-1]
	switch {
	case strings.Contains(line, "--trust dscp"):
		h.Trust = host.Said[string]{Value: "dscp", At: done}
	case strings.Contains(line, "--dscp2prio set,"):
		n := strings.Split(strings.TrimPrefix(last, "set,"), ",")
		h.Priority[number(n[0])] = host.Said[int]{Value: number(n[1]), At: done}
	case strings.Contains(line, "--pfc "):
		var on []int
		for p, flag := range strings.Split(last, ",") {
			if flag == "1" {
				on = append(on, p)
			}
		}
		h.PFC = host.Said[[]int]{Value: on, At: done}
	case strings.Contains(line, "--cable_len="):
		_, metres, _ := strings.Cut(line, "=")
		h.Cable = host.Said[units.Length]{Value: units.Length(number(metres)) * units.Metre, At: done}
	case strings.HasPrefix(line, "ethtool -A "):
		h.Pause = [2]host.Said[bool]{}
	case strings.HasPrefix(line, "ip link set dev "):
		h.MTU = host.Said[units.Bytes]{Value: units.Bytes(number(last)), At: done}
	case strings.HasPrefix(line, "NCCL_IB_TC="):
		h.Env["NCCL_IB_TC"] = host.Said[string]{Value: strings.TrimPrefix(line, "NCCL_IB_TC="), At: done}
	case strings.HasSuffix(line, "/cnp_dscp"):
		h.CNPDSCP = host.Said[int]{Value: number(words[1]), At: done}
	case strings.Contains(line, "/roce_np/enable/"):
		h.NP[number(line[len(line)-1:])] = host.Said[bool]{Value: true, At: done}
	case strings.Contains(line, "/roce_rp/enable/"):
		h.RP[number(line[len(line)-1:])] = host.Said[bool]{Value: true, At: done}
	default:
		t.Fatalf("unknown line %q", line)
	}
}

// The fixes of a finding are applied to the host, and lint judges it again: the finding is gone, and
// there is no new kind of error.
func TestFixesOfTheHostMendTheirFindings(t *testing.T) {
	mended := 0
	for _, m := range mistakes {
		sw, problems := sonic.Examine(readConfig(t, m.config))
		h, err := host.Read("node1", listings(t, m.listing))
		if err != nil {
			t.Fatal(err)
		}
		before := Check(sw, problems, []*host.Host{h}, m.options)
		i := slices.IndexFunc(before.Findings, func(f Finding) bool {
			return f.Rule == m.rule && len(f.Fixes) > 0 && !slices.ContainsFunc(f.Fixes, func(x Fix) bool { return x.On != h.Name })
		})
		if i < 0 {
			continue
		}
		for _, fix := range before.Findings[i].Fixes {
			for _, line := range fix.Lines {
				obey(t, h, line)
			}
		}
		mended++
		for _, f := range Check(sw, problems, []*host.Host{h}, m.options).Findings {
			known := slices.ContainsFunc(before.Findings, func(b Finding) bool { return b.Rule == f.Rule })
			if same := f.Rule == m.rule && f.At.File != "config_db.json"; same || !known && f.Severity == Error {
				t.Errorf("%s: with its fix the host still has %s", m.name, fmt.Sprint(f))
			}
		}
	}
	if mended < 6 {
		t.Errorf("%d mistakes have a fix at the host, want 6 at least", mended)
	}
}
