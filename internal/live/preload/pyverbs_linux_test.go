package preload

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// conformance is where Debian's rdma-core has the tests of pyverbs.
const conformance = "/usr/share/doc/rdma-core/tests"

// lacking are the reasons for which pyverbs' tests may be skipped: what weft's device does not have,
// and what the machine does not have. docs/LIVE.md says why.
var lacking = []string{
	"Create QP type 8 is not supported", "Create Raw Packet QP",
	"Extended CQ is not supported",                // with the fields of tag matching
	"Extended QP is not supported on this device", // with atomic writes
	"Some object imports are not supported",       // device memory
	"All gid indices populated, cannot check bad", // the table has one
	"Allocating dmabuf is not supported",          // no GPU
	"cuda-python 12.0+ must be installed",         // no GPU
	"There are no huge pages of size",             // the machine
	"Device weft0 doesn't have net interface",     // librdmacm's, which the test above runs
}

// unpack copies pyverbs' tests to a folder, without the tests of two vendors' libraries.
func unpack(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	all, err := filepath.Glob(filepath.Join(conformance, "*.py*"))
	if err != nil || len(all) == 0 {
		if os.Getenv("CI") != "" {
			t.Fatalf("no tests in %s: bash .ci/run tools", conformance)
		}
		t.Skipf("no tests in %s: bash .ci/run tools", conformance)
	}
	others := regexp.MustCompile(`/test_(mlx5|efa)`)
	if err := os.Mkdir(filepath.Join(dir, "tests"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		if others.MatchString(path) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, ".gz") {
			z, err := gzip.NewReader(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if text, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		to := filepath.Join(dir, "tests", strings.TrimSuffix(filepath.Base(path), ".gz"))
		if err := os.WriteFile(to, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const python = "/usr/bin/python3" // Debian's, which finds Debian's modules

// needPyverbs skips a test if pyverbs is not installed; in CI it fails.
func needPyverbs(t *testing.T) {
	t.Helper()
	need(t, python)
	if err := exec.Command(python, "-c", "import pyverbs").Run(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("python3-pyverbs is not installed: bash .ci/run tools")
		}
		t.Skip("python3-pyverbs is not installed: bash .ci/run tools")
	}
}

// The tests of librdmacm pass, with an address for each side (testdata/rdmacm.py says why).
func TestPyverbsTestsOfLibrdmacmPass(t *testing.T) {
	needPyverbs(t)
	out := start(t, python, "testdata/rdmacm.py", unpack(t), "127.76.0.1", "127.76.0.2").end(t)
	if n := strings.Count(out, "... ok"); n != 10 || strings.Contains(out, "skipped") {
		t.Errorf("%d tests passed, want 10:\n%s", n, out)
	}
}

// Each test passes, or is skipped for something that weft says it lacks.
func TestPyverbsConformanceTestsPass(t *testing.T) {
	needPyverbs(t)
	dir := unpack(t)
	out := start(t, python, filepath.Join(dir, "tests", "run_tests.py"), "-v", "--dev", "weft0").end(t)
	ran := regexp.MustCompile(`(?m)(\.\.\. |^)ok$`).FindAllString(out, -1)
	if len(ran) < 129 {
		t.Errorf("%d tests passed, want at least 129:\n%s", len(ran), out)
	}
	for _, reason := range regexp.MustCompile(`skipped ['"](.*)['"]`).FindAllStringSubmatch(out, -1) {
		known := false
		for _, l := range lacking {
			known = known || strings.HasPrefix(reason[1], l)
		}
		if !known {
			t.Errorf("a test was skipped for a reason that nobody knows: %s", reason[1])
		}
	}
}
