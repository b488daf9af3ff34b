package lint

import (
	"slices"
	"strings"
	"testing"

	"weft/internal/roce/host"
	"weft/internal/roce/sonic"
)

// pair is a switch and a host with mistakes.
func pair(t *testing.T, config, listing []edit) (*sonic.Config, *host.Host) {
	t.Helper()
	h, err := host.Read("node1", listings(t, listing))
	if err != nil {
		t.Fatal(err)
	}
	return readConfig(t, config), h
}

// mended is what lint says after all fixes have been applied.
func mended(t *testing.T, cfg *sonic.Config, h *host.Host, o Options) (before, after *Report) {
	t.Helper()
	sw, problems := sonic.Examine(cfg)
	before = checkOne(sw, problems, []*host.Host{h}, o)
	if err := before.Mend(cfg); err != nil {
		t.Fatal(err)
	}
	own, err := h.Obey(linesOn([]*Report{before}, h.Name))
	if err != nil {
		t.Fatal(err)
	}
	sw, problems = sonic.Examine(cfg)
	return before, checkOne(sw, problems, []*host.Host{own}, o)
}

// unmendable are the rules without a fix: nothing in the files takes counters back, and a profile
// that every queue needs is not invented.
func unmendable(f *Finding) bool { return f.Rule == "drops" }

// Whoever applies the fixes of a report sees no other finding afterwards.
func TestFixesLeadToACleanLint(t *testing.T) {
	for _, m := range mistakes {
		cfg, h := pair(t, m.config, m.listing)
		before, after := mended(t, cfg, h, m.options)
		for i := range after.Findings {
			if f := &after.Findings[i]; !unmendable(f) {
				t.Errorf("%s: its fixes\n%sleave\n%s", m.name, tell(before), tell(&Report{Findings: after.Findings[i : i+1]}))
			}
		}
	}
}

// The same holds for two mistakes at once, if they are in different places.
func TestFixesOfTwoMistakesLeadToACleanLint(t *testing.T) {
	text := edited(t, load(t, "..", "sonic", "testdata", "config_db.json"), []edit{sound})
	for i, a := range mistakes {
		for _, b := range mistakes[i+1:] {
			if a.options.Cable != b.options.Cable || a.options.Buffer != b.options.Buffer || bothEdit(a.config, b.config, "INTERFACE") || !apart(text, a.config, b.config) || !apart(text, b.config, a.config) {
				continue
			}
			var config []edit
			for _, e := range append(append([]edit{sound}, a.config...), b.config...) {
				if e != sound || len(config) == 0 {
					config = append(config, e)
				}
			}
			cfg, h := pair(t, config, append(append([]edit{}, a.listing...), b.listing...))
			before, after := mended(t, cfg, h, a.options)
			for k := range after.Findings {
				if f := &after.Findings[k]; !unmendable(f) {
					t.Errorf("%s, and %s: the fixes\n%sleave\n%s", a.name, b.name, tell(before), tell(&Report{Findings: after.Findings[k : k+1]}))
				}
			}
		}
	}
}

// bothEdit reports whether both edits bring in a table.
func bothEdit(a, b []edit, table string) bool {
	has := func(list []edit) bool {
		return slices.ContainsFunc(list, func(e edit) bool { return strings.Contains(e.new, table) })
	}
	return has(a) && has(b)
}

// apart reports whether the second edits find their text after the first have been made.
func apart(text string, first, second []edit) bool {
	for _, e := range append(append([]edit{}, first...), second...) {
		if e == sound {
			continue
		}
		if !strings.Contains(text, e.old) {
			return false
		}
		text = strings.ReplaceAll(text, e.old, e.new)
	}
	return true
}
