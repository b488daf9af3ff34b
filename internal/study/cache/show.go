package cache

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"weft/internal/base/sorting"
)

// Contents is what a cache has.
type Contents struct {
	Folder   string `json:"folder"`
	Bytes    int64  `json:"bytes"` // that it takes of the disk
	MaxBytes int64  `json:"max_bytes"`
	Results  int    `json:"results"`
	Oldest   int64  `json:"oldest_use_unix"`    // when the result was used that leaves first; 0 if there is none
	Programs []Made `json:"programs,omitempty"` // with results, the one with the latest use first
}

// Made is the results of one program.
type Made struct {
	Version string `json:"version"`
	Digest  string `json:"sha256"` // of its executable
	Results int    `json:"results"`
	Bytes   int64  `json:"bytes"`
	Used    int64  `json:"used_unix"` // the latest use
}

// Show is what the cache of a folder has. A folder without a cache has nothing.
func Show(dir string) (*Contents, error) {
	root := filepath.Join(dir, FolderName)
	files, err := filesOf(root)
	if err != nil {
		return nil, plain(root, err)
	}
	out := &Contents{Folder: root, MaxBytes: MaxBytes}
	made := map[string]*Made{}
	for i := range files {
		f := &files[i]
		out.Bytes += f.bytes
		if _, is := keyFrom(f.name); !is {
			continue
		}
		p := made[f.program]
		if p == nil {
			version, _ := os.ReadFile(filepath.Join(root, f.program, versionFile))
			p = &Made{Version: string(version), Digest: f.program}
			made[f.program] = p
		}
		used := f.used.Unix()
		out.Results, p.Results, p.Bytes, p.Used = out.Results+1, p.Results+1, p.Bytes+f.bytes, max(p.Used, used)
		if out.Oldest == 0 || used < out.Oldest {
			out.Oldest = used
		}
	}
	for _, p := range made {
		out.Programs = append(out.Programs, *p)
	}
	sorting.Func(out.Programs, func(a, b Made) int {
		return cmp.Or(cmp.Compare(b.Used, a.Used), cmp.Compare(a.Digest, b.Digest))
	})
	return out, nil
}

// earlier are the files in which earlier versions of weft kept results.
var earlier = []string{"known.db", "known.db-wal", "known.db-shm"}

// Clear empties the cache of a folder, and returns the bytes that it took. What is not weft's stays.
func Clear(dir string) (bytes int64, err error) {
	for _, name := range earlier {
		name = filepath.Join(dir, name)
		if at, missing := os.Stat(name); missing == nil {
			bytes += at.Size()
			err = errors.Join(err, os.Remove(name))
		}
	}
	root := filepath.Join(dir, FolderName)
	files, failed := filesOf(root)
	err = errors.Join(err, failed)
	for i := range files {
		bytes += files[i].bytes
		if failed := os.Remove(files[i].path(root)); !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	if err != nil {
		return bytes, plain(root, err)
	}
	_ = removeEmpty(root)
	_ = os.Remove(filepath.Join(root, grownFile))
	_ = os.Remove(root) // if nothing else is in it
	return bytes, nil
}
