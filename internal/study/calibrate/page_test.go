package calibrate

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/internal/test/golden"
)

// examFile has a row for each log, DIAGNOSE.md what they come to.
const examFile = "testdata/exam.md"

// TestThePageSumsUpTheExam makes the tables of DIAGNOSE.md of the rows of the exam. It simulates
// nothing.
func TestThePageSumsUpTheExam(t *testing.T) {
	exam, err := os.ReadFile(examFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []struct {
		begin, end string
		sum        func(rows [][]string) string
	}{
		{verdictsBegin, verdictsEnd, sumVerdicts}, {publicBegin, publicEnd, sumPublic}, {hitsBegin, hitsEnd, sumHits}, {fitsBegin, fitsEnd, sumFits},
	} {
		_, rest, _ := strings.Cut(string(exam), s.begin+"\n")
		text, _, found := strings.Cut(rest, s.end)
		if !found {
			t.Fatalf("%s has no %q", examFile, s.begin)
		}
		var rows [][]string
		for line := range strings.Lines(text) {
			cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			rows = append(rows, cells)
		}
		want := s.sum(rows[2:])
		if page := golden.Section(t, "../../../docs/DIAGNOSE.md", s.begin, s.end, want); page != want {
			t.Errorf("DIAGNOSE.md differs from the exam, rewrite it with -update: %s", golden.Difference(page, want))
		}
	}
}

// grouped gathers texts under names, in the order in which the names come first.
type grouped struct {
	names []string
	texts map[string][]string
}

func (g *grouped) add(name, text string) {
	if g.texts == nil {
		g.texts = map[string][]string{}
	}
	if !slices.Contains(g.names, name) {
		g.names = append(g.names, name)
	}
	g.texts[name] = append(g.texts[name], text)
}

// sumVerdicts has, for each state and number of nodes, the logs that were called healthy, and each
// other log with its verdict.
func sumVerdicts(rows [][]string) string {
	var groups grouped
	for _, r := range rows {
		text := "" // of a log that is called healthy
		if r[4] != string(Healthy) {
			text = fmt.Sprintf("%s: %s, healthy %s", r[0], r[4], r[5])
			if r[6] != "none" {
				text += ", " + r[6]
			}
		}
		groups.add(r[3]+" | "+r[1], text)
	}
	out := "| state | nodes | logs | called healthy | the others |\n|---|---:|---:|---:|---|\n"
	for _, name := range groups.names {
		all := groups.texts[name]
		others := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == "" })
		out += fmt.Sprintf("| %s | %d | %d | %s |\n", name, len(all), len(all)-len(others), strings.Join(others, "; "))
	}
	return out
}

// sumPublic has the causes of public logs by how the answers stand to them.
func sumPublic(rows [][]string) string {
	var groups grouped
	for _, r := range rows {
		text := r[1]
		if r[4] != "right" && r[3] != "none" {
			text += " (first " + r[3] + ")"
		}
		groups.add(r[4], text)
	}
	out := "| answer | logs | causes that were found |\n|---|---:|---|\n"
	for _, name := range groups.names {
		var causes grouped
		for _, cause := range groups.texts[name] {
			causes.add(cause, cause)
		}
		for i, cause := range causes.names {
			if n := len(causes.texts[cause]); n > 1 {
				causes.names[i] = fmt.Sprintf("%s (%d)", cause, n)
			}
		}
		out += fmt.Sprintf("| %s | %d | %s |\n", name, len(groups.texts[name]), strings.Join(causes.names, ", "))
	}
	return out
}

// sumHits has the counts of each planted fault; of faults of given sizes the largest that no log
// names, and the least that all name.
func sumHits(rows [][]string) string {
	planted, sized := grouped{}, grouped{}
	counts := map[string][4]int{} // logs, first, named, called healthy
	into := &planted
	for _, r := range rows {
		name := r[0] + " | " + r[1]
		if r[1] == "" {
			into = &sized
			name = r[0] + " |"
		}
		at := func(i int) int { n, _ := strconv.Atoi(r[i]); return n }
		if into == &sized && r[1] != "" {
			switch at(4) + at(5) {
			case 0:
				sized.add(r[0]+" | none", r[2])
			case at(3):
				sized.add(r[0]+" | all", r[2])
			}
			continue
		}
		planted.add(name, "")
		c := counts[name]
		counts[name] = [4]int{c[0] + at(3), c[1] + at(4), c[2] + at(5), c[3] + at(7)}
	}
	out := "| planted | nodes | logs | first | named | called healthy | other |\n|---|---:|---:|---:|---:|---:|---:|\n"
	for _, name := range planted.names {
		c := counts[name]
		out += fmt.Sprintf("| %s | %d | %d | %d | %d | %d |\n", name, c[0], c[1], c[2], c[3], c[0]-c[1]-c[2]-c[3])
	}
	out += "\n| fault | largest that no log names | least that every log names |\n|---|---|---|\n"
	for _, name := range sized.names {
		if id, seen := strings.CutSuffix(name, " | all"); seen {
			none := sized.texts[id+" | none"]
			out += fmt.Sprintf("| %s | %s | %s |\n", id, none[len(none)-1], sized.texts[name][0])
		}
	}
	return out
}

// sumFits tells the fits that make the sizes held out better by a point or more, and worse.
func sumFits(rows [][]string) string {
	better, same, worse := "better", "within a point", "worse"
	groups := grouped{names: []string{better, same, worse}}
	for _, r := range rows {
		var before, after float64
		fmt.Sscanf(r[3], "%f", &before)
		fmt.Sscanf(r[4], "%f", &after)
		name := same
		if after <= before-1 {
			name = better
		} else if after >= before+1 {
			name = worse
		}
		text := fmt.Sprintf("%s: %.1f to %.1f", r[0], before, after)
		if name == same {
			text = ""
		}
		groups.add(name, text)
	}
	out := "| held out | fits | mean error in per cent, before and after |\n|---|---:|---|\n"
	for _, name := range groups.names {
		texts := strings.Join(slices.DeleteFunc(slices.Clone(groups.texts[name]), func(s string) bool { return s == "" }), "; ")
		out += fmt.Sprintf("| %s | %d | %s |\n", name, len(groups.texts[name]), texts)
	}
	return out
}
