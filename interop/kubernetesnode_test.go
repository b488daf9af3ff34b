//go:build linux

package interop

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// pod is the fields of a pod that a node reads.
type pod struct {
	Metadata struct {
		Name, Namespace string
		Annotations     map[string]string
	}
	Spec struct {
		NodeName        string
		SecurityContext struct{ RunAsUser, RunAsGroup, FSGroup uint32 }
		Containers      []struct {
			Name, Image string
			Args        []string
			Env         []struct {
				Name, Value string
				ValueFrom   *struct{ FieldRef struct{ FieldPath string } }
			}
			VolumeMounts []struct {
				Name, MountPath string
				ReadOnly        bool
			}
			SecurityContext struct{ ReadOnlyRootFilesystem bool }
		}
		Volumes []struct {
			Name      string
			ConfigMap *struct {
				Name  string
				Items []struct{ Key, Path string }
			}
			PersistentVolumeClaim *struct{ ClaimName string }
		}
	}
	Status struct{ Phase string }
}

// index is the completion index of the pod.
func (p *pod) index() string {
	return p.Metadata.Annotations["batch.kubernetes.io/job-completion-index"]
}

func (p *pod) path() string {
	return "/api/v1/namespaces/" + p.Metadata.Namespace + "/pods/" + p.Metadata.Name
}

// node stands in for scheduler, kubelet and containers: it binds each pod, mounts its volumes, runs its command in a
// mount namespace with the image as a read-only root, as the user of the pod, and tells the outcome.
type node struct {
	*cluster
	image string // root file system
	// before is called before the process of a pod, and after when it has begun; a pod may make room for another.
	before func(p *pod, try int)
	after  func(p *pod, try int, process *os.Process) (makesRoom bool)

	mu    sync.Mutex
	tries map[string]int // by index
	seen  map[string]bool
	logs  map[string]string // of the last pod, by index
	wait  sync.WaitGroup
}

// work runs the pods of a namespace until done.
func (n *node) work(namespace string, done func() bool) {
	n.t.Helper()
	n.tries, n.seen, n.logs = map[string]int{}, map[string]bool{}, map[string]string{}
	n.until("the Job has ended", func() bool {
		var list struct{ Items []pod }
		if err := n.get("/api/v1/namespaces/"+namespace+"/pods", &list); err != nil {
			n.t.Fatal(err)
		}
		for i := range list.Items {
			if p := &list.Items[i]; !n.seen[p.Metadata.Name] && p.Status.Phase == "Pending" {
				n.seen[p.Metadata.Name] = true
				n.wait.Go(func() {
					if err := n.run(p); err != nil {
						n.t.Errorf("pod %s: %v", p.Metadata.Name, err)
					}
				})
			}
		}
		return n.t.Failed() || done()
	})
	n.wait.Wait()
}

// run runs a pod from its binding to its end.
func (n *node) run(p *pod) error {
	binding := `{"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "` + p.Metadata.Name + `"}, "target": {"kind": "Node", "name": "node"}}`
	if err := n.call("POST", p.path()+"/binding", binding, nil); err != nil {
		return err
	}
	root, err := os.MkdirTemp(n.dir, "pod-")
	if err != nil {
		return err
	}
	mounts, err := n.volumes(p, root)
	if err != nil {
		return err
	}
	if err := n.say(p, `{"phase": "Running"}`); err != nil {
		return err
	}
	n.mu.Lock()
	n.tries[p.index()]++
	try := n.tries[p.index()]
	n.mu.Unlock()
	n.before(p, try)
	var out bytes.Buffer
	process := n.container(p, mounts)
	process.Stdout, process.Stderr = &out, &out
	if err := process.Start(); err != nil {
		return err
	}
	makesRoom := n.after(p, try, process.Process)
	err = process.Wait()
	n.mu.Lock()
	n.logs[p.index()] = out.String()
	n.mu.Unlock()
	code, phase, conditions := 0, "Succeeded", "[]"
	if at := (*exec.ExitError)(nil); errors.As(err, &at) {
		phase = "Failed"
		if code = at.ExitCode(); code < 0 {
			code = 128 + int(at.Sys().(syscall.WaitStatus).Signal())
		}
		n.t.Logf("%s: exit code %d: %s", p.Metadata.Name, code, out.String())
	}
	if makesRoom {
		conditions = `[{"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}]`
	}
	c := &p.Spec.Containers[0]
	return n.say(p, fmt.Sprintf(`{"phase": %q, "conditions": %s, "containerStatuses": [{"name": %q, "image": %q, "imageID": "", "ready": false, "restartCount": 0,
		"state": {"terminated": {"exitCode": %d, "finishedAt": %q}}}]}`, phase, conditions, c.Name, c.Image, code, time.Now().UTC().Format(time.RFC3339)))
}

// say sets the status of a pod.
func (n *node) say(p *pod, status string) error {
	return n.call("PATCH", p.path()+"/status", `{"status": `+status+`}`, nil)
}

// volumes are the folders of a pod's volumes, by name.
func (n *node) volumes(p *pod, root string) (map[string]string, error) {
	out := map[string]string{}
	for _, v := range p.Spec.Volumes {
		switch {
		case v.ConfigMap != nil:
			var c struct{ Data, BinaryData map[string]string }
			if err := n.get("/api/v1/namespaces/"+p.Metadata.Namespace+"/configmaps/"+v.ConfigMap.Name, &c); err != nil {
				return nil, err
			}
			out[v.Name] = filepath.Join(root, v.Name)
			for _, item := range v.ConfigMap.Items {
				text := []byte(c.Data[item.Key])
				if b, ok := c.BinaryData[item.Key]; ok {
					text, _ = base64.StdEncoding.DecodeString(b)
				}
				path := filepath.Join(out[v.Name], item.Path)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o644)); err != nil {
					return nil, err
				}
			}
		case v.PersistentVolumeClaim != nil:
			folder, err := n.volumeOf(p.Metadata.Namespace, v.PersistentVolumeClaim.ClaimName)
			if err != nil {
				return nil, err
			}
			group := int(p.Spec.SecurityContext.FSGroup)
			if err := errors.Join(os.Chown(folder, -1, group), os.Chmod(folder, 0o2775)); err != nil {
				return nil, err
			}
			out[v.Name] = folder
		}
	}
	return out, os.Chmod(root, 0o755)
}

// volumeOf waits until a claim is bound, and gives the folder of its volume.
func (n *node) volumeOf(namespace, claim string) (folder string, err error) {
	var c struct{ Spec struct{ VolumeName string } }
	for c.Spec.VolumeName == "" {
		if err := n.get("/api/v1/namespaces/"+namespace+"/persistentvolumeclaims/"+claim, &c); err != nil {
			return "", err
		}
		time.Sleep(20 * time.Millisecond)
	}
	var v struct {
		Spec struct{ HostPath struct{ Path string } }
	}
	err = n.get("/api/v1/persistentvolumes/"+c.Spec.VolumeName, &v)
	return v.Spec.HostPath.Path, err
}

var reference = regexp.MustCompile(`\$\$|\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)`)

// expanded is a text with the variables that it names in place.
func expanded(text string, env map[string]string) string {
	return reference.ReplaceAllStringFunc(text, func(at string) string {
		if at == "$$" {
			return "$"
		}
		if value, ok := env[at[2:len(at)-1]]; ok {
			return value
		}
		return at
	})
}

// container is the process of a pod: the image's program in its own root, which is only read.
func (n *node) container(p *pod, volumes map[string]string) *exec.Cmd {
	c := &p.Spec.Containers[0]
	env := map[string]string{}
	for _, v := range c.Env {
		value := expanded(v.Value, env)
		if v.ValueFrom != nil {
			path := v.ValueFrom.FieldRef.FieldPath
			value = p.Metadata.Annotations[strings.TrimSuffix(strings.TrimPrefix(path, "metadata.annotations['"), "']")]
		}
		env[v.Name] = value
	}
	script := "set -e; root=$1 user=$2 groups=$3; shift 3; mount --make-rprivate /; mount --bind $root $root; mount --bind /proc $root/proc\n"
	for _, m := range c.VolumeMounts {
		script += "mount --bind " + volumes[m.Name] + " $root" + m.MountPath + "\n"
		if m.ReadOnly {
			script += "mount -o remount,bind,ro $root" + m.MountPath + "\n"
		}
	}
	if c.SecurityContext.ReadOnlyRootFilesystem {
		script += "mount -o remount,bind,ro $root\n"
	}
	script += `exec chroot --userspec=$user --groups=$groups $root "$@"`
	user := p.Spec.SecurityContext
	args := []string{"--mount", "sh", "-c", script, "sh", n.image, fmt.Sprintf("%d:%d", user.RunAsUser, user.RunAsGroup), strconv.Itoa(int(user.FSGroup)), "/weft"}
	for _, a := range c.Args {
		args = append(args, expanded(a, env))
	}
	run := exec.Command("unshare", args...)
	run.Env = []string{"PATH=" + os.Getenv("PATH")}
	for name, value := range env {
		run.Env = append(run.Env, name+"="+value)
	}
	return run
}
