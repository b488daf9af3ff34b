package roce

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"weft/internal/base/packed"
	"weft/internal/base/wording"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/process"
	"weft/internal/face/cli/simulator"
	"weft/internal/roce/router"
	"weft/scenario"
)

// Bounds of a folder with the files of a fabric's switches.
const (
	maxSiteFiles = 16384
	maxSiteBytes = 1 << 30
)

// site is a folder with the configuration of each switch of a fabric.
type site struct {
	folder string         // as the user or the scenario writes it
	own    string         // the folder in the file system
	files  []string       // the configurations below the folder, in the order of their names
	job    *scenario.File // the scenario that names the folder; nil if the folder was given
	field  string         // of the scenario, which names the folder
}

// openSite finds the configurations of a folder, or of the folder that a scenario names.
func openSite(e *simulator.Simulator, name string) (*site, error) {
	s := &site{folder: name, own: e.Path(name)}
	if overrides.NamesScenario(name) {
		job, err := overrides.Open(e.Env, name)
		if err != nil {
			return nil, err
		}
		s.job = job
		s.field, s.folder = job.FabricFile()
		if s.folder == "" {
			return nil, fmt.Errorf("%s names no fabric with configurations of switches: want topology: {file: FOLDER}, with a config_db.json of each switch in the folder", name)
		}
		s.own = s.folder
		if !filepath.IsAbs(s.own) {
			s.own = e.Path(filepath.Join(filepath.Dir(name), s.folder))
		}
	}
	if !process.IsFolder(s.own) {
		return nil, fmt.Errorf("%s is no folder: want one with a config_db.json of each switch, or a scenario (.yaml) that names one; a single file is given by --switch", s.folder)
	}
	err := fs.WalkDir(os.DirFS(s.own), ".", func(file string, about fs.DirEntry, err error) error {
		if err != nil || about.IsDir() || !strings.Contains(strings.ToLower(path.Base(file)), "config_db") {
			return err
		}
		if len(s.files) == maxSiteFiles {
			return fmt.Errorf("%s has more than %d configurations", s.folder, maxSiteFiles)
		}
		s.files = append(s.files, file)
		return nil
	})
	if err == nil && len(s.files) == 0 && !s.hasRouters() {
		err = fmt.Errorf("%s has no configuration of a switch: want files with config_db in their names, such as leaf1/config_db.json, or of FRR, such as leaf1/frr.conf", s.folder)
	}
	return s, err
}

// hasRouters reports whether the folder has files of FRR or of Linux' routing.
func (s *site) hasRouters() bool {
	found := errors.New("found")
	err := fs.WalkDir(os.DirFS(s.own), ".", func(file string, about fs.DirEntry, err error) error {
		if err == nil && !about.IsDir() && router.ReaderOf(file) != nil {
			return found
		}
		return err
	})
	return errors.Is(err, found)
}

// switches are the paths of the configurations that can be read, for --switch; the others are told. files keeps the same.
func (s *site) switches(e *simulator.Simulator) (paths []string, err error) {
	var readable []string
	for _, file := range s.files {
		at := filepath.Join(s.own, filepath.FromSlash(file))
		if _, err := readSONiCFile(e, at); err != nil {
			e.Note("weft: note: %v: this switch is not judged\n", err)
			continue
		}
		paths, readable = append(paths, at), append(readable, file)
	}
	if len(paths) == 0 && len(s.files) > 0 {
		return nil, fmt.Errorf("%s: none of its %s can be read", s.folder, wording.Counted(len(s.files), "configuration", "configurations"))
	}
	s.files = readable
	return paths, nil
}

// text is the content of one of the files, decompressed.
func (s *site) text(file string) ([]byte, error) {
	in, err := packed.Folder(os.DirFS(s.own)).Open(file)
	if err != nil {
		return nil, process.CannotRead(s.folder+"/"+file, err)
	}
	defer func() { _ = in.Close() }()
	return io.ReadAll(io.LimitReader(in, maxSiteBytes))
}

// copied is a copy of the folder, so that files of it can be changed; the caller removes it.
func (s *site) copied() (dir string, err error) {
	dir, err = os.MkdirTemp("", "weft-lint-")
	if err != nil {
		return "", exit.Errorf(exit.Failed, "--cost: %w", err)
	}
	files, total := 0, int64(0)
	from := os.DirFS(s.own)
	err = fs.WalkDir(from, ".", func(name string, about fs.DirEntry, err error) error {
		to := filepath.Join(dir, filepath.FromSlash(name))
		switch {
		case err != nil:
			return err
		case about.IsDir():
			return os.MkdirAll(to, 0o700)
		case files == maxSiteFiles || total >= maxSiteBytes:
			return fmt.Errorf("%s is no folder of a fabric's files: it has more than %d files, or more than %d MiB", s.folder, maxSiteFiles, maxSiteBytes>>20)
		}
		files++
		n, err := copyFile(from, name, to, maxSiteBytes-total)
		total += n
		return err
	})
	if err != nil {
		_ = os.RemoveAll(dir)
		return "", err
	}
	return dir, nil
}

// copyFile copies at most so many bytes of a regular file; others are left out.
func copyFile(from fs.FS, name, to string, most int64) (int64, error) {
	in, err := from.Open(name)
	if err != nil {
		return 0, err
	}
	defer func() { _ = in.Close() }()
	if about, err := in.Stat(); err != nil || !about.Mode().IsRegular() {
		return 0, err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(out, io.LimitReader(in, most))
	return n, errors.Join(err, out.Close())
}

// changing does something while files of a copied folder have other contents.
func changing(dir string, changed map[string][]byte, do func() error) (err error) {
	before := map[string][]byte{}
	defer func() {
		for file, text := range before {
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, filepath.FromSlash(file)), text, 0o600))
		}
	}()
	for file, text := range changed {
		at := filepath.Join(dir, filepath.FromSlash(file))
		old, err := os.ReadFile(at)
		if err != nil {
			return err
		}
		if bytes.Equal(old, text) {
			continue
		}
		before[file] = old
		if err := os.WriteFile(at, text, 0o600); err != nil {
			return err
		}
	}
	return do()
}
