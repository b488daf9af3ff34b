package host

import (
	"reflect"
	"strings"
	"testing"
)

func TestAScriptSaysWhatItsCommandsSet(t *testing.T) {
	h, err := Read("h", []Source{{Name: "up.sh", Text: `#!/bin/bash
set -eu
IF=ens1f0np0
# RoCE
mlnx_qos -i ens1f0np0 --trust=dscp --pfc 0,0,0,1,0,0,0,0
mlnx_qos -i ens1f0np0 --dscp2prio set,26,3   # NCCL
mlnx_qos -i ens1f0np0 --prio_tc=0,1,2,3,4,5,6,7
ethtool -A $IF autoneg off rx off tx on || true
ip link set $IF mtu 9000
cma_roce_tos -d mlx5_0 -t 106
echo 1 > /sys/class/net/$IF/ecn/roce_np/enable/3
sysctl -w net.ipv4.tcp_ecn=1
`}})
	if err != nil {
		t.Fatal(err)
	}
	if h.Iface != "ens1f0np0" || h.Trust.Value != "dscp" || !reflect.DeepEqual(h.PFC.Value, []int{3}) || h.PFC.At != (Place{"up.sh", 5}) || h.PriorityOf(26) != 3 {
		t.Errorf("%s: trust %v, PFC %v, DSCP 26 has %d", h.Iface, h.Trust, h.PFC, h.PriorityOf(26))
	}
	if !h.Pause[0].Known() || h.Pause[0].Value || !h.Pause[1].Value || h.MTU.Value != 9000 || h.TOS.Value != 106 || !h.NP[3].Value {
		t.Errorf("pause %v, MTU %v, type of service %v, ECN %v", h.Pause, h.MTU, h.TOS, h.NP)
	}
	if want := []string{"up.sh:7", "up.sh:12"}; !reflect.DeepEqual(h.Skipped, want) {
		t.Errorf("skipped %v, want %v", h.Skipped, want)
	}
}

func TestAScriptsDefectsNameTheLineAndWhatIsValid(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"mlnx_qos -i e --trust both", `up.sh:2: the trust state is "both": valid are pcp and dscp`},
		{"mlnx_qos -i e --pfc 0,0,1", "up.sh:2: PFC is said for 3 priorities"},
		{"mlnx_qos -i e --dscp2prio set,64,3", `up.sh:2: a DSCP is "64"`},
		{"mlnx_qos -i e --dscp2prio 26,3", `expected set, the DSCP and the priority, such as set,26,3`},
		{"mlnx_qos -i e --pcf 0,0,0,1,0,0,0,0", `mlnx_qos has no such option: --pcf`},
		{"mlnx_qos -i e --pfc", `--pfc of mlnx_qos has no value`},
		{"mlnx_qos -i e --cable_len=far", `the length of the cable is "far"`},
		{"ethtool -A e rx maybe", `pause of rx is "maybe": valid are on and off`},
		{"cma_roce_tos -d mlx5_0 -t 416", `the traffic class is "416"`},
		{"echo 64 > /sys/class/net/e/ecn/roce_np/cnp_dscp", `the DSCP of notifications is "64"`},
		{"ip link set e mtu 1", `the MTU is "1"`},
	} {
		if _, err := Read("h", []Source{{Name: "up.sh", Text: "#!/bin/sh\n" + c.line + "\n"}}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", c.line, err, c.want)
		}
	}
}
