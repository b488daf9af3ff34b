package runstore

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/results"
)

func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestFoldersOfStrangersAreRefused(t *testing.T) {
	base := t.TempDir()
	file := filepath.Join(base, "file")
	stranger := filepath.Join(base, "home")
	fake := filepath.Join(base, "fake")
	for _, err := range []error{
		os.WriteFile(file, nil, 0o644), os.Mkdir(stranger, 0o755), os.WriteFile(filepath.Join(stranger, "thesis.tex"), nil, 0o644),
		os.Mkdir(fake, 0o755), os.WriteFile(filepath.Join(fake, MetaFile), []byte("{}"), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for dir, want := range map[string]string{
		file: "it is a file", stranger: "it holds thesis.tex and no earlier run", fake: "it holds meta.json and no earlier run",
		filepath.Join(file, "below"): "not a directory", "/dev/null/x": "not a directory",
	} {
		var refused *FolderError
		if _, err := Claim(dir, Runs); !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("Claim(%s) = %v, want a FolderError with %q", dir, err, want)
		}
	}
}

func TestAnUnwritableFolderIsFoundBeforeTheRun(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("skipped: nothing is unwritable for root")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{dir, filepath.Join(dir, "new")} {
		if _, err := Claim(dir, Runs); err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("Claim(%s) = %v, want permission denied", dir, err)
		}
	}
}

// TestOneProcessAtATimeWritesAFolder: a new folder and one that exists.
func TestOneProcessAtATimeWritesAFolder(t *testing.T) {
	there := t.TempDir()
	for _, dir := range []string{there, filepath.Join(t.TempDir(), "run")} {
		o, err := Claim(dir, Runs)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Claim(dir+"/", Runs); err == nil || !strings.Contains(err.Error(), "another weft writes to it now") {
			t.Errorf("a second one gets %v, want a refusal", err)
		}
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
		again, err := Claim(dir, Runs)
		if err != nil {
			t.Fatalf("after the first has let go: %v", err)
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
		if found, err := filepath.Glob(filepath.Join(filepath.Dir(dir), ".run*")); err != nil || len(found) > 0 {
			t.Errorf("%v stays (%v)", found, err)
		}
	}
	if found := namesIn(t, there); len(found) > 0 {
		t.Errorf("%v stays in the folder", found)
	}
}

// TestARunThatIsNotWrittenLeavesNoFolder: a run that fails before its end.
func TestARunThatIsNotWrittenLeavesNoFolder(t *testing.T) {
	base := t.TempDir()
	o, err := Claim(filepath.Join(base, "run"), Runs)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	if found := namesIn(t, base); len(found) > 0 {
		t.Errorf("%v stays", found)
	}
}

// TestAKilledProcessLeavesAFolderThatTheNextOneUses kills at every rename of the first
// run, and of a run that replaces another, and lets another run follow.
func TestAKilledProcessLeavesAFolderThatTheNextOneUses(t *testing.T) {
	defer func() { rename = os.Rename }()
	for name, before := range map[string]func(dir string){
		"new":     func(string) {},
		"empty":   func(dir string) { _ = os.Mkdir(dir, 0o755) },
		"earlier": func(dir string) { write(t, dir) },
	} {
		for kill := range 5 {
			dir := filepath.Join(t.TempDir(), "run")
			before(dir)
			if !killedAt(t, dir, kill) && kill == 0 {
				t.Fatalf("%s: nothing was renamed", name)
			}
			if _, err := Read(dir); err == nil && name != "earlier" && kill == 0 {
				t.Errorf("%s: the folder left at rename %d reads as a run", name, kill)
			}
			write(t, dir)
			if _, err := Read(dir); err != nil {
				t.Errorf("%s: after a run that was killed at rename %d: %v", name, kill, err)
			}
			if found := namesIn(t, dir); len(found) != 4 {
				t.Errorf("%s: killed at rename %d: %v is in the folder", name, kill, found)
			}
			if found := namesIn(t, filepath.Dir(dir)); len(found) != 1 {
				t.Errorf("%s: killed at rename %d: %v is beside the folder", name, kill, found)
			}
		}
	}
}

// killedAt writes a run and dies before a rename: the process does nothing more, but the
// kernel releases its lock.
func killedAt(t *testing.T, dir string, at int) (killed bool) {
	t.Helper()
	o, err := Claim(dir, Runs)
	if err != nil {
		t.Fatal(err)
	}
	rename = func(from, to string) error {
		if at == 0 {
			panic("killed")
		}
		at--
		return os.Rename(from, to)
	}
	defer func() {
		rename = os.Rename
		killed = recover() != nil
		o.lock.Close()
	}()
	if err := o.Write(Run{Scenario: []byte("name: y\n"), Results: sample(), Meta: Meta{Weft: "test"}, Report: []byte("<p>")}); err != nil {
		t.Fatal(err)
	}
	return false
}

// TestAFolderThatIsThereStaysTheSame: it may be a mount point, or a shell's directory.
func TestAFolderThatIsThereStaysTheSame(t *testing.T) {
	dir := t.TempDir()
	before, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir)
	after, err := os.Stat(dir)
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("the folder was replaced (%v)", err)
	}
}

// TestAFolderThatWasFilledMeanwhileLosesNothing: the computed results are kept beside it.
func TestAFolderThatWasFilledMeanwhileLosesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	o, err := Claim(dir, Runs)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.Begin(Meta{Weft: "test"}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, "mine"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	err = o.Put([]File{{Name: "a", Text: []byte("b")}})
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	if err == nil || !strings.Contains(err.Error(), "the files are in "+o.auxiliary(stagingName)) {
		t.Fatalf("Put = %v, want an error with the place of the files", err)
	}
	if text, err := os.ReadFile(filepath.Join(o.auxiliary(stagingName), "a")); err != nil || string(text) != "b" {
		t.Errorf("the kept results are %q (%v)", text, err)
	}
}

// Files that are written during a run lie beside the folder until Seal, with a meta.json that says that the run
// is partial. A process that is killed leaves just that, and the next one takes the folder.
func TestAFolderThatIsWrittenDuringTheRun(t *testing.T) {
	for _, exists := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "run")
		staging := filepath.Join(filepath.Dir(dir), ".run"+stagingName)
		if exists {
			write(t, dir)
			staging = filepath.Join(dir, stagingName)
		}
		begin := func() *Output {
			o, err := Claim(dir, Runs)
			if err != nil {
				t.Fatal(err)
			}
			at, err := o.Begin(Meta{Weft: "test"})
			if err == nil && at != staging {
				t.Errorf("Begin = %s, want %s", at, staging)
			}
			if err == nil {
				err = os.Mkdir(filepath.Join(at, results.SeriesFolder), 0o777)
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(at, results.SeriesFolder, "a.parquet"), []byte("rows"), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			return o
		}
		killed := begin()
		if m, err := ReadMeta(staging); err != nil || !m.Partial || !strings.Contains(m.Error, "has not ended") {
			t.Errorf("the meta data of a run that goes on is %+v, %v; want partial", m, err)
		}
		if err := unlock(killed.lock); err != nil { // what the kernel does for a killed process
			t.Fatal(err)
		}
		o := begin()
		series := []File{{Name: results.SeriesFolder + "/a.parquet", Staged: true}}
		if err := errors.Join(o.Seal(append(series, File{Name: ResultsFile, Text: []byte("{}")}), Meta{Weft: "test"}), o.Close()); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, results.SeriesFolder, "a.parquet"))
		m, bad := ReadMeta(dir)
		if err != nil || bad != nil || string(text) != "rows" || m.Partial || m.Files[series[0].Name] != digest(text) {
			t.Errorf("the folder has %q, %v and %+v, %v", text, err, m, bad)
		}
		if _, err := os.Stat(staging); err == nil {
			t.Errorf("%s is left", staging)
		}
		staging = filepath.Join(dir, stagingName) // now there is a folder
		if err := begin().Close(); err != nil {   // a run without an outcome
			t.Fatal(err)
		}
		if _, err := os.Stat(staging); err == nil {
			t.Errorf("a run without an outcome leaves %s", staging)
		}
		if _, err := ReadMeta(dir); err != nil {
			t.Errorf("a run without an outcome changes the run before it: %v", err)
		}
	}
}
