package inspect_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/face/doc"
	"weft/internal/face/report"
	"weft/internal/ib/format"
	"weft/internal/ib/inspect"
	"weft/internal/test/golden"
)

// TestReportsOnFiles compares the reports on the fabrics of testdata, nets of ibsim and the
// port list of the real cluster plafrim, with golden files.
func TestReportsOnFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.in")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in testdata: %v", err)
	}
	for _, path := range files {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, _, _, err := format.ReadSubnet(path, bytes.NewReader(raw), format.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := report.Inspection(filepath.Base(path), inspect.Subnet(s), nil).Terminal(&out, doc.Style{Details: true}); err != nil {
			t.Fatal(err)
		}
		golden.File(t, strings.TrimSuffix(path, ".in")+".txt", out.String())
	}
}
