package logfile

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestACommandLineSaysItsSettings has command lines in the forms that logs have, above the table of an all-reduce. The
// settings are those of the table.
func TestACommandLineSaysItsSettings(t *testing.T) {
	for line, want := range map[string]string{
		"$ mpirun -x PATH -x NCCL_ALGO=RING --bind-to none -np 8 -H a:4,b:4 ./build/all_reduce_perf -b 512M -e 8G -f 2 -g 1": "program=all_reduce_perf NCCL_ALGO=RING --bind-to=none --np=8 --host=a:4,b:4 --minbytes=512M --maxbytes=8G --stepfactor=2 --ngpus=1",
		"+ srun --mpi=pmix -N 2 --export=ALL,NCCL_IB_HCA=mlx5_0,NCCL_DEBUG=INFO all_reduce_perf --minbytes 8":                "program=all_reduce_perf --nodes=2 NCCL_IB_HCA=mlx5_0 NCCL_DEBUG=INFO --minbytes=8",
		"NCCL_ALGO=Ring NCCL_PROTO=\"Simple\" ./all_reduce_perf -g8 -c 0":                                                    "program=all_reduce_perf NCCL_ALGO=Ring NCCL_PROTO=Simple --ngpus=8 --check=0",
		"user@node1:~$ env UCX_TLS=rc,cuda_copy taskset -c 3 ./all_reduce_perf -g 8 > out.txt 2>&1":                          "program=all_reduce_perf UCX_TLS=rc,cuda_copy taskset --cpu-list=3 --ngpus=8",
		"[root@node1 ~]# numactl --cpunodebind=1 --membind=1 ./all_reduce_perf -g 8":                                         "program=all_reduce_perf numactl --cpunodebind=1 numactl --membind=1 --ngpus=8",
		"mpirun --allow-run-as-root --mca btl tcp,self -mca pml ob1 -n 16 bash -c 'NCCL_NET=Socket ./all_reduce_perf -b 8'":  "program=all_reduce_perf OMPI_MCA_btl=tcp,self OMPI_MCA_pml=ob1 --np=16 NCCL_NET=Socket --minbytes=8",
		"cd /opt && export NCCL_P2P_LEVEL=SYS; ./all_reduce_perf -g 4":                                                       "NCCL_P2P_LEVEL=SYS program=all_reduce_perf --ngpus=4",
		"declare -x NCCL_CROSS_NIC=\"2\"":                                                   "NCCL_CROSS_NIC=2",
		"Running command: mpiexec -genv NCCL_NVLS_ENABLE 0 -n 8 all_reduce_perf":            "program=all_reduce_perf NCCL_NVLS_ENABLE=0 --np=8",
		"mpirun -np 2 \\\n  -x NCCL_IB_QPS_PER_CONNECTION=4 \\\n  ./all_reduce_perf -n 100": "program=all_reduce_perf --np=2 NCCL_IB_QPS_PER_CONNECTION=4 --iters=100",
		"mpirun -x NCCL_TOPO_FILE=/opt/t.xml -np 8 ./run.sh":                                "NCCL_TOPO_FILE=/opt/t.xml --np=8",
		"[1,0]<stderr>:+ NCCL_ALGO=Tree ./all_reduce_perf -g 8":                             "program=all_reduce_perf NCCL_ALGO=Tree --ngpus=8",
		"2024-05-01T10:00:00.1Z stdout F $ ./all_reduce_perf -g 8":                          "program=all_reduce_perf --ngpus=8",
		"Executing: ['mpirun', '-x', 'NCCL_ALGO=Tree', 'all_reduce_perf', '-g', '8']":       "program=all_reduce_perf NCCL_ALGO=Tree --ngpus=8",
		"# all_reduce_perf":                             "",
		"# Collective test starting: all_reduce_perf":   "",
		"we ran all_reduce_perf -b 8 on the other node": "",
		"USAGE: all_reduce_perf":                        "",
	} {
		l := parse(t, line+"\n"+usualHead+threeRows+average1)
		if got := spelled(l.Tables[0].Settings); got != want {
			t.Errorf("%s:\n the settings are %s\n want             %s", line, got, want)
		}
	}
}

// spelled are settings as NAME=VALUE.
func spelled(all []Setting) string {
	var out []string
	for _, s := range all {
		out = append(out, s.Name+"="+s.Value)
	}
	return strings.Join(out, " ")
}

func TestPerftestsCommandAndBannerAreSettingsOfTheirTable(t *testing.T) {
	log := "$ taskset -c 0 ib_write_bw -d mlx5_1 -x 3 -q 4 -aF -D10 --use_cuda=0 --disable_pcie_relaxed node7\n" + perftestLog(65536, 98.01, 0.186940) +
		"$ ib_write_bw node8\n" + strings.ReplaceAll(perftestLog(65536, 98.01, 0.186940), "Number of qps   : 1", "Number of qps   : 8")
	l := parse(t, log)
	if len(l.Tables) != 2 {
		t.Fatalf("%d tables, want 2", len(l.Tables))
	}
	first, second := l.Tables[0], l.Tables[1]
	for name, want := range map[string]string{
		"--ib-dev": "mlx5_1", "--gid-index": "3", "--qp": "4", "--all": "on", "--CPU-freq": "on", "--duration": "10", "--use_cuda": "0",
		"--disable_pcie_relaxed": "on", "server": "node7", "taskset --cpu-list": "0", "Mtu": "4096[B]",
	} {
		if got, ok := first.Setting(name); !ok || got.Value != want {
			t.Errorf("%s is %q, want %q", name, got.Value, want)
		}
	}
	if got, _ := second.Setting("server"); got.Value != "node8" || !second.Unset("--qp") || first.Unset("--qp") {
		t.Errorf("the second table has the server %q, and --qp unset: %v, want node8, and true for it alone", got.Value, second.Unset("--qp"))
	}
	for _, kind := range []SignKind{SignPinned, SignRelaxedOff} {
		if sign, ok := l.Said.Sign(kind); !ok || sign.Line != 1 {
			t.Errorf("the sign %s is %+v, want one of line 1", kind, sign)
		}
	}
}

// TestExportsHoldForAllRunsAndACommandForItsOwn has three runs: what a command says ends with it.
func TestExportsHoldForAllRunsAndACommandForItsOwn(t *testing.T) {
	table := "# nThread 1 nGpus 8 minBytes 8\n" + usualHead + threeRows + average1
	l := parse(t, "export NCCL_DEBUG=WARN\n$ NCCL_ALGO=Ring ./all_reduce_perf -g 8\n"+table+
		"a:1:1 [0] NCCL INFO NCCL_PROTO set by environment to LL.\n"+"$ ./all_reduce_perf -g 8\n"+table+"a:1:1 [0] NCCL INFO NCCL_IB_HCA set to mlx5_0\n"+table)
	for i, want := range []string{"NCCL_DEBUG NCCL_ALGO NCCL_PROTO", "NCCL_DEBUG NCCL_IB_HCA", "NCCL_DEBUG"} {
		var got []string
		for _, name := range []string{"NCCL_DEBUG", "NCCL_ALGO", "NCCL_PROTO", "NCCL_IB_HCA"} {
			if _, ok := l.Tables[i].Setting(name); ok {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("table %d has %v, want %s", i, got, want)
		}
	}
	if s, ok := l.Said.Setting("NCCL_IB_HCA"); !ok || s.Value != "mlx5_0" {
		t.Errorf("the log's NCCL_IB_HCA is %+v, want mlx5_0", s)
	}
}

// TestLinesThatSayWhatIsSlowAreSigns has lines of real programs (their files are named beside the phrases) and lines that
// look like them in healthy logs.
func TestLinesThatSayWhatIsSlowAreSigns(t *testing.T) {
	info, warn := "node1:21:116 [2] NCCL INFO ", "node1:21:116 [2] transport/net_ib.cc:1295 NCCL WARN "
	for line, want := range map[string]SignKind{
		info + "Could not find a path for pattern 1, falling back to simple order":                                                     SignOneNIC,
		info + "NET/Socket : Using [0]bond0:10.0.0.1<0>":                                                                               SignTCP,
		info + "Using network Socket":                                                                                                  SignTCP,
		info + "NET/IB : No device found.":                                                                                             SignNoDevice,
		info + "NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'":                                                                  SignNoGPUDirect,
		info + "P2P is disabled between connected GPUs 1 and 0. You can repress this message with NCCL_IGNORE_DISABLED_P2P=1.":         SignPeerToPeer,
		info + "Channel 00 : 0[0] -> 1[1] via SHM/direct/direct":                                                                       SignPeerToPeer,
		info + "NCCL_TOPO_FILE set by environment to /opt/t.xml":                                                                       SignTopologyFile,
		warn + "NET/IB : Got completion from peer 10.0.0.2<54862> with status=12 opcode=0 len=0 vendor err 129 (Recv)":                 SignRetries,
		warn + "NET/IB : Got completion with error 12, opcode 1, len 21938, vendor err 129":                                            SignRetries,
		warn + "NET/IB : mlx5_3:1 Got non-fatal async event: port error(10)":                                                           SignLinkDown,
		info + "HINT: In many cases this error occurs when ACS is enabled which would break GPU Direct RDMA protocol.":                 SignACS,
		info + "NVLS multicast support is not available on dev 0":                                                                      SignNoNVLS,
		warn + `NUMA auto balancing enabled which can lead to variability in the RCCL performance!`:                                    SignNUMA,
		warn + `Missing "iommu=pt" from kernel command line which can lead to system instablity or hang!`:                              SignACS,
		"Conflicting CPU frequency values detected: 1500.000000 != 3000.000000. CPU Frequency is not max.":                             SignCPUFrequency,
		" PCIe relax order: OFF\t\tLock-free      : OFF":                                                                               SignRelaxedOff,
		"[n1:108757:0:108757] ib_mlx5_log.c:136  Transport retry count exceeded on mlx5_1:1/IB (synd 0x15 vend 0x81 hw_synd 0/0)":      SignRetries,
		"[1700.75] proto_common.c:622  UCX  TRACE lane[0] tcp/ens1f0: added as lane 0":                                                 SignMPITCP,
		"[1700.75] ucp_worker.c:1855 UCX  INFO    ucp_context_0 inter-node cfg#2 tag(tcp/eth0)":                                        SignMPITCP,
		"[1700.75] ucp_context.c:969 UCX  WARN  network device 'mlx5_9:1' is not available, please use one or more of: 'mlx5_0:1'(IB)": SignNoDevice,
		"WARNING: There was an error initializing an OpenFabrics device.":                                                              SignNoDevice, //nolint:misspell // the words of Open MPI
		"ACSCtl: SrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-":                                      SignACS,
		"mlx5_core 0000:3b:00.0: 63.008 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link at 0000:3a:00.0":               SignPCIeWidth,
		"        HW Thermal Slowdown                       : Active":                                                                   SignThrottled,
		"$ NCCL_P2P_DISABLE=1 ./all_reduce_perf -g 8":                                                                                  SignPeerToPeer,
		"$ mpirun -x UCX_NET_DEVICES=ib0 ./osu_bw":                                                                                     SignMPITCP,
		"export OMPI_MCA_btl=self,vader,tcp":                                                                                           SignMPITCP,
		"$ UCX_TLS=sm,tcp,cuda_copy ucx_perftest -t tag_bw":                                                                            SignMPITCP,
		"export NCCL_NET_GDR_LEVEL=LOC":                                                                                                SignNoGPUDirect,

		info + "NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>":             "",
		info + "NET/IB : GPU Direct RDMA Disabled for GPU 0 / HCA 3 (distance 7 > 5)": "",
		info + "NCCL_P2P_LEVEL set by environment to SYS":                             "",
		" PCIe relax order: ON": "",
		"[1700.75] ucp_worker.c:1855 UCX  INFO    ucp_context_0 inter-node cfg#2 tag(rc_mlx5/mlx5_0:1 tcp/eth0)": "",
		"[1700.75] ucp_context.c:1  UCX  DEBUG resource[3] tcp/lo":                                               "",
		"        HW Thermal Slowdown                       : Not Active":                                         "",
		"$ mpirun -x UCX_NET_DEVICES=mlx5_0:1,mlx5_1:1 ./osu_bw":                                                 "",
		"$ mpirun --mca btl ^openib -x UCX_TLS=rc,tcp ./osu_bw":                                                  "",
		"$ taskset -c 0-31 ./all_reduce_perf -g 8":                                                               "",
		"$ NCCL_P2P_DISABLE=0 ./all_reduce_perf -g 8":                                                            "",
	} {
		l := parse(t, line+"\n"+usualHead+threeRows+average1)
		switch {
		case want == "" && len(l.Said.Signs) > 0:
			t.Errorf("%s: the sign is %+v, want none", line, l.Said.Signs)
		case want != "" && (len(l.Said.Signs) != 1 || l.Said.Signs[0].Kind != want || l.Said.Signs[0].Line != 1):
			t.Errorf("%s: the signs are %+v, want one of kind %s in line 1", line, l.Said.Signs, want)
		case want != "" && !strings.Contains(line, strings.ReplaceAll(strings.ReplaceAll(l.Said.Signs[0].Text, "…", ""), "NCCL_NET_GDR_LEVEL=LOC", "NCCL_NET_GDR_LEVEL")):
			t.Errorf("%s: the sign says %q, want words of the line", line, l.Said.Signs[0].Text)
		}
	}
}

func TestSignsAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "n:1:1 [0] NCCL INFO P2P is disabled between connected GPUs %d and 0.\nn:1:1 [0] NCCL INFO Channel %02d : 0[0] -> 1[1] via SHM/direct/direct\nn:1:1 [0] NCCL INFO Using network Socket\n", i, i)
	}
	l := parse(t, b.String()+usualHead+threeRows+average1)
	tcp := slices.DeleteFunc(slices.Clone(l.Said.Signs), func(s Sign) bool { return s.Kind != SignTCP })
	if len(l.Said.Signs) != maxOfKind+1 || len(tcp) != 1 {
		t.Errorf("%d signs, %d of them of TCP, want %d and 1", len(l.Said.Signs), len(tcp), maxOfKind+1)
	}
}

func TestVariablesAreToldFromOptions(t *testing.T) {
	for name, want := range map[string]bool{"NCCL_ALGO": true, "OMPI_MCA_btl": true, "--minbytes": false, "Mtu": false, "program": false, "taskset --cpu-list": false} {
		if got := (Setting{Name: name}).Environment(); got != want {
			t.Errorf("%s is a variable: %v, want %v", name, got, want)
		}
	}
}

// TestACommandHoldsForEveryRunThatItStarts has a script that runs two tests: NCCL's messages are of their own run, and the
// command's settings of both.
func TestACommandHoldsForEveryRunThatItStarts(t *testing.T) {
	table := "# nThread 1 nGpus 8 minBytes 8\n" + usualHead + threeRows + average1
	l := parse(t, "$ mpirun -x NCCL_ALGO=Ring ./tests.sh\n"+table+"a:1:1 [0] NCCL INFO NCCL_PROTO set by environment to LL.\n"+table)
	for i, want := range []bool{true, false} {
		_, algo := l.Tables[i].Setting("NCCL_ALGO")
		_, proto := l.Tables[i].Setting("NCCL_PROTO")
		if !algo || proto != want {
			t.Errorf("table %d has NCCL_ALGO %v and NCCL_PROTO %v, want true and %v", i, algo, proto, want)
		}
	}
}
