package cabling

import (
	"strings"
	"testing"
)

func TestPrompts(t *testing.T) {
	for line, want := range map[string]string{
		"admin@leaf1:~$ show pfc counters":                                           "leaf1|show pfc counters",
		"admin@leaf1:/var/log$":                                                      "leaf1|",
		"[root@gpu1 ~]# ethtool -S ens1":                                             "gpu1|ethtool -S ens1",
		"root@gpu-1:~# mlnx_qos -i ens1\r":                                           "gpu-1|mlnx_qos -i ens1",
		"leaf1#show lldp neighbors":                                                  "leaf1|show lldp neighbors",
		"leaf1(config)# show lldp neighbors detail":                                  "leaf1|show lldp neighbors detail",
		"ops@jump:~$ ssh -o StrictHostKeyChecking=no -q admin@leaf1 show lldp table": "leaf1|show lldp table",
		"ops@jump:~$ ssh leaf1 'show pfc counters'":                                  "leaf1|show pfc counters",
		"ops@jump:~$ ssh leaf1":                                                      "jump|ssh leaf1",
		"=== show pfc counters ===":                                                  "|show pfc counters",
		"+ show queue watermark unicast":                                             "|show queue watermark unicast",
		"# ethtool -S ens1":                                                          "|ethtool -S ens1",
		"$ rdma statistic show":                                                      "|rdma statistic show",
		"==> leaf1/pfc.txt <==":                                                      "leaf1|leaf1/pfc.txt",
		"==> pfc.txt <==":                                                            "|pfc.txt",
		"---------  ------":                                                          "none",
		"# 2 hosts, 3 switches":                                                      "none",
		"Ethernet0  $ show":                                                          "none",
		"0000:05:00.0 mlx5_0 port 1 (ACTIVE) ==> ens1 ":                              "none",
		"":            "none",
		"- ip: 1.2.3": "none",
	} {
		got := "none"
		if device, command, ok := Prompt(line); ok {
			got = device + "|" + command
		}
		if got != want {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
	}
}

// TestOutputsAreTheWholeText: nothing is lost, and each has its line.
func TestOutputsAreTheWholeText(t *testing.T) {
	text := "hello\nadmin@leaf1:~$ show a\nx\n# show b\ny\nleaf2# show c\nz"
	lines, joined, got := strings.Split(text, "\n"), "", ""
	for _, o := range Outputs(text) {
		joined += o.Text
		got += o.Device + " " + o.Command + ";"
		if !strings.HasPrefix(o.Text, lines[o.Line]) {
			t.Errorf("line %d is %q, not %q", o.Line, lines[o.Line], o.Text)
		}
	}
	if want := " ;leaf1 show a;leaf1 show b;leaf2 show c;"; joined != text || got != want {
		t.Errorf("%q, want %q; together %q", got, want, joined)
	}
}
