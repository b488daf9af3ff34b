package seriesfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The bounds of what is decoded. The library allocates what a file declares, and a few bytes can declare
// gigabytes: this file checks the declarations before the library decodes them.
const (
	mostFooter = 1 << 24 // bytes
	mostItems  = 1 << 19 // entries of the lists in a footer, or bytes of a page's header: some 8 for a column of a row group
	mostChunk  = 1 << 26 // bytes of a column in a row group, packed, and of a page of it, unpacked
	deepest    = 16      // structures and lists in one another
)

var (
	errStructure = errors.New("its structure is damaged")
	errPages     = errors.New("a page has other values than it declares, or more than weft writes")
)

// unpacker unpacks a page. It refuses what unpacks to more than mostChunk bytes.
var unpacker, _ = zstd.NewReader(nil, zstd.WithDecoderMaxMemory(mostChunk)) // of no input: no error

// soundFooter checks the lists of a file's footer.
func soundFooter(in io.ReaderAt, size int64) error {
	var end [8]byte
	if size < 12 {
		return io.ErrUnexpectedEOF
	}
	if _, err := in.ReadAt(end[:], size-8); err != nil {
		return err
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if string(end[4:]) != "PAR1" || length > size-12 {
		return io.ErrUnexpectedEOF
	}
	if length > mostFooter {
		return fmt.Errorf("a footer of %d bytes: want %d at most", length, mostFooter)
	}
	footer := compact{make([]byte, length), mostItems}
	if _, err := in.ReadAt(footer.in, size-8-length); err != nil {
		return err
	}
	return footer.structure(0)
}

// soundColumn checks the pages of a column in a row group: they have the group's rows.
func soundColumn(in io.ReaderAt, m *format.ColumnMetaData, rows int64) error {
	if m.TotalCompressedSize < 0 || m.TotalCompressedSize > mostChunk {
		return fmt.Errorf("a column of %d bytes in a row group: want %d at most", m.TotalCompressedSize, mostChunk)
	}
	from := m.DataPageOffset
	if m.DictionaryPageOffset != 0 {
		from = m.DictionaryPageOffset
	}
	packed := make([]byte, m.TotalCompressedSize)
	if _, err := in.ReadAt(packed, from); err != nil {
		return err
	}
	for len(packed) > 0 {
		var h format.PageHeader
		rest := compact{packed, mostItems}
		if err := rest.structure(0); err != nil {
			return err
		}
		if err := thrift.Unmarshal(new(thrift.CompactProtocol), packed[:len(packed)-len(rest.in)], &h); err != nil {
			return err
		}
		size := int(h.CompressedPageSize)
		if size < 0 || size > len(rest.in) || h.UncompressedPageSize < 0 || h.UncompressedPageSize > mostChunk {
			return errPages
		}
		n, err := soundPage(&h, rest.in[:size], m.Codec, rows)
		if err != nil {
			return err
		}
		rows -= n
		packed = rest.in[size:]
	}
	if rows != 0 {
		return errPages
	}
	return nil
}

// soundPage checks a page, and returns its rows: at most as many as are left. A dictionary has none.
func soundPage(h *format.PageHeader, page []byte, codec format.CompressionCodec, left int64) (rows int64, err error) {
	n, encoding, packed := int64(h.DataPageHeader.V.NumValues), h.DataPageHeader.V.Encoding, codec != format.Uncompressed
	switch h.Type {
	case format.DataPage:
	case format.DictionaryPage:
		n, encoding = int64(h.DictionaryPageHeader.V.NumValues), h.DictionaryPageHeader.V.Encoding
	case format.DataPageV2:
		v := &h.DataPageHeaderV2.V
		n, encoding, packed = int64(v.NumValues), v.Encoding, packed && (!v.IsCompressed.Valid || v.IsCompressed.V)
		if v.NumNulls != 0 || v.DefinitionLevelsByteLength != 0 || v.RepetitionLevelsByteLength != 0 {
			return 0, errPages
		}
	default:
		return 0, errPages
	}
	if packed {
		if codec != format.Zstd {
			return 0, fmt.Errorf("pages are packed by %v: want ZSTD, as weft writes them", codec)
		}
		if page, err = unpacker.DecodeAll(page, nil); err != nil {
			return 0, err
		}
	}
	if n < 0 || n > left || len(page) != int(h.UncompressedPageSize) {
		return 0, errPages
	}
	switch encoding {
	case format.Plain:
	case format.RLEDictionary:
		if h.Type != format.DictionaryPage && !soundRuns(page, n) {
			return 0, errPages
		}
	case format.DeltaLengthByteArray:
		if !soundLengths(page, n) {
			return 0, errPages
		}
	default:
		return 0, fmt.Errorf("values are encoded by %v, which weft does not write", encoding)
	}
	if h.Type == format.DictionaryPage {
		n = 0
	}
	return n, nil
}

// soundRuns reports whether the runs of a page's references to its dictionary are n values. The last run has up
// to 7 more.
func soundRuns(page []byte, n int64) bool {
	if len(page) == 0 || page[0] > 32 {
		return n == 0 && len(page) == 0
	}
	width, total := int(page[0]), int64(0)
	for at := 1; at < len(page); {
		run, bytes := binary.Uvarint(page[at:])
		if bytes <= 0 || run>>1 > uint64(n) {
			return false
		}
		at += bytes
		if run&1 != 0 {
			total += int64(run>>1) * 8
			at += int(run>>1) * width
		} else {
			total += int64(run >> 1)
			at += (width + 7) / 8
		}
		if at > len(page) {
			return false
		}
	}
	return total >= n && total < n+8
}

// soundLengths reports whether the lengths at the beginning of a page are n, and of the bytes behind them.
func soundLengths(page []byte, n int64) bool {
	rest := compact{in: page}
	for range 2 { // the size of blocks, and of their parts
		if _, err := rest.number(); err != nil {
			return false
		}
	}
	if count, err := rest.number(); err != nil || count != uint64(n) {
		return false
	}
	lengths, err := new(delta.BinaryPackedEncoding).DecodeInt32(nil, page)
	sum := int64(0)
	for _, l := range lengths {
		if sum += int64(l); l < 0 {
			return false
		}
	}
	return err == nil && sum <= int64(len(page))
}

// compact walks through a structure in Thrift's compact protocol.
type compact struct {
	in    []byte // what is left
	items int    // entries of lists that are left
}

// structure skips the fields of a structure.
func (c *compact) structure(depth int) error {
	for depth < deepest && len(c.in) > 0 {
		head := c.in[0]
		c.in = c.in[1:]
		if head == 0 {
			return nil
		}
		if head>>4 == 0 { // the number of the field follows
			if _, err := c.number(); err != nil {
				return err
			}
		}
		if kind := head & 15; kind != 1 && kind != 2 { // true and false
			if err := c.value(kind, depth); err != nil {
				return err
			}
		}
	}
	return errStructure
}

// value skips a value.
func (c *compact) value(kind byte, depth int) error {
	switch kind {
	case 1, 2, 3: // a byte
		return c.skip(1)
	case 4, 5, 6: // an integer
		_, err := c.number()
		return err
	case 7: // a float64
		return c.skip(8)
	case 8: // a text
		n, err := c.number()
		if err != nil {
			return err
		}
		return c.skip(n)
	case 9, 10: // a list or set
		return c.list(depth + 1)
	case 12:
		return c.structure(depth + 1)
	}
	return errStructure
}

// list skips a list.
func (c *compact) list(depth int) (err error) {
	if depth >= deepest || len(c.in) == 0 {
		return errStructure
	}
	head := c.in[0]
	c.in = c.in[1:]
	n := uint64(head >> 4)
	if n == 15 {
		if n, err = c.number(); err != nil {
			return err
		}
	}
	if n > uint64(min(c.items, len(c.in))) {
		return errStructure
	}
	c.items -= int(n)
	for range n {
		if err := c.value(head&15, depth); err != nil {
			return err
		}
	}
	return nil
}

func (c *compact) number() (uint64, error) {
	v, n := binary.Uvarint(c.in)
	if n <= 0 {
		return 0, errStructure
	}
	c.in = c.in[n:]
	return v, nil
}

func (c *compact) skip(n uint64) error {
	if n > uint64(len(c.in)) {
		return errStructure
	}
	c.in = c.in[n:]
	return nil
}
