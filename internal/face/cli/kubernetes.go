package cli

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/study/kubernetes"
	"weft/internal/study/sweep"
	"weft/units"
)

// indexedJob is the flags of a verb that can run as an Indexed Job of Kubernetes.
type indexedJob struct {
	kubernetes.Job
	on bool
}

var kubernetesFlags = []string{"name", "namespace", "image", "claim", "storage-class"}

func (j *indexedJob) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&j.on, "kubernetes", false, "print a manifest for kubectl apply -f: an Indexed Job with its files and its volume claim")
	f.StringVar(&j.Name, "name", "", "with --kubernetes: name of the Job, and of its folder in the volume (default: from the scenario)")
	f.StringVar(&j.Namespace, "namespace", "", "with --kubernetes: namespace (default: the one of kubectl)")
	f.StringVar(&j.Image, "image", "", "with --kubernetes: image of weft (default: weft with this version as its tag)")
	f.StringVar(&j.StorageClass, "storage-class", "", "with --kubernetes: class of the volume, which must offer ReadWriteMany")
	f.StringVar(&j.Claim, "claim", "", "with --kubernetes: a volume claim that exists, with ReadWriteMany, instead of a new one")
	for _, flag := range elementFlags {
		at := f.Lookup(flag)
		at.Usage = strings.Replace(at.Usage, "--slurm", "--slurm or --kubernetes", 1)
	}
	for _, flag := range kubernetesFlags {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.NoFileCompletions)
	}
}

// check refuses flags that no Indexed Job can have.
func (j *indexedJob) check(cmd *cobra.Command, out string) error {
	for _, flag := range kubernetesFlags {
		if !j.on && cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s is an option of --kubernetes", flag)
		}
	}
	if j.on && out != "" {
		return fmt.Errorf("--kubernetes prints the manifest, and the pods write into their volume: leave --out out, and write > job.yaml")
	}
	return nil
}

// imageTag is what no tag of an image has.
var imageTag = regexp.MustCompile(`[^-._a-zA-Z0-9]`)

// sizeOfRow is the room in the volume for a variant: its row, its claim, and its rows in the tables.
const sizeOfRow = 4 * units.KiB

// manifest prints the manifest of a sweep.
func (s *sweeping) manifest(e *Env, f *sweep.Folder) error {
	j := &s.pods
	work, err := s.extent(f)
	if err != nil {
		return err
	}
	j.Elements, j.AtOnce, j.CPUs, j.Memory = s.array.Elements, s.array.AtOnce, s.array.CPUs, s.array.Memory
	j.Name = cmp.Or(j.Name, kubernetes.Label("weft-"+f.Space.Base.Name, 40)+"-"+f.About.ID())
	j.Image = cmp.Or(j.Image, "weft:"+imageTag.ReplaceAllString(e.Version.Weft, "-"))
	j.Storage = units.GiB + units.Bytes(f.Space.Len())*sizeOfRow
	j.Files = []kubernetes.File{{Name: sweep.ScenarioFile, Text: f.Text}}
	for _, file := range f.Files {
		j.Files = append(j.Files, kubernetes.File{Name: filepath.ToSlash(file.Name), Text: file.Text})
	}
	folder := path.Join(kubernetes.SharedFolder, j.Name)
	j.Args = []string{"sweep", "work", folder, "--from", path.Join(kubernetes.FilesFolder, sweep.ScenarioFile), "-j", strconv.Itoa(j.CPUs), "--memory", work.Exact()}
	j.Args = append(j.Args, e.exactArgs()...)
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
		return fail(Failed, "%w", err)
	}
	_, err = e.Stdout.Write(text)
	return err
}
