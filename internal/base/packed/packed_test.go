package packed_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

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

// TestUTF16ReadsAsUTF8 in both orders of bytes, compressed too, with characters beyond 16 bits, halves of one, and an odd
// byte at the end. Without a mark four characters of ASCII tell it.
func TestUTF16ReadsAsUTF8(t *testing.T) {
	units := func(order binary.AppendByteOrder, text string) string {
		out := order.AppendUint16(nil, 0xfeff)
		for _, u := range utf16.Encode([]rune(text)) {
			out = order.AppendUint16(out, u)
		}
		return string(out)
	}
	want := strings.Repeat("leafé 𝛑\r\n", 3000)
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		if got := read(t, units(order, want)); got != want {
			t.Errorf("%v: %d bytes, want %d", order, len(got), len(want))
		}
	}
	var z bytes.Buffer
	zw := gzip.NewWriter(&z)
	_, _ = zw.Write([]byte(units(binary.LittleEndian, text)))
	_ = zw.Close()
	if got := read(t, z.String()); got != text {
		t.Errorf("compressed: %q", got)
	}
	for raw, want := range map[string]string{
		"\xff\xfe":                     "",
		"\xff\xfe" + "a\x00b":          "a\ufffd",
		"\xff\xfe\x35\xd8" + "a\x00":   "\ufffda",
		"\xff\xfe\x35\xd8":             "\ufffd",
		"a\x00b\x00":                   "a\x00b\x00",
		"a\x00b\x00c\x00d\x00\xe9\x00": "abcdé",
		"\x00a\x00b\x00c\x00d\x00\xe9": "abcdé",
		strings.Repeat("\x00", 8):      strings.Repeat("\x00", 8),
		"a\rb\rc":                      "a\nb\nc",
		"a\rb\r\nc":                    "a\rb\r\nc",
		"\xef\xbb\xbfS":                "\xef\xbb\xbfS",
	} {
		if got := read(t, raw); got != want {
			t.Errorf("%q reads as %q, want %q", raw, got, want)
		}
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
