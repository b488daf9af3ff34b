//go:build unix

package runstore

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/results"
)

// A folder whose files are pipes, devices, or without an end is refused at once, with the file and the reason.
func TestAFolderWithoutRegularFilesIsRefused(t *testing.T) {
	pipe := func(name string) error { return syscall.Mkfifo(name, 0o644) }
	endless := func(name string) error { return os.Symlink("/dev/zero", name) }
	sparse := func(name string) error {
		f, err := os.Create(name)
		if err != nil {
			return err
		}
		return errors.Join(f.Truncate(1<<40), f.Close())
	}
	for _, name := range []string{MetaFile, ScenarioFile, ResultsFile, ReportFile} {
		for want, put := range map[string]func(string) error{"it is no file": pipe, "no file": endless, "has more than": sparse} {
			dir := filepath.Join(t.TempDir(), "run")
			o, err := Claim(dir, Runs)
			if err == nil {
				err = errors.Join(o.Write(Run{Scenario: []byte("a: 1\n"), Results: &results.Results{Seed: 1}, Meta: Meta{Weft: "test"}, Report: []byte("<p>")}), o.Close())
			}
			if err == nil {
				err = errors.Join(os.Remove(filepath.Join(dir, name)), put(filepath.Join(dir, name)))
			}
			if err != nil {
				t.Fatal(err)
			}
			answers(t, func() {
				if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
					t.Errorf("%s: %v, want an error with %q", name, err, want)
				}
			})
		}
	}
}

// Pipes beside a folder, where a run and its viewers meet, hold nobody up.
func TestPipesInThePlaceOfALockHoldNobodyUp(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	err := os.MkdirAll(filepath.Join(dir, stagingName), 0o755)
	for _, name := range []string{lockName, requestName, filepath.Join(stagingName, progressFile), filepath.Join(stagingName, MetaFile)} {
		err = errors.Join(err, syscall.Mkfifo(filepath.Join(dir, name), 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
	answers(t, func() {
		if p := InProgress(dir); p != nil {
			t.Errorf("a pipe is a run in progress: %+v", p)
		}
		if _, err := Read(dir); !errors.Is(err, ErrKilled) {
			t.Errorf("the folder: %v, want %v", err, ErrKilled)
		}
	})
}

// answers fails if a call waits for something that never comes.
func answers(t *testing.T, call func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		call()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("it waits for ever")
	}
}
