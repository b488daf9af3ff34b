package roce

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"weft/internal/face/cli/process"
	"weft/internal/roce/host"
)

// Bounds on a host's folder: a host has some ten files about RoCE, and some hundred in its sysfs
// tree.
const (
	maxHostFiles = 5000
	maxHostFile  = 8<<20 + 1
)

// readHosts reads hosts: each folder is a host, and all named files together are a host.
func readHosts(e *process.Env, paths []string) ([]*host.Host, error) {
	var hosts []*host.Host
	var named []host.Source
	for _, path := range paths {
		info, err := os.Stat(e.Path(path))
		if err != nil {
			return nil, process.CannotRead(path, err)
		}
		if !info.IsDir() {
			text, err := readHostFile(e, path)
			if err != nil {
				return nil, process.CannotRead(path, err)
			}
			named = append(named, host.Source{Name: path, Text: text})
			continue
		}
		files, err := hostFolder(e, path)
		if err != nil {
			return nil, err
		}
		h, err := host.Read(filepath.Base(filepath.Clean(path)), files)
		if err != nil {
			return nil, err
		}
		hosts = append(hosts, h)
	}
	if len(named) == 0 {
		return hosts, nil
	}
	h, err := host.Read("the host", named)
	return append(hosts, h), err
}

// hostFolder reads all files of a folder.
func hostFolder(e *process.Env, dir string) ([]host.Source, error) {
	var files []host.Source
	root := e.Path(dir)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if len(files) == maxHostFiles {
			return fmt.Errorf("%s has more than %d files: give the folder of one host", dir, maxHostFiles)
		}
		text, err := readHostFile(e, path)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, path)
		files = append(files, host.Source{Name: filepath.ToSlash(filepath.Join(dir, below)), Text: text, Optional: true})
		return err
	})
	var at *fs.PathError
	if errors.As(err, &at) {
		return nil, process.CannotRead(dir, err)
	}
	return files, err
}

func readHostFile(e *process.Env, path string) (string, error) {
	f, err := e.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxHostFile))
	return string(text), err
}
