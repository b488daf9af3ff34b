package packed

import (
	"io"
	"io/fs"
)

// Folder is a folder whose files read decompressed.
func Folder(files fs.FS) fs.FS { return folder{files} }

type folder struct{ files fs.FS }

func (d folder) Open(name string) (fs.File, error) {
	f, err := d.files.Open(name)
	if err != nil {
		return nil, err
	}
	if about, err := f.Stat(); err != nil || !about.Mode().IsRegular() {
		return f, err
	}
	in, err := Undo(name, f)
	if err != nil {
		return nil, err
	}
	return unpacked{f, in}, nil
}

type unpacked struct {
	fs.File
	in io.Reader
}

func (f unpacked) Read(b []byte) (int, error) { return f.in.Read(b) }
