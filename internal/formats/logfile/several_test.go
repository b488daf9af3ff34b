package logfile

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// together reads texts by their names.
func together(texts map[string]string, names ...string) (*Logs, error) {
	return ReadAll(names, func(name string) (io.ReadCloser, error) {
		text, ok := texts[name]
		if !ok {
			return nil, fmt.Errorf("%s: there is no such file", name)
		}
		return io.NopCloser(strings.NewReader(text)), nil
	})
}

var severalTexts = map[string]string{
	"a.log":    "$ NCCL_ALGO=Ring ./all_reduce_perf -g 8\n" + usualHead + threeRows + average1,
	"b.log":    "\n\n" + usualHead + threeRows + line(32<<20, 20) + average1,
	"n1.debug": "n1:1:1 [0] NCCL INFO NCCL_IB_HCA set to mlx5_0\nn1:1:1 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE ; OOB\nn1:1:1 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [receive] via NET/IB/0\n",
	"n2.debug": "n2:1:1 [0] NCCL INFO Could not find a path for pattern 1, falling back to simple order\nn2:1:1 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [send] via NET/IB/0\n",
	"counters": "rx_discards_phy: 17\n",
}

func TestSeveralFilesAreOneLogWithFileAndLine(t *testing.T) {
	all, err := together(severalTexts, "n1.debug", "a.log", "counters", "b.log", "n2.debug")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(all.Logs, all.Messages, all.Others); got != "[a.log b.log] [n1.debug n2.debug] [counters]" {
		t.Errorf("logs, messages and others are %s", got)
	}
	l := all.Log
	if len(l.Tables) != 2 || l.Tables[0].File != "a.log" || l.Tables[1].File != "b.log" || l.Tables[1].Line != 3 {
		t.Errorf("the tables are %+v, want one of a.log and one of b.log, line 3", l.Tables)
	}
	if s, _ := l.Said.Setting("NCCL_IB_HCA"); s != (Setting{"n1.debug", 1, "NCCL_IB_HCA", "mlx5_0"}) {
		t.Errorf("NCCL_IB_HCA is %+v, want that of n1.debug:1", s)
	}
	if s, _ := l.Said.Setting("NCCL_ALGO"); s != (Setting{"a.log", 1, "NCCL_ALGO", "Ring"}) {
		t.Errorf("NCCL_ALGO is %+v, want that of a.log:1", s)
	}
	if _, ok := l.Tables[1].Setting("NCCL_ALGO"); ok {
		t.Error("the table of b.log has the setting of a.log")
	}
	if s, _ := l.Said.Sign(SignOneNIC); s.File != "n2.debug" || s.Line != 1 {
		t.Errorf("the sign is %+v, want one of n2.debug:1", s)
	}
	if l.Said.Bounced != 2 || l.Said.Link != "RoCE" {
		t.Errorf("%d connections through host memory over %q, want 2 over RoCE", l.Said.Bounced, l.Said.Link)
	}
	if len(l.Notes) != 1 || l.Notes[0].File != "b.log" || l.Notes[0].Line != 7 {
		t.Errorf("the notes are %+v, want one of b.log:7", l.Notes)
	}
}

func TestMessagesBesideOneLogAreOfItsRun(t *testing.T) {
	all, err := together(severalTexts, "a.log", "n1.debug")
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := all.Log.Tables[0].Setting("NCCL_IB_HCA"); !ok || s.File != "n1.debug" {
		t.Errorf("the table's NCCL_IB_HCA is %+v, want that of n1.debug", s)
	}
	one, err := together(severalTexts, "a.log")
	if s, _ := one.Log.Said.Setting("NCCL_ALGO"); err != nil || s.File != "" || one.Log.Name != "a.log" || one.Log.Tables[0].File != "" {
		t.Errorf("of one file: %v, %+v, name %q; want no file in the places", err, s, one.Log.Name)
	}
}

func TestFilesWithoutATableAreNamedEach(t *testing.T) {
	_, err := together(severalTexts, "counters", "n1.debug")
	if err == nil || !strings.Contains(err.Error(), "none of 2 files") || !strings.Contains(err.Error(), "\ncounters: ") || !strings.Contains(err.Error(), "\nn1.debug: ") || strings.Count(err.Error(), "nixlbench") != 1 {
		t.Errorf("the error is %v, want one that names both files and the formats once", err)
	}
	if _, err = together(severalTexts, "a.log", "missing"); err == nil || err.Error() != "missing: there is no such file" {
		t.Errorf("the error is %v, want one of the missing file", err)
	}
	if _, err = ReadAll(make([]string, maxFiles+1), nil); err == nil {
		t.Error("too many files are read")
	}
}

func TestAFolderIsItsFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.log", "a.log", ".hidden", "deep/c.log"} {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	files, err := Expand([]string{"-", dir, "missing"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range files {
		files[i] = filepath.ToSlash(strings.TrimPrefix(files[i], dir+string(filepath.Separator)))
	}
	if !slices.Equal(files, []string{"-", "a.log", "b.log", "deep/c.log", "missing"}) {
		t.Errorf("the files are %v", files)
	}
}
