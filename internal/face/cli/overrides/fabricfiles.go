package overrides

import (
	"io"
	"io/fs"
	"os"

	"weft/internal/base/regular"
	"weft/internal/face/cli/process"
	"weft/internal/sim/cabled"
)

// FabricFiles are the files from which a real fabric is read; - is standard input.
func FabricFiles(e *process.Env) cabled.Files {
	return cabled.Files{
		Open: func(name string) (io.ReadCloser, error) {
			if name == "-" {
				return io.NopCloser(e.Stdin), nil
			}
			f, err := e.Open(name)
			if err != nil {
				return nil, regular.Reason(err) // the readers name the file
			}
			return f, nil
		},
		Folder: func(name string) fs.FS {
			if name == "-" || !process.IsFolder(e.Path(name)) {
				return nil
			}
			return os.DirFS(e.Path(name))
		},
	}
}
