package sweep_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"weft/internal/study/sweep"
)

// A file of the folder that is a link is replaced: what it points at is not written to.
func TestAFileThatIsALinkIsReplaced(t *testing.T) {
	dir := t.TempDir()
	victim := filepath.Join(t.TempDir(), "victim")
	report := filepath.Join(dir, sweep.ReportFile)
	if err := errors.Join(os.WriteFile(victim, []byte("precious"), 0o600), os.Symlink(victim, report)); err != nil {
		t.Fatal(err)
	}
	f := sweep.Folder{Dir: dir}
	if err := f.Put(sweep.ReportFile, []byte("page")); err != nil {
		t.Fatal(err)
	}
	kept, _ := os.ReadFile(victim)
	page, _ := os.ReadFile(report)
	if string(kept) != "precious" || string(page) != "page" {
		t.Errorf("the victim is %q and the page %q", kept, page)
	}
}
