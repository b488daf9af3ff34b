package packed

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/ulikunitz/xz"
)

// The first bytes of compressed files (RFC 1952, 2.3.1; The .xz File Format 1.1, 2.1.1.1).
var (
	gzipMagic = []byte{0x1f, 0x8b}
	xzMagic   = []byte{0xfd, '7', 'z', 'X', 'Z', 0}
)

// Undo is the content of a file, decompressed, and in UTF-8 with ends of lines. Closing it closes the file. name is for errors. After an error the
// file is closed.
func Undo(name string, file io.ReadCloser) (io.ReadCloser, error) {
	in := bufio.NewReader(file)
	head, _ := in.Peek(len(xzMagic)) // a read error is met again by the reader
	out := io.Reader(in)
	var err error
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		out, err = gzip.NewReader(in)
	case bytes.HasPrefix(head, xzMagic):
		out, err = xz.NewReader(in)
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("%s is compressed and damaged: %w", name, err)
	}
	if out != in {
		in = bufio.NewReader(out)
	}
	return content{narrow(in), file}, nil
}

type content struct {
	io.Reader
	file io.Closer
}

func (c content) Close() error { return c.file.Close() }
