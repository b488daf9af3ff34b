package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/internal/face/cli/exit"
	"weft/internal/study/faultcost"
)

// sitePorts are the ports of a switch of siteOf: four hosts, and two spines.
var sitePorts = []string{"Ethernet0", "Ethernet4", "Ethernet8", "Ethernet12", "Ethernet16", "Ethernet20"}

// siteOf is a folder with the example's configuration for two leaves with four hosts each and two spines. change changes the
// configuration of a switch.
func siteOf(t *testing.T, change func(name string, config map[string]map[string]map[string]any)) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "sonic", "config_db.json"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, peers := range map[string][]string{
		"leaf1":  {"gpu1 eth1", "gpu2 eth1", "gpu3 eth1", "gpu4 eth1", "spine1 Ethernet0", "spine2 Ethernet0"},
		"leaf2":  {"gpu5 eth1", "gpu6 eth1", "gpu7 eth1", "gpu8 eth1", "spine1 Ethernet4", "spine2 Ethernet4"},
		"spine1": {"leaf1 Ethernet16", "leaf2 Ethernet16"},
		"spine2": {"leaf1 Ethernet20", "leaf2 Ethernet20"},
	} {
		var c map[string]map[string]map[string]any
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatal(err)
		}
		c["DEVICE_METADATA"]["localhost"]["hostname"] = name
		c["DEVICE_NEIGHBOR"] = map[string]map[string]any{}
		for i, peer := range peers {
			device, port, _ := strings.Cut(peer, " ")
			c["DEVICE_NEIGHBOR"][sitePorts[i]] = map[string]any{"name": device, "port": port}
			likeFirst(c, sitePorts[i])
		}
		change(name, c)
		out, err := json.Marshal(c)
		if err == nil {
			err = os.MkdirAll(filepath.Join(dir, "site", name), 0o700)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "site", name, "config_db.json"), out, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "site")
}

// likeFirst gives a port the rows of Ethernet0.
func likeFirst(c map[string]map[string]map[string]any, port string) {
	for _, table := range []string{"PORT", "BUFFER_PG", "BUFFER_QUEUE", "PORT_QOS_MAP", "QUEUE", "PFC_WD"} {
		for key, row := range c[table] {
			name, rest, several := strings.Cut(key, "|")
			if name != "Ethernet0" {
				continue
			}
			own := port
			if several {
				own += "|" + rest
			}
			copied := map[string]any{}
			for field, value := range row {
				copied[field] = value
			}
			c[table][own] = copied
		}
	}
	c["CABLE_LENGTH"]["AZURE"][port] = c["CABLE_LENGTH"]["AZURE"]["Ethernet0"]
}

// costsOf lints a folder with what the faults cost, by the real simulator.
func costsOf(t *testing.T, args ...string) *faultcost.Report {
	t.Helper()
	var out, told bytes.Buffer
	e := environment(append([]string{"roce", "lint", "--cost", "--json"}, args...))
	e.Stdout, e.Stderr, e.Run = &out, &told, weft.Run
	if code := Main(context.Background(), e); code != exit.Refuted {
		t.Fatalf("weft exits with %d, want %d: %s", code, exit.Refuted, &told)
	}
	var answer struct{ Cost *faultcost.Report }
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil || answer.Cost == nil {
		t.Fatalf("no costs: %v\n%s", err, &out)
	}
	return answer.Cost
}

func costOf(t *testing.T, r *faultcost.Report, rule string) *faultcost.Cost {
	t.Helper()
	i := slices.IndexFunc(r.Costs, func(c faultcost.Cost) bool { return c.Rule == rule })
	if i < 0 {
		t.Fatalf("no fault %s: %+v", rule, r.Costs)
	}
	return &r.Costs[i]
}

// TestAFaultIsShownByWhatItDoesToTheJob: data in a class that no switch protects loses packets in an incast, and none with the
// fix. leaf2, which marks nothing in queue 3, has no effect as long as no data is there. The GID's version is not simulated.
func TestAFaultIsShownByWhatItDoesToTheJob(t *testing.T) {
	folder := siteOf(t, func(name string, c map[string]map[string]map[string]any) {
		if name == "leaf2" {
			c["WRED_PROFILE"]["AZURE_LOSSLESS"]["ecn"] = "ecn_none"
		}
	})
	host := filepath.Join(t.TempDir(), "gpu1")
	if err := os.MkdirAll(host, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(host, "nccl.env"), []byte("NCCL_IB_TC=106\nNCCL_IB_GID_INDEX=0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := costsOf(t, folder, "--host", host)
	if len(r.Jobs) != 2 || r.Jobs[0].Name != "all-reduce, 16MiB" || r.Jobs[1].Name != "incasts of 7 senders to each of 2 hosts, 16MiB each" {
		t.Fatalf("the jobs are %+v", r.Jobs)
	}
	lossy := costOf(t, r, "dscp-lossy")
	with, without := lossy.Of(1, &r.Jobs[1])
	if with.Dropped == 0 || with.Resent == 0 || without.Dropped != 0 || without.Resent != 0 || without.Pauses == 0 {
		t.Errorf("data that may be dropped: %+v, and with the fix %+v", with, without)
	}
	if len(lossy.Places) != 4 || lossy.Severity != "error" {
		t.Errorf("the fault of four switches is at %q (%s)", lossy.Places, lossy.Severity)
	}
	unmarked := costOf(t, r, "ecn-missing")
	if with, without := unmarked.Of(1, &r.Jobs[1]); !unmarked.Hidden || with.Marks >= without.Marks {
		t.Errorf("a switch that does not mark, hidden: %t: %d marks, and with the fix %d", unmarked.Hidden, with.Marks, without.Marks)
	}
	if gid := costOf(t, r, "gid-v1"); gid.NotJudged != "all packets of the simulation are RoCE v2's" {
		t.Errorf("a GID of RoCE v1: %q", gid.NotJudged)
	}
}

// TestTheJobOfAScenarioIsTheOneThatAFaultCosts: its fabric names the folder, and its DSCP counts, not the host's.
func TestTheJobOfAScenarioIsTheOneThatAFaultCosts(t *testing.T) {
	folder := siteOf(t, func(name string, c map[string]map[string]map[string]any) {
		c["BUFFER_PROFILE"]["pg_lossless_400000_40m_profile"]["xoff"] = "1000"
		c["BUFFER_PROFILE"]["pg_lossless_400000_40m_profile"]["size"] = "20456"
	})
	job := filepath.Join(filepath.Dir(folder), "job.yaml")
	if err := os.WriteFile(job, []byte(`
cluster: {node: {preset: dgx-h100, gpus: 1, nics: 1}, hosts: [gpu1, gpu2, gpu3, gpu5]}
topology: {file: site}
fabric: {preset: roce-v2-400g, ethernet: {dscp: 4}, cc: {algorithm: none}}
workload: {pattern: incast, fan-in: 3, sizes: [1MiB, 32MiB]}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	r := costsOf(t, job)
	if len(r.Jobs) != 1 || r.Jobs[0].Name != "incast of 3 senders, 32 MiB" {
		t.Fatalf("the jobs are %+v", r.Jobs)
	}
	small := costOf(t, r, "headroom-small")
	if with, without := small.Of(0, &r.Jobs[0]); small.NotJudged != "" || with.Dropped == 0 || without.Dropped != 0 {
		t.Errorf("headroom of 1000 bytes (%s): %+v, and with the fix %+v", small.NotJudged, with, without)
	}
}

// TestAHostThatObeysNoPauseLosesPackets: its PFC is on another priority than its data.
func TestAHostThatObeysNoPauseLosesPackets(t *testing.T) {
	folder := siteOf(t, func(string, map[string]map[string]map[string]any) {})
	r := costsOf(t, folder, "--host", hostWithPFC(t, "0,0,0,0,1,0,0,0"), "--set", "fabrics[0].cc.algorithm=none", "--set", "fabrics[0].ethernet.shared=8MiB")
	deaf := costOf(t, r, "pfc-one-end")
	if with, without := deaf.Of(1, &r.Jobs[1]); deaf.NotJudged != "" || with.Dropped == 0 || without.Dropped != 0 || with.TimePs <= without.TimePs {
		t.Errorf("a host without PFC (%s): %+v, and with it %+v", deaf.NotJudged, with, without)
	}
}

// hostWithPFC is the folder of a host that has its data, DSCP 3, in priority 3, with PFC flags.
func hostWithPFC(t *testing.T, flags string) string {
	t.Helper()
	host := filepath.Join(t.TempDir(), "gpu1")
	if err := os.MkdirAll(host, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"nccl.env": "NCCL_IB_TC=12\n", "setup.sh": "#!/bin/sh\nmlnx_qos -i eth1 --trust dscp --pfc " + flags + " --dscp2prio set,3,3\n"} {
		if err := os.WriteFile(filepath.Join(host, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return host
}

// TestSwitchesThatDifferPauseOtherTraffic: the spines have the data in priority 4, and a leaf that pauses it in 3 stops none of it.
func TestSwitchesThatDifferPauseOtherTraffic(t *testing.T) {
	folder := siteOf(t, func(name string, c map[string]map[string]map[string]any) {
		if strings.HasPrefix(name, "spine") {
			c["DSCP_TO_TC_MAP"]["AZURE"]["3"] = "4"
		}
	})
	r := costsOf(t, folder, "--host", hostWithPFC(t, "0,0,0,1,0,0,0,0"), "--set", "fabrics[0].cc.algorithm=none", "--set", "fabrics[0].ethernet.shared=8MiB")
	differ := costOf(t, r, "switches-differ")
	if with, without := differ.Of(1, &r.Jobs[1]); differ.NotJudged != "" || with.Dropped == 0 || without.Dropped != 0 {
		t.Errorf("spines that have the data in another priority (%s): %+v, and mended %+v", differ.NotJudged, with, without)
	}
}
