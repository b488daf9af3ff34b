//go:build linux

package interop

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// kubernetesVar names the program of .ci/kubernetes.
const kubernetesVar = "WEFT_KUBERNETES"

// cluster is Kubernetes' API server with its store and its controllers, on the loopback interface. It has no nodes.
type cluster struct {
	t       *testing.T
	dir     string
	program string
	server  string
	client  *http.Client
}

const token = "of-the-test"

// startCluster starts a cluster, which ends with the test.
func startCluster(t *testing.T) *cluster {
	t.Helper()
	program := os.Getenv(kubernetesVar)
	if program == "" {
		t.Skip(kubernetesVar + " names no program: bash .ci/run kubernetes builds it and runs this test")
	}
	c := &cluster{t: t, dir: t.TempDir(), program: program, client: &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // a certificate of the server's own
	}}}
	store, peer, port, metrics := freePort(t), freePort(t), freePort(t), freePort(t)
	c.server = "https://" + port
	c.keys()
	c.start("etcd", "etcd", "--data-dir", c.in("etcd"), "--listen-client-urls", "http://"+store, "--advertise-client-urls", "http://"+store,
		"--listen-peer-urls", "http://"+peer, "--initial-advertise-peer-urls", "http://"+peer, "--initial-cluster", "default=http://"+peer)
	_, number, _ := net.SplitHostPort(port)
	c.start("kube-apiserver", program, "kube-apiserver", "--etcd-servers=http://"+store, "--bind-address=127.0.0.1", "--secure-port="+number,
		"--cert-dir="+c.in("certificates"), "--service-account-key-file="+c.in("key.pem"), "--service-account-signing-key-file="+c.in("key.pem"),
		"--service-account-issuer=https://weft.test", "--token-auth-file="+c.in("tokens.csv"), "--authorization-mode=RBAC", "--service-cluster-ip-range=10.0.0.0/24")
	c.until("the API server is ready", func() bool { return c.get("/readyz", nil) == nil })
	_, number, _ = net.SplitHostPort(metrics)
	c.start("kube-controller-manager", program, "kube-controller-manager", "--kubeconfig="+c.in("kubeconfig"), "--leader-elect=false", "--bind-address=127.0.0.1",
		"--secure-port="+number, "--cert-dir="+c.in("certificates-of-controllers"), "--service-account-private-key-file="+c.in("key.pem"),
		"--controllers=job-controller,serviceaccount-controller,persistentvolume-binder-controller")
	return c
}

func (c *cluster) in(name string) string { return filepath.Join(c.dir, name) }

// keys writes the key of service accounts, the administrator's token and kubectl's configuration.
func (c *cluster) keys() {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		c.t.Fatal(err)
	}
	for name, text := range map[string]string{
		"key.pem":    string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})),
		"tokens.csv": token + ",administrator,1,system:masters\n",
		"kubeconfig": `{apiVersion: v1, kind: Config, current-context: test, contexts: [{name: test, context: {cluster: test, user: test}}],
clusters: [{name: test, cluster: {server: "` + c.server + `", insecure-skip-tls-verify: true}}], users: [{name: test, user: {token: ` + token + "}}]}\n",
	} {
		if err := os.WriteFile(c.in(name), []byte(text), 0o600); err != nil {
			c.t.Fatal(err)
		}
	}
}

// start starts a server, whose output is shown if the test fails.
func (c *cluster) start(name, program string, args ...string) {
	c.t.Helper()
	var said bytes.Buffer
	p := exec.Command(program, args...)
	p.Stdout, p.Stderr = &said, &said
	if err := p.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		_ = p.Process.Kill()
		_ = p.Wait()
		if text := said.String(); c.t.Failed() {
			c.t.Logf("%s:\n%s", name, text[max(0, len(text)-2000):])
		}
	})
}

// until waits for a condition, as long as the test has time.
func (c *cluster) until(what string, ok func() bool) {
	c.t.Helper()
	deadline, _ := c.t.Deadline()
	for !ok() {
		if time.Until(deadline) < time.Minute {
			c.t.Fatalf("in vain: %s", what)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// get reads an object of the API.
func (c *cluster) get(path string, into any) error { return c.call(http.MethodGet, path, "", into) }

// call calls the API.
func (c *cluster) call(method, path, body string, into any) error {
	r, err := http.NewRequest(method, c.server+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", map[string]string{http.MethodPatch: "application/strategic-merge-patch+json"}[method])
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := c.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s: %s", method, path, answer.Status, text)
	}
	if err == nil && into != nil {
		err = json.Unmarshal(text, into)
	}
	return err
}

// kubectl runs kubectl with a text as its standard input.
func (c *cluster) kubectl(text string, args ...string) error {
	p := exec.Command(c.program, append([]string{"kubectl", "--kubeconfig", c.in("kubeconfig")}, args...)...)
	p.Stdin = strings.NewReader(text)
	if out, err := p.CombinedOutput(); err != nil {
		return fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

// grid is a sweep with a file that it names, and variants of some tenths of a second.
const grid = `name: Pods
cluster: {nodes: 8, node: hgx-a100-100g}
topology: {shape: fat-tree, levels: 2, radix: 16}
fabrics: [{preset: infiniband-edr, ib: {partitions-conf: conf/partitions.conf}}]
workload: {collective: all-to-all, sizes: [4MiB]}
sweep:
  axes:
    - {path: topology.oversubscription, values: [1, 3, 1.234567]}
    - {path: "fabrics[0].transport.qps-per-connection", name: qps, values: [1, 2]}
  seeds: 4
`

// mostImage bounds the image: people wait for it on each node.
const mostImage = 40 << 20

// program builds the program of the image by the command of Dockerfile, from cached modules without a network.
func program(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	_, command, ok := strings.Cut(strings.ReplaceAll(string(text), "\\\n", ""), "\nRUN ")
	command, _, _ = strings.Cut(command, "\n")
	if !ok || !strings.Contains(command, "-o /weft ") {
		t.Fatalf("Dockerfile builds no /weft: %s", command)
	}
	build := exec.Command("sh", "-c", strings.Replace(command, "-o /weft ", "-o "+path+" ", 1))
	build.Dir, build.Env = "..", append(os.Environ(), "GOPROXY=off", "VERSION=test")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", command, err, out)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > mostImage {
		t.Errorf("the program has %d bytes, want at most %d: %v", info.Size(), mostImage, err)
	}
}

// TestPodsOfKubernetesRunASweep: the manifest is applied as it is printed, in a namespace that only admits pods without
// privileges. One pod is killed and one makes room for another while they hold variants; the Job replaces both.
func TestPodsOfKubernetesRunASweep(t *testing.T) {
	c := startCluster(t)
	for _, folder := range []string{"image/proc", "image/scenario", "image/shared", "volume", "conf"} {
		if err := os.MkdirAll(c.in(folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(c.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	weft := c.in("image/weft")
	program(t, weft)
	for name, text := range map[string]string{"pods.yaml": grid, "conf/partitions.conf": "Default=0x7fff: ALL=full;\n"} {
		if err := os.WriteFile(c.in(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	site := `---
{apiVersion: v1, kind: Namespace, metadata: {name: "y", labels: {pod-security.kubernetes.io/enforce: restricted}}}
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: volume}, spec: {storageClassName: "on", capacity: {storage: 2Gi}, accessModes: [ReadWriteMany], hostPath: {path: ` + c.in("volume") + "}}}\n"
	if err := c.kubectl(site, "apply", "-f", "-"); err != nil {
		t.Fatal(err)
	}
	c.until("the namespace has its service account", func() bool { return c.get("/api/v1/namespaces/y/serviceaccounts/default", nil) == nil })
	run := func(args ...string) []byte {
		t.Helper()
		p := exec.Command(weft, args...)
		p.Dir, p.Stderr = c.dir, os.Stderr
		out, err := p.Output()
		if err != nil {
			t.Fatalf("weft %s: %v", strings.Join(args, " "), err)
		}
		return out
	}
	set := []string{"sweep", "pods.yaml", "--set", "name=$(HOME) $$ 'on'"} // as it is, whatever reads it
	// Names that YAML could read as a truth, and as a number.
	manifest := run(append(set, "--kubernetes", "--namespace", "y", "--storage-class", "on", "--name", "0x10", "--elements", "4")...)
	if err := c.kubectl(string(manifest), "apply", "-f", "-"); err != nil {
		t.Fatal(err)
	}
	folder := c.in("volume/0x10")
	n := &node{cluster: c, image: c.in("image")}
	var disturbed sync.WaitGroup
	disturbed.Add(2)
	n.before = func(p *pod, try int) {
		if p.index() == "0" || p.index() == "3" { // else they might do it all
			disturbed.Wait()
		}
	}
	n.after = func(p *pod, try int, process *os.Process) (makesRoom bool) {
		signal, ok := map[string]os.Signal{"1": syscall.SIGKILL, "2": syscall.SIGTERM}[p.index()]
		if try > 1 || !ok {
			return false
		}
		c.until("index "+p.index()+" has a row", func() bool {
			info, err := os.Stat(filepath.Join(folder, "rows", "index-"+p.index()+".1.jsonl"))
			return t.Failed() || err == nil && info.Size() > 0
		})
		_ = process.Signal(signal)
		disturbed.Done()
		return signal == syscall.SIGTERM
	}
	var job struct {
		Status struct {
			Succeeded, Failed int
			CompletedIndexes  string
			Conditions        []struct{ Type, Status string }
		}
	}
	n.work("y", func() bool {
		if err := c.get("/apis/batch/v1/namespaces/y/jobs/0x10", &job); err != nil {
			t.Fatal(err)
		}
		for _, at := range job.Status.Conditions {
			if (at.Type == "Complete" || at.Type == "Failed") && at.Status == "True" {
				return true
			}
		}
		return false
	})
	if s := &job.Status; s.Succeeded != 4 || s.Failed != 1 || s.CompletedIndexes != "0-3" {
		t.Errorf("%d indices succeeded (%s) and %d pods failed, want 4 (0-3) and 1: the pod that makes room is none", s.Succeeded, s.CompletedIndexes, s.Failed)
	}
	if n.tries["1"] != 2 || n.tries["2"] != 2 {
		t.Errorf("pods by index: %v, want two of 1 and 2", n.tries)
	}
	var first struct{ Items []pod }
	if err := c.get("/api/v1/namespaces/y/pods?labelSelector=batch.kubernetes.io/job-completion-index=0,batch.kubernetes.io/job-name=0x10", &first); err != nil || len(first.Items) != 1 {
		t.Errorf("%d pods have the labels of the one with the table: %v", len(first.Items), err)
	}
	run(append(set, "--out", "local")...)
	want, err := os.ReadFile(c.in("local/results.parquet"))
	got, err2 := os.ReadFile(filepath.Join(folder, "results.parquet"))
	if err != nil || err2 != nil || !bytes.Equal(got, want) {
		t.Errorf("the pods' table has %d bytes, and the local one %d: they differ (%v, %v)", len(got), len(want), err, err2)
	}
	if text := n.logs["0"]; !strings.Contains(text, "24 variants") {
		t.Errorf("index 0 printed no table: %s", text)
	}
	for i := 1; i < 4; i++ {
		t.Logf("index %d: %s", i, n.logs[strconv.Itoa(i)])
	}
}

// TestKubernetesTakesWhatWeftTakes: names and files at weft's bounds are accepted, and a longer name is not.
func TestKubernetesTakesWhatWeftTakes(t *testing.T) {
	c := startCluster(t)
	weft := c.in("weft")
	program(t, weft)
	small := strings.ReplaceAll(grid, "{preset: infiniband-edr, ib: {partitions-conf: conf/partitions.conf}}", "infiniband-edr")
	manifest := func(comment string, args ...string) (string, error) {
		if err := os.WriteFile(c.in("bound.yaml"), []byte(small+comment), 0o600); err != nil {
			t.Fatal(err)
		}
		p := exec.Command(weft, append([]string{"sweep", c.in("bound.yaml"), "--kubernetes", "--storage-class", "c", "--elements", "11"}, args...)...)
		out, err := p.Output()
		return string(out), err
	}
	longest := strings.Repeat("a", 60)
	text, err := manifest("", "--name", longest)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.kubectl(text, "apply", "-f", "-"); err != nil {
		t.Error(err)
	}
	if err := c.kubectl(strings.ReplaceAll(text, longest, longest+"a"), "apply", "-f", "-"); err == nil {
		t.Error("a name of one letter more is accepted: weft's bound is too low")
	}
	low, high := 0, 300<<10 // lines of comment, the most that weft takes: "\n" has two bytes in JSON
	for low+1 < high {
		if middle := (low + high) / 2; check(manifest(strings.Repeat("#\n", middle), "--name", "files")) {
			low = middle
		} else {
			high = middle
		}
	}
	text, err = manifest(strings.Repeat("#\n", low), "--name", "files")
	if err != nil || low < 50<<10 {
		t.Fatalf("weft takes %d lines: %v", low, err)
	}
	if err := c.kubectl(text, "apply", "-f", "-"); err != nil {
		t.Error(err)
	}
}

func check(_ string, err error) bool { return err == nil }

var update = flag.Bool("update", false, "rewrite the schemas that package kubernetes has")

// TestTheSchemasAreTheOnesOfKubernetes: the ordinary tests hold manifests against what the API server says of itself.
func TestTheSchemasAreTheOnesOfKubernetes(t *testing.T) {
	c := startCluster(t)
	var all struct{ Definitions map[string]any }
	c.until("the schemas are there", func() bool { return c.get("/openapi/v2", &all) == nil && len(all.Definitions) > 0 })
	out := map[string]any{}
	for _, name := range []string{"batch.v1.Job", "core.v1.ConfigMap", "core.v1.PersistentVolumeClaim"} {
		reached(all.Definitions, out, "io.k8s.api."+name)
	}
	got, err := json.Marshal(map[string]any{"definitions": out})
	if err != nil {
		t.Fatal(err)
	}
	const file = "../internal/study/kubernetes/testdata/kubernetes.json"
	if *update {
		err = os.WriteFile(file, append(got, '\n'), 0o600)
	}
	want, err2 := os.ReadFile(file)
	if err != nil || err2 != nil || string(want) != string(got)+"\n" {
		t.Errorf("%s has %d bytes, and the server's schemas %d: rewrite it with -update (%v, %v)", file, len(want), len(got), err, err2)
	}
}

// reached copies a definition and the ones that it names, without descriptions and extensions.
func reached(all, out map[string]any, name string) {
	if out[name] != nil {
		return
	}
	var bare func(any) any
	bare = func(v any) any {
		switch v := v.(type) {
		case []any:
			for i := range v {
				v[i] = bare(v[i])
			}
		case map[string]any:
			for key, below := range v {
				_, text := below.(string)
				switch {
				case key == "description" && text || strings.HasPrefix(key, "x-kubernetes-"):
					delete(v, key)
				case key == "$ref":
					defer reached(all, out, below.(string)[len("#/definitions/"):])
				default:
					v[key] = bare(below)
				}
			}
		}
		return v
	}
	out[name] = all[name]
	bare(all[name])
}

// freePort is an address of the loopback interface with a free port.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
