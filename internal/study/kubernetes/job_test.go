package kubernetes

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"weft/units"
)

// published is the schemas of the objects that weft writes, in Kubernetes' own words without its descriptions.
// The test of package interop takes them from the API server, of the release that its go.mod names.
const published = "testdata/kubernetes.json"

// schemas are the published schemas. A field that they do not have is refused, as kubectl refuses it.
func schemas(t *testing.T) *validator.Compiler {
	t.Helper()
	text, err := os.ReadFile(published)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := validator.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range doc.(map[string]any)["definitions"].(map[string]any) {
		if at := d.(map[string]any); at["properties"] != nil {
			at["additionalProperties"] = false
		}
	}
	c := validator.NewCompiler()
	if err := c.AddResource("kubernetes.json", doc); err != nil {
		t.Fatal(err)
	}
	return c
}

// conform holds each object of a manifest against its schema.
func conform(t *testing.T, manifest []byte) (kinds []string, err error) {
	t.Helper()
	c := schemas(t)
	all := yaml.NewDecoder(bytes.NewReader(manifest))
	for {
		var object map[string]any
		if e := all.Decode(&object); errors.Is(e, io.EOF) {
			return kinds, err
		} else if e != nil {
			t.Fatal(e)
		}
		kind, version := object["kind"].(string), object["apiVersion"].(string)
		if version == "v1" {
			version = "core/v1"
		}
		kinds = append(kinds, kind)
		s, e := c.Compile("kubernetes.json#/definitions/io.k8s.api." + strings.ReplaceAll(version, "/", ".") + "." + kind)
		if e != nil {
			t.Fatal(e)
		}
		text, e := json.Marshal(object)
		if e != nil {
			t.Fatal(e)
		}
		value, e := validator.UnmarshalJSON(bytes.NewReader(text))
		if e != nil {
			t.Fatal(e)
		}
		err = errors.Join(err, s.Validate(value))
	}
}

func example() *Job {
	return &Job{
		Name: "weft-grid", Image: "weft:1.0", Elements: 8, AtOnce: 4, CPUs: 2, Memory: units.GiB, StorageClass: "nfs", Storage: units.GiB,
		Files: []File{{"sweep.yaml", []byte("name: grid\n")}, {"conf/partitions.conf", []byte{0xff, '\n'}}},
		Args:  []string{"sweep", "work", "/shared/weft-grid", "--set", "name=$(HOME) $$"},
	}
}

func written(t *testing.T, j *Job) []byte {
	t.Helper()
	if err := j.Check(); err != nil {
		t.Fatal(err)
	}
	text, err := j.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestManifestsFitThePublishedSchemas(t *testing.T) {
	own, given := example(), example()
	given.StorageClass, given.Claim, given.Namespace, given.AtOnce = "", "scratch.lustre", "fabric-team", 0
	for j, want := range map[*Job]string{own: "ConfigMap PersistentVolumeClaim Job", given: "ConfigMap Job"} {
		kinds, err := conform(t, written(t, j))
		if got := strings.Join(kinds, " "); err != nil || got != want {
			t.Errorf("objects %s, want %s: %v", got, want, err)
		}
	}
	text := string(written(t, own))
	for _, wrong := range [][2]string{{"completions: 8", "completions: eight"}, {"parallelism:", "parallel:"}, {"- ALL", "- 1"}, {"storage: 1024Mi", "storage: [1]"}} {
		if _, err := conform(t, []byte(strings.Replace(text, wrong[0], wrong[1], 1))); err == nil || !strings.Contains(text, wrong[0]) {
			t.Errorf("%s passes for %s", wrong[1], wrong[0])
		}
	}
}

func TestAnArgumentIsNoVariableOfAPod(t *testing.T) {
	if text := string(written(t, example())); !strings.Contains(text, "- name=$$(HOME) $$$$\n") {
		t.Errorf("$(HOME) is not escaped:\n%s", text)
	}
}

func TestWhatKubernetesRefusesIsSaidBefore(t *testing.T) {
	for want, change := range map[string]func(*Job){
		`--name "Grid 1": Kubernetes takes at most 61 small letters, digits and -, with a letter or digit at both ends; grid-1 would be taken`: func(j *Job) { j.Name = "Grid 1" },
		"at most 60 small letters":        func(j *Job) { j.Name, j.Elements = strings.Repeat("a", 61), 11 },
		`--namespace "a.b"`:               func(j *Job) { j.Namespace = "a.b" },
		`--image "a b"`:                   func(j *Job) { j.Image = "a b" },
		"a class with ReadWriteMany":      func(j *Job) { j.StorageClass = "" },
		"--claim c exists":                func(j *Job) { j.Claim = "c" },
		`--claim or --storage-class "A"`:  func(j *Job) { j.StorageClass = "A" },
		"names the file ../a.conf":        func(j *Job) { j.Files[1].Name = "../a.conf" },
		"names the file /etc/passwd":      func(j *Job) { j.Files[1].Name = "/etc/passwd" },
		"and kubectl apply takes 252 KiB": func(j *Job) { j.Files[0].Text = bytes.Repeat([]byte("# <>\n"), 20<<10) },
	} {
		j := example()
		change(j)
		if err := j.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("said %v, want %s", err, want)
		}
	}
}
