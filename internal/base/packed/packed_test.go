package packed_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"

	"weft/internal/base/packed"
)

const text = "Switch 36 \"S-0002c90200400020\"\n"

// TestAFileReadsTheSameHoweverItIsCompressed includes a file shorter than any mark.
func TestAFileReadsTheSameHoweverItIsCompressed(t *testing.T) {
	var z, x bytes.Buffer
	zw := gzip.NewWriter(&z)
	_, _ = zw.Write([]byte(text))
	_ = zw.Close()
	xw, err := xz.NewWriter(&x)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = xw.Write([]byte(text))
	_ = xw.Close()
	for name, content := range map[string]string{"plain": text, "gzip": z.String(), "xz": x.String()} {
		if got := read(t, content); got != text {
			t.Errorf("%s: %q, want %q", name, got, text)
		}
	}
	if got := read(t, "a"); got != "a" {
		t.Errorf("one byte reads as %q", got)
	}
}

// TestADamagedArchiveIsNamed: its header is cut off.
func TestADamagedArchiveIsNamed(t *testing.T) {
	for _, head := range []string{"\x1f\x8b\x08", "\xfd7zXZ\x00\x00"} {
		_, err := packed.Undo("fabric.topo", io.NopCloser(strings.NewReader(head)))
		if err == nil || !strings.HasPrefix(err.Error(), "fabric.topo is compressed and damaged") {
			t.Errorf("%q: %v", head, err)
		}
	}
}

func read(t *testing.T, content string) string {
	t.Helper()
	in, err := packed.Undo("f", io.NopCloser(strings.NewReader(content)))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
