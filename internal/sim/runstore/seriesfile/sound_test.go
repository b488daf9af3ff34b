package seriesfile

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A page that declares or unpacks to more than its rows is refused, and costs no more than the bound.
func TestBombsAreRefused(t *testing.T) {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	numbers := func(list ...uint64) (b []byte) {
		for _, n := range list {
			b = binary.AppendUvarint(b, n)
		}
		return b
	}
	page := func(body []byte, rows int32, encoding format.Encoding) []byte {
		h := format.PageHeader{Type: format.DataPageV2, CompressedPageSize: int32(len(body)), UncompressedPageSize: int32(len(body))}
		h.DataPageHeaderV2.Valid = true
		h.DataPageHeaderV2.V = format.DataPageHeaderV2{NumValues: rows, NumRows: rows, Encoding: encoding}
		head, err := thrift.Marshal(new(thrift.CompactProtocol), h)
		if err != nil {
			t.Fatal(err)
		}
		return append(head, body...)
	}
	whole := page(make([]byte, 24), 3, format.Plain)
	for name, c := range map[string]struct {
		pages []byte
		codec format.CompressionCodec
		want  string
	}{
		"a sound page":                {whole, format.Uncompressed, ""},
		"a page twice":                {append(bytes.Clone(whole), whole...), format.Uncompressed, errPages.Error()},
		"a cut page":                  {whole[:len(whole)-1], format.Uncompressed, errPages.Error()},
		"no page":                     {nil, format.Uncompressed, "EOF"},
		"80 MB in some kB":            {page(z.EncodeAll(make([]byte, 80<<20), nil), 3, format.Plain), format.Zstd, "exceeds configured limit"},
		"more than the page declares": {page(z.EncodeAll(make([]byte, 1<<20), nil), 3, format.Plain), format.Zstd, errPages.Error()},
		"a run of 2^30 values":        {page(append([]byte{1}, numbers(1<<31, 0)...), 3, format.RLEDictionary), format.Uncompressed, errPages.Error()},
		"2^30 lengths":                {page(numbers(128, 4, 1<<30, 0), 3, format.DeltaLengthByteArray), format.Uncompressed, errPages.Error()},
		"a length of 2^30 bytes":      {page(append(numbers(128, 4, 3, 1<<31, 0), 0, 0, 0, 0), 3, format.DeltaLengthByteArray), format.Uncompressed, errPages.Error()},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := soundColumn(bytes.NewReader(c.pages), &format.ColumnMetaData{Codec: c.codec, TotalCompressedSize: int64(len(c.pages))}, 3)
		runtime.ReadMemStats(&after)
		if c.want == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 3*mostChunk {
			t.Errorf("%s: %d bytes were allocated", name, used)
		}
	}
	// A list of 2^28 entries, and structures in structures.
	for _, footer := range [][]byte{append([]byte{0x19, 0xfc}, numbers(1<<28)...), bytes.Repeat([]byte{0x1c}, 1000)} {
		if err := (&compact{footer, mostItems}).structure(0); err == nil {
			t.Errorf("the footer %.8x is sound", footer)
		}
	}
}

// Whatever is in a file, it is read or refused.
func FuzzSelect(f *testing.F) {
	dir := filepath.Dir(written(f, 3))
	for i, name := range Names {
		text, err := os.ReadFile(filepath.Join(dir, "series", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, uint8(i))
	}
	// Bytes of pages that are not packed are changed one by one.
	text, err := os.ReadFile(filepath.Join(put(f, sample("a", 0).Nodes, thisVersion), Flows))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text, uint8(1))
	f.Fuzz(func(t *testing.T, text []byte, table uint8) {
		name := Names[int(table)%len(Names)]
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Select(dir, name, Query{Limit: 100})
		if err != nil {
			if !strings.Contains(err.Error(), name) {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		for i := range c.Names {
			c.Keep(make([]int, min(1, c.Rows)))
			_ = c.Values[i]
		}
	})
}
