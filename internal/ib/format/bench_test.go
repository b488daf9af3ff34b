package format

import (
	"bytes"
	"io"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/subnet"
)

// A three-level fat tree of 1,024 hosts and 320 switches: 430,080 entries.
func benchFabric(b *testing.B) (*subnet.Subnet, *subnet.Tables) {
	b.Helper()
	g, err := topology.KAry{K: 16}.Build()
	if err != nil {
		b.Fatal(err)
	}
	s, err := subnet.FromGraph(g, subnet.Link{Width: 4, Speed: subnet.NDR})
	if err != nil {
		b.Fatal(err)
	}
	if err := s.AssignLIDs(0); err != nil {
		b.Fatal(err)
	}
	t := subnet.NewTables(s)
	for i, row := range t.LFT {
		for lid := 1; lid < len(row); lid++ {
			row[lid] = uint8((i+lid)%16 + 1)
		}
	}
	return s, t
}

func BenchmarkWriteLFTs(b *testing.B) {
	s, t := benchFabric(b)
	b.ReportAllocs()
	for b.Loop() {
		var out bytes.Buffer
		if err := WriteLFTs(&out, s, t); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(out.Len()))
	}
}

func BenchmarkReadLFTs(b *testing.B) {
	s, t := benchFabric(b)
	var out bytes.Buffer
	if err := WriteLFTs(&out, s, t); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(out.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := ReadLFTs("lfts", bytes.NewReader(out.Bytes()), s); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTopo(b *testing.B) {
	s, _ := benchFabric(b)
	var out bytes.Buffer
	if err := WriteTopo(&out, s); err != nil {
		b.Fatal(err)
	}
	b.Run("write", func(b *testing.B) {
		b.SetBytes(int64(out.Len()))
		b.ReportAllocs()
		for b.Loop() {
			if err := WriteTopo(io.Discard, s); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(out.Len()))
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := ReadTopo("topo", bytes.NewReader(out.Bytes()), Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
