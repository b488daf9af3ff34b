package wiretest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	_ "embed" // the archive
	"errors"
	"io"
	"testing"

	"weft/wire/pcap"
)

//go:embed captures.tar.gz
var archive []byte

// Captures are the files of the archive by name: captures end in .pcap, and golden.tsv is tshark's
// reading.
func Captures(t testing.TB) map[string][]byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for in := tar.NewReader(z); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
	}
}

// Packets are the packets of a capture file.
func Packets(t testing.TB, in io.Reader) (all []pcap.Packet) {
	t.Helper()
	r, err := pcap.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	for {
		var p pcap.Packet
		if err := r.Next(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("packet %d: %v", len(all)+1, err)
		}
		p.Data = bytes.Clone(p.Data)
		all = append(all, p)
	}
}
