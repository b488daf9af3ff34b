package cablehealth

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzJudge: no pair of texts makes a reader, the joining or the judgement panic; every finding has
// evidence with a place and an action.
func FuzzJudge(f *testing.F) {
	const links = "../../ib/counters/testdata/iblinkinfo-l.txt"
	for _, pattern := range []string{"../../ib/counters/testdata/*", "../../roce/counters/testdata/*"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range files {
			text, err := os.ReadFile(path)
			if err != nil {
				continue // a folder of found inputs
			}
			other, err := os.ReadFile(links)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(text), string(text), 60.0)
			f.Add(string(text), string(other), 0.0)
		}
	}
	f.Add(db, db, 1.0)
	f.Fuzz(func(t *testing.T, a, b string, after float64) {
		o := Options{After: max(after, 0)}
		set, files, err := Read([]Source{{"a/1", a}, {"b/2", b}}, o)
		if err != nil {
			return
		}
		r := Judge(set, files, o)
		for _, finding := range r.Findings {
			if len(finding.Evidence) == 0 || finding.Action == "" || finding.What == "" {
				t.Fatalf("a finding without evidence or action: %+v", finding)
			}
			for _, e := range finding.Evidence {
				if e.At == "" {
					t.Fatalf("evidence without a place: %+v", e)
				}
			}
		}
	})
}
