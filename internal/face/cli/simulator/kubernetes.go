package simulator

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/study/kubernetes"
)

// IndexedJob is the flags of a verb that can run as an Indexed Job of Kubernetes.
type IndexedJob struct {
	kubernetes.Job
	On bool
}

var kubernetesFlags = []string{"name", "namespace", "image", "claim", "storage-class"}

// Register registers the flags of a Job of Kubernetes.
func (j *IndexedJob) Register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&j.On, "kubernetes", false, "print a manifest for kubectl apply -f: an Indexed Job with its files and volume claim")
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

// CheckFlags refuses flags that no Indexed Job can have.
func (j *IndexedJob) CheckFlags(cmd *cobra.Command, out string) error {
	for _, flag := range kubernetesFlags {
		if !j.On && cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s is an option of --kubernetes", flag)
		}
	}
	if j.On && out != "" {
		return fmt.Errorf("--kubernetes prints the manifest, and the pods write into their volume: leave --out out, and write > job.yaml")
	}
	return nil
}
