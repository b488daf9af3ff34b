package jobs

import (
	"testing"

	"github.com/spf13/cobra"

	"weft/scenario"
)

// A change of --changes is made though the user has set the same field.
func TestAChangeWinsOverAFlag(t *testing.T) {
	x := &serveFlags{}
	cmd := &cobra.Command{}
	x.Register(cmd)
	if err := cmd.ParseFlags([]string{"--set", "serving.kv.send=whole", "--set", "serving.load.rate=3"}); err != nil {
		t.Fatal(err)
	}
	file, err := scenario.Decode("test", []byte("cluster: {nodes: 2, node: dgx-h100}\nfabric: infiniband-ndr\nserving: {model: llama3-8b}\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := x.source(file).Resolve(scenario.Set("serving.kv.send", scenario.KVLayers, "a change"))
	if err != nil {
		t.Fatal(err)
	}
	if s := &r.Serving; s.KV.Send != scenario.KVLayers || s.Load.Rate.Float() != 3 {
		t.Errorf("keys and values are sent %s at %s requests in a second, want layers of the change at 3 of the flag", s.KV.Send, s.Load.Rate)
	}
}
