package roce

import (
	"os"
	"slices"
	"strings"

	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/simulator"
	"weft/internal/roce/lint"
	"weft/internal/roce/router"
	"weft/internal/roce/sonic"
	"weft/internal/sim/cabled"
	"weft/internal/study/faultcost"
	"weft/scenario"
)

// judgePaths finds the equally short paths of the switches of a folder by its cables. Switches that have no configuration of
// SONiC, and files of FRR or the kernel, are added. Without cables no path is judged.
func (l *linting) judgePaths(e *simulator.Simulator, all []lint.Subject) []lint.Subject {
	r, err := l.pathScenario(e)
	if err != nil {
		e.Note("weft: note: the paths of the switches are not judged: %v\n", err)
		return all
	}
	i, err := overrides.OnlyRoCE(r, l.fields.Fabrics, "")
	if err != nil {
		return all // --cost says it
	}
	if l.options.Paths, err = faultcost.Paths(r, &r.Fabrics[i]); err != nil {
		e.Note("weft: note: the paths of the switches are not judged: %v\n", err)
		return all
	}
	configs := map[string]string{}
	for i, file := range l.site.files {
		configs[file] = all[i].Switch.Hostname
	}
	known := func(name string) bool { return l.options.Paths[name] != nil }
	routers, _, _ := router.Site(os.DirFS(l.site.own), l.site.folder, configs, known) // reading the fabric has told what is wrong
	var names []string
	for name, r := range routers {
		l.options.Paths[name].Router = r
		if !slices.ContainsFunc(all, func(s lint.Subject) bool { return s.Switch.Hostname == name }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		sw, _ := sonic.Examine(&sonic.Config{File: name})
		sw.Hostname = name
		all = append(all, lint.Subject{Switch: sw})
	}
	return all
}

// pathScenario is the scenario whose fabric has the cables of the folder.
func (l *linting) pathScenario(e *simulator.Simulator) (*scenario.Resolved, error) {
	job := l.site.job
	if job == nil {
		source, err := cabled.Read(l.site.folder, overrides.FabricFiles(e.Env))
		if err != nil {
			return nil, err
		}
		text, err := source.Scenario(l.site.folder)
		if err != nil {
			return nil, err
		}
		if job, err = scenario.DecodeIn(e.Path("."), l.site.folder, []byte(text)); err != nil {
			return nil, err
		}
	}
	r, err := job.Copy().Resolve()
	if err == nil && len(l.site.files) == 0 && !l.cost {
		overrides.TellNotes(e.Env, job.Notes())
	}
	return r, err
}

// routersOf are the files of a switch's routes, below the folder of the site.
func (s *site) routersOf(r *router.Router) (files []faultcost.Router, err error) {
	if r == nil {
		return nil, nil
	}
	for _, at := range []string{r.ASN.File, r.MaxPaths.File, r.Relax.File, r.Policy.File} {
		file := strings.TrimPrefix(at, strings.TrimSuffix(s.folder, "/")+"/")
		if at == "" || slices.ContainsFunc(files, func(f faultcost.Router) bool { return f.File == file }) {
			continue
		}
		text, err := s.text(file)
		if err != nil {
			return nil, err
		}
		files = append(files, faultcost.Router{File: file, Text: string(text)})
	}
	return files, nil
}
