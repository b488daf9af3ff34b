package studies

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/simulator"
	"weft/internal/study/kubernetes"
	"weft/internal/study/sweep"
	"weft/units"
)

// extent sets the number of elements and their memory by the estimate of what is missing; work is the memory for an
// element's simulations.
func (s *sweeping) extent(f *sweep.Folder) (work units.Bytes, err error) {
	t, err := f.Load()
	if err != nil {
		return 0, exit.Errorf(exit.Failed, "%w", err)
	}
	x, err := t.Estimate(nil)
	if err != nil {
		return 0, exit.Errorf(exit.Failed, "%w", err)
	}
	if x.Missing == 0 {
		return 0, fmt.Errorf("all %d variants have a row already: weft sweep show %s prints the table", x.Variants, s.out)
	}
	a := &s.array
	a.Elements = min(cmp.Or(a.Elements, 32), x.Missing)
	work = units.Bytes(a.CPUs) * x.Memory * 5 / 4 // the estimate was made of some of the variants
	if s.memory != "" {
		if work, err = s.budget(); err != nil {
			return 0, err
		}
	}
	a.Memory = work + 256*units.MiB + units.Bytes(f.Space.Len())*units.KiB // all rows are known to each element
	return work, nil
}

// submit makes the array job of a sweep.
func (s *sweeping) submit(ctx context.Context, e *simulator.Simulator, f *sweep.Folder) error {
	work, err := s.extent(f)
	if err != nil {
		return err
	}
	a := &s.array
	a.Name = "weft-" + filepath.Base(f.Dir)
	folder, err := filepath.Abs(f.Dir)
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	element := []string{"sweep", "work", folder, "-j", strconv.Itoa(a.CPUs), "--memory", work.Exact()}
	element = append(element, e.ExactArgs()...)
	return a.Submit(ctx, e, s.out, element, []string{"sweep", "show", folder})
}

// sizeOfRow is the room in the volume for a variant: its row, its claim, and its rows in the tables.
const sizeOfRow = 4 * units.KiB

// manifest prints the manifest of a sweep.
func (s *sweeping) manifest(e *simulator.Simulator, f *sweep.Folder) error {
	j := &s.pods
	work, err := s.extent(f)
	if err != nil {
		return err
	}
	j.Elements, j.AtOnce, j.CPUs, j.Memory = s.array.Elements, s.array.AtOnce, s.array.CPUs, s.array.Memory
	j.Name = cmp.Or(j.Name, kubernetes.Label("weft-"+f.Space.Base.Name, 40)+"-"+f.About.ID())
	j.Image = cmp.Or(j.Image, e.Version.Image())
	j.Storage = units.GiB + units.Bytes(f.Space.Len())*sizeOfRow
	j.Files = []kubernetes.File{{Name: sweep.ScenarioFile, Text: f.Text}}
	for _, file := range f.Files {
		j.Files = append(j.Files, kubernetes.File{Name: filepath.ToSlash(file.Name), Text: file.Text})
	}
	folder := path.Join(kubernetes.SharedFolder, j.Name)
	j.Args = []string{"sweep", "work", folder, "--from", path.Join(kubernetes.FilesFolder, sweep.ScenarioFile), "-j", strconv.Itoa(j.CPUs), "--memory", work.Exact()}
	j.Args = append(j.Args, e.ExactArgs()...)
	if s.csv {
		j.Args = append(j.Args, "--csv")
	}
	for _, set := range s.set {
		j.Args = append(j.Args, "--set", set)
	}
	j.About = []string{fmt.Sprintf("%s: %d variants by %d pods, into the folder %s of the volume.", strings.Join(strings.Fields(f.Space.Base.Name), " "), f.Space.Len(), j.Elements, j.Name)}
	if err := j.Check(); err != nil {
		return err
	}
	text, err := j.Manifest()
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	_, err = e.Stdout.Write(text)
	return err
}
