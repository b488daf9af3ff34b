package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/internal/face/cli/exit"
	"weft/internal/roce/prove"
	"weft/internal/roce/sonic"
)

// lintTrials lints a switch and a host's files, and runs the real simulator.
func lintTrials(t *testing.T, config string, files map[string]string, flags ...string) []prove.Trial {
	t.Helper()
	dir := t.TempDir()
	args := []string{"roce", "lint", "--switch", filepath.Join(dir, "config_db.json"), "--simulate", "--json"}
	args = append(args, flags...)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("config_db.json", config)
	for name, text := range files {
		args = append(args, "--host", write(name, text))
	}
	var out bytes.Buffer
	e := environment(args)
	e.Stdout, e.Run = &out, weft.Run
	if code := Main(context.Background(), e); code != exit.Refuted {
		t.Fatalf("weft exits with %d, want %d: %s", code, exit.Refuted, &out)
	}
	var answer prove.Record
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Trials
}

// sonicText is the switch of sonic's tests with changes, each a text and its
// replacement.
func sonicText(t *testing.T, changes ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "roce", "sonic", "testdata", "config_db.json"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for i := 0; i+1 < len(changes); i += 2 {
		if !strings.Contains(text, changes[i]) {
			t.Fatalf("the file has no %s", changes[i])
		}
		text = strings.ReplaceAll(text, changes[i], changes[i+1])
	}
	return text
}

// hostText is a file of the host in the tests of package host, with a change.
func hostText(t *testing.T, name, old, now string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "roce", "host", "testdata", name))
	if err != nil || !strings.Contains(string(b), old) {
		t.Fatalf("%s has no %q: %v", name, old, err)
	}
	return strings.Replace(string(b), old, now, 1)
}

func TestTheSimulatorShowsALossyClassBeforeAndAfter(t *testing.T) {
	trials := lintTrials(t, sonicText(t), map[string]string{"nccl.env": "NCCL_IB_TC=106\n"})
	if len(trials) != 1 || trials[0].Refused != "" {
		t.Fatalf("trials: %+v", trials)
	}
	x := trials[0]
	if x.Before.DSCP != 26 || x.Before.Dropped == 0 || x.Before.Resent == 0 {
		t.Errorf("in a lossy class the incast loses nothing: %+v", x.Before)
	}
	if x.After.DSCP != 26 || x.After.Dropped != 0 || x.After.Resent != 0 || x.After.TimePs == 0 || x.After.TimePs >= x.Before.TimePs {
		t.Errorf("fixed, the incast still loses packets, or takes longer: %+v, before %+v", x.After, x.Before)
	}
}

// In the simulator a finding about loss loses packets, and with its fix none.
func TestTheSimulatorShowsEachFindingThatLosesPackets(t *testing.T) {
	nccl := map[string]string{"nccl.env": "NCCL_IB_TC=106\n"}
	noPFC := map[string]string{
		"nccl.env":     "NCCL_IB_TC=106\n",
		"mlnx_qos.txt": hostText(t, "mlnx_qos.txt", "enabled     0   0   0   1", "enabled     0   0   0   0"),
	}
	for _, c := range []struct {
		rule   string
		config string
		host   map[string]string
	}{
		{"headroom-small", sonicText(t, `"26": "1"`, `"26": "3"`, `"xoff": "283648"`, `"xoff": "20000"`), nccl},
		{"pfc-headroom", sonicText(t, `"26": "1"`, `"26": "3"`, `"pfc_enable": "3,4"`, `"pfc_enable": "4"`), nccl},
		{"pfc-one-end", sonicText(t, `"26": "1"`, `"26": "3"`), noPFC},
	} {
		shown := false
		for _, x := range lintTrials(t, c.config, c.host) {
			if x.Rule != c.rule || x.Refused != "" || x.Before.DSCP != 26 {
				continue
			}
			shown = true
			if x.Before.Dropped == 0 || x.After.Dropped != 0 || x.After.Pauses == 0 {
				t.Errorf("%s: %+v, fixed %+v; want drops, and pauses without drops", c.rule, x.Before, x.After)
			}
		}
		if !shown {
			t.Errorf("%s is not simulated", c.rule)
		}
	}
}

func TestTheSimulatorShowsMarksThatComeAfterThePause(t *testing.T) {
	trials := lintTrials(t, sonicText(t, `"26": "1"`, `"26": "3"`,
		`"green_max_threshold": "2097152"`, `"green_max_threshold": "62097152"`,
		`"green_min_threshold": "1048576"`, `"green_min_threshold": "51048576"`), map[string]string{"nccl.env": "NCCL_IB_TC=106\n"})
	if len(trials) != 1 || trials[0].Rule != "ecn-above-pfc" {
		t.Fatalf("trials: %+v", trials)
	}
	if x := trials[0]; x.Before.Pauses == 0 || x.After.Pauses != 0 || x.After.Marks <= x.Before.Marks {
		t.Errorf("%+v, fixed %+v; want pauses, and marks in their place", x.Before, x.After)
	}
}

// fixedSwitch is the switch of sonic's tests with DSCP 26 in a lossless class, and further
// changes.
func fixedSwitch(t *testing.T, changes ...string) string {
	t.Helper()
	return sonicText(t, append([]string{`"26": "1"`, `"26": "3"`}, changes...)...)
}

// trialOf is the trial of a rule, which must have run.
func trialOf(t *testing.T, rule, config string, files map[string]string, flags ...string) prove.Trial {
	t.Helper()
	for _, x := range lintTrials(t, config, files, flags...) {
		if x.Rule == rule {
			if x.Refused != "" {
				t.Fatalf("%s is not simulated: %s", rule, x.Refused)
			}
			return x
		}
	}
	t.Fatalf("%s is not found", rule)
	return prove.Trial{}
}

func TestTheSimulatorShowsPacketsThatAreTooLong(t *testing.T) {
	nccl := "NCCL_IB_TC=106\n"
	for _, c := range []struct{ port, host, packets string }{
		{"1500", "9000", "RDMA's with 4096 B of payload"},
		{"4500", "9000", "TCP's of 9000 B"},
	} {
		x := trialOf(t, "mtu", fixedSwitch(t, `"mtu": "9100"`, `"mtu": "`+c.port+`"`), map[string]string{
			"nccl.env": nccl, "ip-link.txt": hostText(t, "ip-link.txt", "mtu 9000", "mtu "+c.host),
		})
		if x.Before.Packets != c.packets || x.Before.Dropped == 0 || x.Before.TimePs != 0 || x.Before.Failed == "" {
			t.Errorf("a port of %s: %+v; want all packets of %s dropped", c.port, x.Before, c.packets)
		}
		if x.After.DroppedMTU != 0 || x.After.TimePs == 0 {
			t.Errorf("a port of %s, fixed: %+v; want no packet too long", c.port, x.After)
		}
	}
}

func TestTheSimulatorShowsNotificationsThatWaitBehindData(t *testing.T) {
	x := trialOf(t, "cnp-in-data", fixedSwitch(t), map[string]string{
		"nccl.env": "NCCL_IB_TC=106\n", "ecn.txt": hostText(t, "ecn.txt", "cnp_dscp:48", "cnp_dscp:26"),
	})
	t.Logf("%+v", x)
	if x.Before.CNPDSCP != 26 || x.Before.CNPDelayPs < 2*x.After.CNPDelayPs {
		t.Errorf("%+v, fixed %+v; want notifications that take more than twice as long", x.Before, x.After)
	}
}

func TestTheSimulatorShowsAQueueWithoutItsShare(t *testing.T) {
	x := trialOf(t, "queue-unserved", fixedSwitch(t, `"Ethernet0|3": {
            "scheduler": "scheduler.1",`, `"Ethernet0|3": {`), map[string]string{"nccl.env": "NCCL_IB_TC=106\n"})
	t.Logf("%+v", x)
	if x.Before.OwnTimePs < 2*x.After.OwnTimePs || x.After.OwnTimePs == 0 {
		t.Errorf("%+v, fixed %+v; want messages that take more than twice as long", x.Before, x.After)
	}
}

func TestTheSimulatorShowsAWatchdogThatEndsALegitimatePause(t *testing.T) {
	x := trialOf(t, "watchdog-short", fixedSwitch(t, `"mtu": "9100",
            "speed": "400000"
        }
    },`, `"mtu": "9100",
            "speed": "1000"
        }
    },`), map[string]string{"nccl.env": "NCCL_IB_TC=106\n"})
	t.Logf("%+v", x)
	if x.Before.Storms == 0 || x.Before.Dropped == 0 || x.After.Storms != 0 || x.After.Dropped != 0 || x.After.Pauses == 0 {
		t.Errorf("%+v, fixed %+v; want a storm and drops, and pauses alone", x.Before, x.After)
	}
}

func TestTheSimulatorShowsTrustInTagsThatFramesDoNotHave(t *testing.T) {
	host := trialOf(t, "trust-pcp", fixedSwitch(t), map[string]string{
		"nccl.env": "NCCL_IB_TC=106\n", "mlnx_qos.txt": hostText(t, "mlnx_qos.txt", "trust state: dscp", "trust state: pcp"),
	})
	t.Logf("%+v", host)
	if host.Before.Dropped == 0 || host.After.Dropped != 0 {
		t.Errorf("a host: %+v, fixed %+v; want drops, and none", host.Before, host.After)
	}
}

func TestTheSimulatorShowsHeadroomThatIsTooSmallForTheCable(t *testing.T) {
	x := trialOf(t, "cable-differs", fixedSwitch(t, `"Ethernet0": "40m"`, `"Ethernet0": "300m"`), map[string]string{
		"nccl.env": "NCCL_IB_TC=106\n", "mlnx_qos.txt": hostText(t, "mlnx_qos.txt", "Cable len: 40", "Cable len: 5"),
	})
	t.Logf("%+v", x)
	if x.Before.Dropped == 0 || x.After.Dropped != 0 || x.After.Pauses == 0 {
		t.Errorf("%+v, fixed %+v; want drops, and none", x.Before, x.After)
	}
}

// manyPorts is fixedSwitch with n ports: its second one, repeated.
func manyPorts(t *testing.T, n int) string {
	t.Helper()
	c, err := sonic.Read("config_db.json", strings.NewReader(fixedSwitch(t)))
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range c.Tables {
		for _, row := range slices.Clone(table.Rows) {
			name, rest, _ := strings.Cut(row.Key, "|")
			for i := 2; name == "Ethernet4" && i < n; i++ {
				row.Key = strings.TrimSuffix(fmt.Sprintf("Ethernet%d|%s", 4*i, rest), "|")
				table.Rows = append(table.Rows, row)
			}
		}
	}
	var b strings.Builder
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTheSimulatorShowsHeadroomThatTheChipDoesNotHave(t *testing.T) {
	x := trialOf(t, "headroom-total", manyPorts(t, 18), map[string]string{"nccl.env": "NCCL_IB_TC=106\n"}, "--buffer", "68500000")
	t.Logf("%+v", x)
	if x.Before.Dropped == 0 || x.After.Dropped != 0 || x.After.Pauses == 0 {
		t.Errorf("%+v, fixed %+v; want drops, and none", x.Before, x.After)
	}
}

func TestTheSimulatorShowsAPauseThatStopsAnotherQueue(t *testing.T) {
	const right = `"MAP_PFC_PRIORITY_TO_QUEUE": {
        "AZURE": {
            "0": "0",
            "1": "1",
            "2": "2",
            "3": "3",`
	for _, stopped := range []string{`"3": "4",`, `"3": "2",`} {
		x := trialOf(t, "pfc-queue", fixedSwitch(t, right, strings.Replace(right, `"3": "3",`, stopped, 1)), map[string]string{"nccl.env": "NCCL_IB_TC=106\n"})
		t.Logf("%+v", x)
		if x.Before.Dropped == 0 || x.Before.Pauses == 0 || x.After.Dropped != 0 || x.After.Pauses == 0 {
			t.Errorf("%s: %+v, fixed %+v; want drops in spite of pauses, and none", stopped, x.Before, x.After)
		}
		if x.After.OwnTimePs == 0 || x.Before.OwnTimePs < 2*x.After.OwnTimePs {
			t.Errorf("%s: the victim takes %d ps, fixed %d; want more than twice as long", stopped, x.Before.OwnTimePs, x.After.OwnTimePs)
		}
	}
}

func TestTheSimulatorShowsAPauseOfTheWholeLink(t *testing.T) {
	x := trialOf(t, "pause-global", fixedSwitch(t), map[string]string{
		"nccl.env":      "NCCL_IB_TC=106\n",
		"mlnx_qos.txt":  hostText(t, "mlnx_qos.txt", "Cable len: 40", "Cable len: 40"),
		"ethtool-a.txt": hostText(t, "ethtool-a.txt", "RX:\t\toff", "RX:\t\ton"),
	})
	t.Logf("%+v", x)
	if x.After.OwnTimePs == 0 || x.Before.OwnTimePs < 2*x.After.OwnTimePs || x.After.Pauses == 0 {
		t.Errorf("%+v, fixed %+v; want victims that take more than twice as long, and pauses in both", x.Before, x.After)
	}
}
