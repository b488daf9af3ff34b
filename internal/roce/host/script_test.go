package host

import (
	"reflect"
	"strings"
	"testing"

	"weft/units"
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

// A script that computes its values is read as far as its own text goes. The rest is said not to be
// judged, and does not end the reading.
func TestVariablesOfAScriptAreKnownAsFarAsItSetsThem(t *testing.T) {
	h, err := Read("h", []Source{{Name: "up.sh", Text: `#!/bin/bash
IF=${1:-ens1f0np0}
TC=106; PRIO=3 DSCP=26
if ! command -v mlnx_qos > /dev/null; then echo "no mlnx_qos" >&2; exit 1; fi
for d in mlx5_0 mlx5_1; do
  cma_roce_tos -d $d -t $TC
done
mlnx_qos -i "$IF" --trust=dscp -f 0,0,0,1,0,0,0,0
mlnx_qos -i $IF --dscp2prio set,$DSCP,$PRIO
ip link set dev "$IF" mtu ${MTU}
echo 1 > /sys/class/net/$IF/ecn/roce_np/enable/$PRIO
echo $(cat cnp) > /sys/class/net/$IF/ecn/roce_np/cnp_dscp
export NCCL_IB_GID_INDEX=$(show_gids | awk 1)
mpirun -x NCCL_IB_TC=$TC -x UCX_IB_TRAFFIC_CLASS=${UCX_TC:-104} ./a.out
ethtool -A $IF rx on tx on && ethtool -A $IF rx off tx off
`}})
	if err != nil {
		t.Fatal(err)
	}
	if h.Iface != "ens1f0np0" || h.Trust.Value != "dscp" || !reflect.DeepEqual(h.PFC.Value, []int{3}) || h.PriorityOf(26) != 3 || h.TOS.Value != 106 || !h.NP[3].Value {
		t.Errorf("%s: trust %v, PFC %v, DSCP 26 has %d, type of service %v, ECN %v", h.Iface, h.Trust, h.PFC, h.PriorityOf(26), h.TOS, h.NP)
	}
	if h.MTU.Known() || h.CNPDSCP.Known() || h.Env["NCCL_IB_TC"].Value != "106" || h.Env["UCX_IB_TRAFFIC_CLASS"].Value != "104" || h.Pause[0].Value || !h.Pause[0].Known() {
		t.Errorf("MTU %v, notifications %v, environment %v, pause %v", h.MTU, h.CNPDSCP, h.Env, h.Pause)
	}
	if want := []string{"up.sh:10", "up.sh:12", "up.sh:13"}; !reflect.DeepEqual(h.Skipped, want) {
		t.Errorf("skipped %v, want %v", h.Skipped, want)
	}
}

// The commands of a fix take the place of what is there, and change nothing else.
func TestAHostObeysCommands(t *testing.T) {
	before, err := Read("h", sources(t))
	if err != nil {
		t.Fatal(err)
	}
	after, err := before.Obey([]string{"mlnx_qos -i ens1f0np0 --pfc 0,0,0,0,1,0,0,0", "NCCL_IB_TC=138", "mlnx_qos -i ens1f0np0 --cable_len=300"})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(after.PFC.Value, []int{4}) || after.Streams()[0].DSCP != 34 || after.Cable.Value != 300*units.Metre {
		t.Errorf("PFC %v, streams %v, cable %v", after.PFC, after.Streams(), after.Cable)
	}
	if !reflect.DeepEqual(before.PFC.Value, []int{3}) || before.Env["NCCL_IB_TC"].Value != "106" {
		t.Errorf("the host before the fix has changed: %v, %v", before.PFC, before.Env)
	}
}

func TestProgramsHaveTheirOwnClassAndVariable(t *testing.T) {
	for text, want := range map[string][]Stream{
		"UCX_NET_DEVICES=mlx5_0:1\n": {{What: "UCX", DSCP: 26, At: Place{"e", 1}, Variable: "UCX_IB_TRAFFIC_CLASS", Default: true}},
		"UCX_IB_TRAFFIC_CLASS=auto":  {{What: "UCX", DSCP: 26, At: Place{"e", 1}, Variable: "UCX_IB_TRAFFIC_CLASS", Default: true}},
		"UCX_IB_TRAFFIC_CLASS=0":     {{What: "UCX", DSCP: 0, At: Place{"e", 1}, Variable: "UCX_IB_TRAFFIC_CLASS"}},
		"NVSHMEM_IB_GID_INDEX=3":     {{What: "NVSHMEM", DSCP: 0, At: Place{"e", 1}, Variable: "NVSHMEM_IB_TRAFFIC_CLASS", Default: true}},
		"NCCL_IB_TC=-1":              {{What: "NCCL", DSCP: 0, At: Place{"e", 1}, Variable: "NCCL_IB_TC", Default: true}},
		"UCX_TLS=tcp,self":           nil,
		"NCCL_IB_DISABLE=1":          nil,
	} {
		h, err := Read("h", []Source{{Name: "e", Text: text}})
		if err != nil {
			t.Fatal(err)
		}
		if got := h.Streams(); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}
