package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"weft/internal/roce/host"
)

// Bounds on a host's folder: a host has some ten files about RoCE, and some hundred in its sysfs
// tree.
const (
	maxHostFiles = 5000
	maxHostFile  = 8<<20 + 1
)

// readHosts reads hosts: each folder is a host, and all named files together are a host.
func (e *Env) readHosts(paths []string) ([]*host.Host, error) {
	var hosts []*host.Host
	var named []host.Source
	for _, path := range paths {
		info, err := os.Stat(e.path(path))
		if err != nil {
			return nil, cannotRead(path, err)
		}
		if !info.IsDir() {
			text, err := e.readHostFile(path)
			if err != nil {
				return nil, cannotRead(path, err)
			}
			named = append(named, host.Source{Name: path, Text: text})
			continue
		}
		files, err := e.hostFolder(path)
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
func (e *Env) hostFolder(dir string) ([]host.Source, error) {
	var files []host.Source
	root := e.path(dir)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if len(files) == maxHostFiles {
			return fmt.Errorf("%s has more than %d files: give the folder of one host", dir, maxHostFiles)
		}
		text, err := e.readHostFile(path)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, path)
		files = append(files, host.Source{Name: filepath.ToSlash(filepath.Join(dir, below)), Text: text, Optional: true})
		return err
	})
	var at *fs.PathError
	if errors.As(err, &at) {
		return nil, cannotRead(dir, err)
	}
	return files, err
}

func (e *Env) readHostFile(path string) (string, error) {
	f, err := e.open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxHostFile))
	return string(text), err
}

// cannotRead is the reason why a file was not read, without its path in the process.
func cannotRead(path string, err error) error {
	return fmt.Errorf("%s cannot be read: %w", path, reason(err))
}
