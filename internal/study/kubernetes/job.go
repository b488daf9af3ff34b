package kubernetes

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"weft/units"
)

// The folders of a pod.
const (
	FilesFolder  = "/scenario" // Job.Files, read only
	SharedFolder = "/shared"   // the volume that all pods share
)

// The bounds of Kubernetes.
const (
	longestLabel = 63  // a name within a name of DNS
	longestName  = 253 // a name of DNS
	// mostFiles bounds the files as JSON: kubectl apply keeps a copy of an object in its annotations, which have
	// 256 KiB in all. The rest is for the names of the object.
	mostFiles = 252 << 10
)

// failures is how often an index may fail before it is given up; other indices then do its work.
const failures = 4

// user is the user and group of the pods; the image has the same.
const user = 65532

// Job is an Indexed Job with its files and its volume.
type Job struct {
	Name      string // of the Job, its files and its own claim: a label of DNS
	Namespace string // empty: the one of kubectl
	Image     string
	Elements  int         // indices, 1 to 100,000
	AtOnce    int         // pods that run at the same time; 0: all
	CPUs      int         // of a pod
	Memory    units.Bytes // of a pod
	// Claim is a claim that exists; empty: the manifest has a claim of Storage bytes of StorageClass.
	Claim        string
	StorageClass string
	Storage      units.Bytes
	Files        []File
	Args         []string // of the image's program
	About        []string // comments at the head of the manifest
}

// File is a file of the work, by its name below FilesFolder.
type File struct {
	Name string
	Text []byte
}

// Check says what Kubernetes would refuse, or never start, and the way out.
func (j *Job) Check() error {
	if err := checkLabel("--name", j.Name, longestLabel-len(strconv.Itoa(j.Elements-1))-1); err != nil {
		return err
	}
	if j.Namespace != "" {
		if err := checkLabel("--namespace", j.Namespace, longestLabel); err != nil {
			return err
		}
	}
	switch {
	case !imageName.MatchString(j.Image):
		return fmt.Errorf("--image %q: want a name such as registry.example.com/weft:1.0", j.Image)
	case j.Claim == "" && j.StorageClass == "":
		return fmt.Errorf("the pods share a volume, and many default classes offer none to several nodes: name a class with ReadWriteMany by --storage-class (kubectl get storageclass lists them; NFS, CephFS and Lustre have one), or an existing claim by --claim")
	case j.Claim != "" && j.StorageClass != "":
		return fmt.Errorf("--claim %s exists and has its class: leave --storage-class out", j.Claim)
	case !domainName(j.Claim + j.StorageClass):
		return fmt.Errorf("--claim or --storage-class %q: Kubernetes takes names of at most %d small letters, digits, - and ., with a letter or digit at both ends", j.Claim+j.StorageClass, longestName)
	}
	return j.checkFiles()
}

var (
	label     = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	imageName = regexp.MustCompile(`^[a-zA-Z0-9][-a-zA-Z0-9._:/]*[a-zA-Z0-9](@sha256:[0-9a-f]{64})?$`)
	fileName  = regexp.MustCompile(`[^-._a-zA-Z0-9]`)
)

// checkLabel checks a name of an object.
func checkLabel(flag, name string, most int) error {
	if len(name) <= most && label.MatchString(name) {
		return nil
	}
	return fmt.Errorf("%s %q: Kubernetes takes at most %d small letters, digits and -, with a letter or digit at both ends; %s would be taken", flag, name, most, Label(name, most))
}

// domainName reports whether Kubernetes takes a name of a claim or a class.
func domainName(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		if !label.MatchString(part) {
			return false
		}
	}
	return len(name) <= longestName
}

// Label is a text as a name that Kubernetes takes, of at most some letters.
func Label(text string, most int) string {
	text = regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(text), "-")
	text = strings.Trim(text, "-")
	if text = strings.Trim(text[:min(len(text), most)], "-"); text == "" {
		return "sweep"
	}
	return text
}

// checkFiles checks that the files fit into a ConfigMap.
func (j *Job) checkFiles() error {
	for _, f := range j.Files {
		if name := path.Clean(f.Name); path.IsAbs(name) || strings.HasPrefix(name, "../") {
			return fmt.Errorf("the scenario names the file %s: a pod has the files of the scenario's folder and below; put it there, and name it relative to the scenario", f.Name)
		}
	}
	c := j.configMap()
	text, err := json.Marshal([]any{c.Data, c.BinaryData})
	if len(text) > mostFiles {
		return fmt.Errorf("the scenario and the files that it names have %s, and kubectl apply takes %s in one object: shorten them", units.Bytes(len(text)), units.Bytes(mostFiles))
	}
	return err
}

// key is the name of a file in a ConfigMap.
func (f *File) key() string { return fileName.ReplaceAllString(path.Clean(f.Name), "_") }

// Manifest is the text for kubectl apply -f.
func (j *Job) Manifest() ([]byte, error) {
	var b bytes.Buffer
	for _, line := range j.About {
		fmt.Fprintf(&b, "# %s\n", line)
	}
	objects := []any{j.configMap()}
	if j.Claim == "" {
		objects = append(objects, j.claim())
	}
	for _, o := range append(objects, j.job()) {
		text, err := yaml.Dump(o, yaml.WithV3Defaults())
		if err != nil {
			return nil, err
		}
		b.WriteString("---\n")
		b.Write(text)
	}
	return b.Bytes(), nil
}

func (j *Job) meta() meta {
	return meta{j.Name, j.Namespace, map[string]string{"app.kubernetes.io/name": "weft"}}
}

func (j *Job) configMap() *configMap {
	c := &configMap{APIVersion: "v1", Kind: "ConfigMap", Metadata: j.meta(), Immutable: true, Data: map[string]string{}, BinaryData: map[string]string{}}
	for _, f := range j.Files {
		if utf8.Valid(f.Text) {
			c.Data[f.key()] = string(f.Text)
		} else {
			c.BinaryData[f.key()] = base64.StdEncoding.EncodeToString(f.Text)
		}
	}
	return c
}

func (j *Job) claim() *volumeClaim {
	return &volumeClaim{"v1", "PersistentVolumeClaim", j.meta(), claimSpec{
		[]string{"ReadWriteMany"}, j.StorageClass, resources{Requests: map[string]string{"storage": mebibytes(j.Storage)}},
	}}
}

// mebibytes is an amount as Kubernetes has it, rounded up.
func mebibytes(n units.Bytes) string { return strconv.FormatInt((int64(n)+1<<20-1)>>20, 10) + "Mi" }
