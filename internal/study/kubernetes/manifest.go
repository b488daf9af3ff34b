package kubernetes

import (
	"cmp"
	"path"
	"strconv"
	"strings"
)

// The environment of a pod's command. An array job of Slurm has the last two, too.
const (
	indexVariable   = "JOB_COMPLETION_INDEX"
	WorkerVariable  = "WEFT_WORKER"
	ElementVariable = "WEFT_ELEMENT"
)

// The objects of a manifest, with the fields that weft gives; the names are the ones of Kubernetes' API.
type (
	meta struct {
		Name      string            `yaml:"name"`
		Namespace string            `yaml:"namespace,omitempty"`
		Labels    map[string]string `yaml:"labels"`
	}
	configMap struct {
		APIVersion string            `yaml:"apiVersion"`
		Kind       string            `yaml:"kind"`
		Metadata   meta              `yaml:"metadata"`
		Immutable  bool              `yaml:"immutable"`
		Data       map[string]string `yaml:"data,omitempty"`
		BinaryData map[string]string `yaml:"binaryData,omitempty"` // base64
	}
	volumeClaim struct {
		APIVersion string    `yaml:"apiVersion"`
		Kind       string    `yaml:"kind"`
		Metadata   meta      `yaml:"metadata"`
		Spec       claimSpec `yaml:"spec"`
	}
	claimSpec struct {
		AccessModes      []string  `yaml:"accessModes"`
		StorageClassName string    `yaml:"storageClassName"`
		Resources        resources `yaml:"resources"`
	}
	resources struct {
		Requests map[string]string `yaml:"requests"`
		Limits   map[string]string `yaml:"limits,omitempty"`
	}
	job struct {
		APIVersion string  `yaml:"apiVersion"`
		Kind       string  `yaml:"kind"`
		Metadata   meta    `yaml:"metadata"`
		Spec       jobSpec `yaml:"spec"`
	}
	jobSpec struct {
		CompletionMode       string        `yaml:"completionMode"`
		Completions          int           `yaml:"completions"`
		Parallelism          int           `yaml:"parallelism"`
		BackoffLimitPerIndex int           `yaml:"backoffLimitPerIndex"`
		PodFailurePolicy     failurePolicy `yaml:"podFailurePolicy"`
		Template             template      `yaml:"template"`
	}
	failurePolicy struct {
		Rules []failureRule `yaml:"rules"`
	}
	failureRule struct {
		Action          string      `yaml:"action"`
		OnPodConditions []condition `yaml:"onPodConditions"`
	}
	condition struct {
		Type   string `yaml:"type"`
		Status string `yaml:"status"`
	}
	template struct {
		Metadata struct {
			Labels map[string]string `yaml:"labels"`
		} `yaml:"metadata"`
		Spec podSpec `yaml:"spec"`
	}
	podSpec struct {
		RestartPolicy                string      `yaml:"restartPolicy"`
		AutomountServiceAccountToken bool        `yaml:"automountServiceAccountToken"`
		EnableServiceLinks           bool        `yaml:"enableServiceLinks"`
		SecurityContext              podSecurity `yaml:"securityContext"`
		Containers                   []container `yaml:"containers"`
		Volumes                      []volume    `yaml:"volumes"`
	}
	podSecurity struct {
		RunAsNonRoot        bool    `yaml:"runAsNonRoot"`
		RunAsUser           int     `yaml:"runAsUser"`
		RunAsGroup          int     `yaml:"runAsGroup"`
		FSGroup             int     `yaml:"fsGroup"`
		FSGroupChangePolicy string  `yaml:"fsGroupChangePolicy"`
		SeccompProfile      profile `yaml:"seccompProfile"`
	}
	profile struct {
		Type string `yaml:"type"`
	}
	container struct {
		Name            string     `yaml:"name"`
		Image           string     `yaml:"image"`
		Args            []string   `yaml:"args"`
		Env             []variable `yaml:"env"`
		Resources       resources  `yaml:"resources"`
		SecurityContext security   `yaml:"securityContext"`
		VolumeMounts    []mount    `yaml:"volumeMounts"`
	}
	variable struct {
		Name      string    `yaml:"name"`
		Value     string    `yaml:"value,omitempty"`
		ValueFrom *fieldRef `yaml:"valueFrom,omitempty"`
	}
	fieldRef struct {
		FieldRef struct {
			FieldPath string `yaml:"fieldPath"`
		} `yaml:"fieldRef"`
	}
	security struct {
		AllowPrivilegeEscalation bool         `yaml:"allowPrivilegeEscalation"`
		ReadOnlyRootFilesystem   bool         `yaml:"readOnlyRootFilesystem"`
		Capabilities             capabilities `yaml:"capabilities"`
	}
	capabilities struct {
		Drop []string `yaml:"drop"`
	}
	mount struct {
		Name      string `yaml:"name"`
		MountPath string `yaml:"mountPath"`
		ReadOnly  bool   `yaml:"readOnly,omitempty"`
	}
	volume struct {
		Name                  string       `yaml:"name"`
		ConfigMap             *configFiles `yaml:"configMap,omitempty"`
		PersistentVolumeClaim *claimOf     `yaml:"persistentVolumeClaim,omitempty"`
	}
	configFiles struct {
		Name  string     `yaml:"name"`
		Items []fileItem `yaml:"items"`
	}
	fileItem struct {
		Key  string `yaml:"key"`
		Path string `yaml:"path"`
	}
	claimOf struct {
		ClaimName string `yaml:"claimName"`
	}
)

// job is the Job. Its pods take their number from their annotation, as Kubernetes itself would add it after the
// variables that need it.
func (j *Job) job() *job {
	index := &fieldRef{}
	index.FieldRef.FieldPath = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
	size := map[string]string{"cpu": strconv.Itoa(j.CPUs), "memory": mebibytes(j.Memory)}
	files := &configFiles{Name: j.Name}
	for _, f := range j.Files {
		files.Items = append(files.Items, fileItem{f.key(), path.Clean(f.Name)})
	}
	args := make([]string, len(j.Args))
	for i, a := range j.Args {
		args[i] = strings.ReplaceAll(a, "$", "$$") // else $(NAME) is a variable, and $$ is $
	}
	out := &job{APIVersion: "batch/v1", Kind: "Job", Metadata: j.meta(), Spec: jobSpec{
		CompletionMode: "Indexed", Completions: j.Elements, Parallelism: cmp.Or(j.AtOnce, j.Elements), BackoffLimitPerIndex: failures,
		PodFailurePolicy: failurePolicy{[]failureRule{{"Ignore", []condition{{"DisruptionTarget", "True"}}}}},
	}}
	out.Spec.Template.Metadata.Labels = j.meta().Labels
	out.Spec.Template.Spec = podSpec{
		RestartPolicy:   "Never",
		SecurityContext: podSecurity{true, user, user, user, "OnRootMismatch", profile{"RuntimeDefault"}},
		Containers: []container{{
			Name: "weft", Image: j.Image, Args: args,
			Env: []variable{
				{Name: indexVariable, ValueFrom: index},
				{Name: WorkerVariable, Value: "index-$(" + indexVariable + ")"},
				{Name: ElementVariable, Value: "$(" + indexVariable + ")/" + strconv.Itoa(j.Elements)},
			},
			Resources:       resources{size, size},
			SecurityContext: security{ReadOnlyRootFilesystem: true, Capabilities: capabilities{[]string{"ALL"}}},
			VolumeMounts:    []mount{{"files", FilesFolder, true}, {"shared", SharedFolder, false}},
		}},
		Volumes: []volume{{Name: "files", ConfigMap: files}, {Name: "shared", PersistentVolumeClaim: &claimOf{cmp.Or(j.Claim, j.Name)}}},
	}
	return out
}
