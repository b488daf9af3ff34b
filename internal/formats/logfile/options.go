package logfile

import (
	"path"
	"regexp"
	"strings"
)

// program is a program whose command line is read.
type program struct {
	// short are the long forms of its options of one letter, and of others that have a second spelling.
	short map[string]string
	// flags are options without a value, in their long form.
	flags map[string]bool
	// positional is the name of an argument without an option, "" if it has none.
	positional string
}

// options makes a program of lines "-b --minbytes", and of its options without a value.
func options(lines, flags, positional string) *program {
	p := &program{short: map[string]string{}, flags: map[string]bool{}, positional: positional}
	words := strings.Fields(lines)
	for i := 0; i+1 < len(words); i += 2 {
		p.short[words[i]] = words[i+1]
	}
	for _, f := range strings.Fields(flags) {
		p.flags[f] = true
	}
	return p
}

// Programs that measure, with their options.
var (
	// NVIDIA/nccl-tests, src/common.cu.
	ncclTestsProgram = options(`-t --nthreads -g --ngpus -b --minbytes -e --maxbytes -i --stepbytes -f --stepfactor -n --iters -m --agg_iters
		-w --warmup_iters -N --run_cycles -p --parallel_init -c --check -o --op -d --datatype -r --root -z --blocking -y --stream_null -T --timeout
		-G --cudagraph -C --report_cputime -a --average -R --local_register -J --output_file -M --memory`, "--help", "")
	// linux-rdma/perftest@00b55b66, src/perftest_parameters.c.
	perftestProgram = options(`-p --port -d --ib-dev -i --ib-port -m --mtu -s --size -n --iters -t --tx-depth -u --qp-timeout -S --sl
		-x --gid-index -a --all -F --CPU-freq -c --connection -q --qp -e --events -I --inline_size -o --outs -g --mcg -z --comm_rdma_cm -R --rdma_cm -T --tos
		-r --rx-depth -b --bidirectional -Q --cq-mod -N --noPeak -C --report-cycles -H --report-histogram -U --report-unsorted
		-O --dualport -l --post_list -D --duration -w --limit_bw -Z --server -P --client -h --help -V --version`,
		`--all --CPU-freq --events --mcg --comm_rdma_cm --rdma_cm --bidirectional --noPeak --report-cycles --report-histogram --report-unsorted --dualport
		--report_gbits --use-srq --disable_pcie_relaxed --run_infinitely --use_cuda_dmabuf --use_rocm_dmabuf --use_old_post_send --cpu_util --out_json --odp
		--use_hugepages --report-both --reversed --tcp --perform_warm_up --mr_per_qp --use_ooo --no_lock --use_data_direct --ipv6 --server --client --help --version
		--dont_xchg_versions --report-per-port --use_cuda_pcie_mapping --write_with_imm --no_enhanced_reorder`, settingServer)
	// OSU Micro-Benchmarks, c/util/osu_util_options.h.
	osuProgram = options(`-m --message-size -i --iterations -x --warmup -W --window-size -d --accelerator -b --buffer-num -M --mem-limit
		-f --full -c --validation`, "--full --validation", "buffers")
	// openucx/ucx@9466d104, src/tools/perf/perftest.c.
	ucxPerftest = options(`-t --test -s --size -n --iters -w --warmup -m --memory -d --device -x --transport -c --cpu -b --batch -p --port
		-f --final -v --csv -N --numeric -l --loopback -e --err-handling -D --layout`, "--final --csv --numeric --loopback --err-handling", settingServer)
	// ai-dynamo/nixl, kvcache-ai/Mooncake, deepseek-ai/DeepEP, stas00/ml-engineering and HPC-X's clusterkit have long options alone.
	longOptions = options("-d --hca_list -f --hostfile -p --ppn -G --gpudirect -cx7 --connectx-7 -z --traffic", "--gpudirect --connectx-7 --auto-hca --use_vram --check_consistency", "")
)

// Programs that start others.
var (
	mpirunProgram = options(`-np --np -n --np -N --npernode -npernode --npernode -ppn --npernode -H --host -host --host -f --hostfile -hostfile --hostfile
		-bind-to --bind-to -map-by --map-by`, "--allow-run-as-root --oversubscribe --tag-output --report-bindings -q -v -tag-output -allow-run-as-root -l", "")
	srunProgram    = options("-N --nodes -n --ntasks -w --nodelist -p --partition -c --cpus-per-task -t --time -J --job-name -G --gpus", "-l --label --exclusive -u --unbuffered", "")
	tasksetProgram = options("-c --cpu-list", "-a", "mask")
	numactlProgram = options("-N --cpunodebind -m --membind -C --physcpubind -l --localalloc -i --interleave", "--localalloc", "")
	torchrun       = options("", "--standalone", "")
)

var (
	ncclName  = regexp.MustCompile(`^(?:all_reduce|all_gather|reduce_scatter|broadcast|alltoallv?|sendrecv|reduce|scatter|gather|hypercube)_perf(?:_mpi)?$`)
	perfName  = regexp.MustCompile(`^(?:ib|raw_ethernet)_(?:write|read|send|atomic)_(?:bw|lat)$`)
	osuName   = regexp.MustCompile(`^osu_[a-z_]+$`)
	otherName = regexp.MustCompile(`^(?:nixlbench|transfer_engine_bench|clusterkit(?:\.sh)?|test_(?:low_latency|internode|intranode|ep)\.py|all_reduce_bench\.py)$`)
)

// launchers start other programs, with options of their own.
var launchers = map[string]*program{
	"mpirun": mpirunProgram, "mpiexec": mpirunProgram, "mpiexec.hydra": mpirunProgram, "orterun": mpirunProgram, "prterun": mpirunProgram,
	"srun": srunProgram, "taskset": tasksetProgram, "numactl": numactlProgram, "torchrun": torchrun,
}

// programOf is the program of a word in a command line; nil if it is none that is read.
func programOf(word string) *program {
	switch name := path.Base(word); {
	case ncclName.MatchString(name):
		return ncclTestsProgram
	case perfName.MatchString(name):
		return perftestProgram
	case osuName.MatchString(name):
		return osuProgram
	case name == "ucx_perftest":
		return ucxPerftest
	case otherName.MatchString(name):
		return longOptions
	}
	return nil
}
