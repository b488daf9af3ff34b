package studies

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"weft/internal/base/jsontext"
	"weft/internal/base/regular"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/process"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/doc"
	"weft/internal/face/report"
	"weft/internal/sim/protocol"
	"weft/internal/sim/runstore"
	"weft/internal/study/ledger"
	"weft/internal/study/many"
	"weft/internal/study/roceexport"
	"weft/internal/study/tune"
	"weft/scenario"
)

// The files of a tuning's folder, besides scenario.yaml and report.html.
const (
	tuneResult  = "tune.json"    // the outcome
	tunedFile   = "tuned.yaml"   // the scenario with the tuned values
	tuneConfigs = "configs"      // settings for devices
	tuneNotes   = "not-told.txt" // settings that devices do not have
)

// tuneFolder is the folder of a tuning, which keeps every simulation.
type tuneFolder struct {
	process.OwnFolder
	rows *ledger.Ledger // nil without a folder
}

// openTuneFolder makes the folder, or continues with it.
func openTuneFolder(e *simulator.Simulator, name string, p *tune.Problem) (*tuneFolder, error) {
	f := &tuneFolder{OwnFolder: process.OwnFolder{Name: name, Mark: tuneResult, What: "tuning"}}
	if name == "" {
		return f, nil
	}
	// The folder is made at once: the simulations come into it one by one.
	if err := os.MkdirAll(e.Path(name), 0o777); err != nil {
		return nil, fmt.Errorf("--out %s: %w", name, regular.Reason(err))
	}
	err := f.Open(e.Env)
	if err != nil {
		return nil, err
	}
	if _, none := os.Stat(filepath.Join(e.Path(name), tuneResult)); none != nil {
		var begun bytes.Buffer
		_ = jsontext.Write(&begun, p.Begun())
		err = f.Put([]runstore.File{{Name: tuneResult, Text: begun.Bytes()}})
	}
	if err == nil {
		f.rows, err = ledger.Open(e.Path(name), "tune") // one process at a time holds the folder
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("--out %s: %w", name, regular.Reason(err)), f.Close())
	}
	if n := f.rows.Len(); n > 0 {
		e.Note("%s has %s simulations already: they are not repeated\n", name, doc.Integer(int64(n)))
	}
	return f, nil
}

// runner is a runner whose simulations the folder keeps.
func (f *tuneFolder) runner(e *simulator.Simulator, workers int) simulator.Runner {
	if f.rows == nil {
		return e.Study()
	}
	return many.NewSharing(f.rows, e.Version.Weft, workers).Runner(e.Study())
}

// Close releases the folder.
func (f *tuneFolder) Close() error {
	var err error
	if f.rows != nil {
		err = f.rows.Close()
	}
	return errors.Join(err, f.OwnFolder.Close())
}

// store writes the outcome next to the simulations.
func (f *tuneFolder) store(e *simulator.Simulator, p *tune.Problem, r *tune.Result, silent bool) error {
	files, configs, err := f.files(p, r)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(e.Path(f.Name), tuneConfigs)); err != nil { // of an earlier outcome
		return exit.Errorf(exit.Failed, "--out %s: %w", f.Name, regular.Reason(err))
	}
	for _, file := range configs {
		file.Name = tuneConfigs + "/" + file.Name
		files = append(files, file)
	}
	return f.Store(e.Env, files, silent)
}

// files are the files of the outcome, and the files for devices.
func (f *tuneFolder) files(p *tune.Problem, r *tune.Result) (files, configs []runstore.File, err error) {
	stands, err := p.Stands.MarshalYAML()
	if err != nil {
		return nil, nil, err
	}
	tuned, err := p.Resolve(r.Best(), p.Stands.Run.Seed)
	if err != nil {
		return nil, nil, exit.Errorf(exit.Defect, "the tuned scenario: %w", err)
	}
	text, err := tuned.MarshalYAML()
	if err != nil {
		return nil, nil, err
	}
	var result bytes.Buffer
	if err := jsontext.Write(&result, r); err != nil {
		return nil, nil, err
	}
	configs = deviceFiles(&tuned.Fabrics[0], tuned)
	var page bytes.Buffer
	if err := report.Tune(r, configTexts(configs), text).HTML(&page); err != nil {
		return nil, nil, exit.Errorf(exit.Failed, "the page cannot be made: %w", err)
	}
	files = []runstore.File{
		{Name: runstore.ScenarioFile, Text: stands},
		{Name: tunedFile, Text: text},
		{Name: tuneResult, Text: result.Bytes()},
		{Name: runstore.ReportFile, Text: page.Bytes()},
	}
	return files, configs, nil
}

// deviceFiles are the files of weft roce export for the fabric, target by target, and the settings
// that targets do not have.
func deviceFiles(fabric *scenario.Fabric, r *scenario.Resolved) (files []runstore.File) {
	if !protocol.Of(fabric.Kind).Settings {
		return nil
	}
	var notes bytes.Buffer
	plan, err := roceexport.Of(r, fabric)
	if err != nil {
		return []runstore.File{{Name: tuneNotes, Text: []byte(err.Error() + "\n")}}
	}
	for _, t := range roceexport.Targets() {
		if t.Asked {
			continue
		}
		out, err := t.Write(plan)
		if err != nil {
			fmt.Fprintf(&notes, "%s: no file: %v\n", t.Name, err)
			continue
		}
		for _, f := range out.Files {
			files = append(files, runstore.File{Name: f.Name, Text: []byte(f.Text), Mode: process.ModeOf(f.Name)})
		}
		for _, n := range out.Notes {
			fmt.Fprintln(&notes, n)
		}
	}
	if notes.Len() > 0 {
		files = append(files, runstore.File{Name: tuneNotes, Text: notes.Bytes()})
	}
	return files
}

// configTexts are files for the page.
func configTexts(files []runstore.File) (out []report.NamedText) {
	for _, f := range files {
		out = append(out, report.NamedText{Name: tuneConfigs + "/" + f.Name, Text: string(f.Text)})
	}
	return out
}
