package runstore

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"weft/results"
)

func write(t *testing.T, dir string) Run {
	t.Helper()
	run := Run{
		Scenario: []byte("name: x\n"), Results: sample(), Report: []byte("<html>"),
		Meta: Meta{Weft: "test", Seed: 7, Command: []string{"weft", "compare"}},
	}
	o, err := Claim(dir, Runs)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(o.Write(run), o.Close()); err != nil {
		t.Fatal(err)
	}
	return run
}

func TestRunFolderReadsBackAndIsOverwritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "run")
	for range 2 {
		want := write(t, dir)
		got, err := Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Scenario, want.Scenario) || !bytes.Equal(got.Report, want.Report) || !reflect.DeepEqual(got.Results, want.Results) || got.Meta.Seed != 7 {
			t.Errorf("read back %+v, want %+v", got, want)
		}
		if found := namesIn(t, dir); len(found) != 4 {
			t.Errorf("%d files are in the folder, want 4: %v", len(found), found)
		}
		if found := namesIn(t, filepath.Dir(dir)); len(found) != 1 {
			t.Errorf("%v is beside the folder", found)
		}
	}
}

func TestReadRefusesAChangedFolder(t *testing.T) {
	for name, change := range map[string]func(dir string) error{
		"is not the file that was written": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, ResultsFile), []byte("{}"), 0o644)
		},
		"is not a run folder": func(dir string) error { return os.Remove(filepath.Join(dir, MetaFile)) },
		"version 99": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, MetaFile), []byte(`{"weft": "x", "version": 99}`), 0o644)
		},
		"no such file": func(dir string) error { return os.Remove(filepath.Join(dir, ScenarioFile)) },
	} {
		dir := t.TempDir()
		write(t, dir)
		if err := change(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("Read = %v, want an error with %q", err, name)
		}
	}
}

// sample is the results of a run of a simulation that succeeded and one that failed.
func sample() *results.Results {
	return &results.Results{
		Version: results.ResultsVersion, Scenario: "two nodes <&>", Seed: 7, Workload: "all-reduce",
		Fabrics: []results.FabricResult{
			{Name: "infiniband-ndr", Protocol: "infiniband", Points: []results.Point{{Bytes: 1024, Time: 12_345_678, Hottest: []results.HotLink{{Name: "leaf-0:1 → nic-3"}}}}},
			{Name: "tcp-400g", Protocol: "tcp", Points: []results.Point{{Bytes: 1024, Failure: "deadlock", Hottest: []results.HotLink{}}}},
		},
	}
}
