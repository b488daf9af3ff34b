package nccl

// measuredFigures are fitted to published tables of nccl-tests on one node. The rows:
//
//   - Ampere, Hopper, Blackwell: all-reduce and all-gather on 2 and 8 GPUs, 48 rows each
//     (ai-dynamo/aiconfigurator, systems/data/{a100,h100,b200}_sxm/comm/nccl);
//   - Hopper in addition: all-reduce from 8 MiB, all-gather and reduce-scatter from 32 MiB to 4 GiB
//     on 8 GPUs (table T2);
//   - Blackwell in addition: all-reduce of 2 and 4 GiB, and for LL128 all-gather and reduce-scatter
//     of 16 MiB, on 8 GPUs (table T1).
//
// The least mean error was sought with Simple, LL, LL128 and NVLS one after another. Not fitted are
// the rate of a block of Ampere, 12.5 GB/s, half of a link's (two blocks fill a link: NVIDIA/nccl
// issue 1703), and Hopper's, which is taken as the rate of NVLS's copying warps: one node with 24
// channels only shows their sum, sendGBps. Hopper's NVLS was set by hand beside T2, within the
// intervals of the fit, 6.5 us, 20.7 GB/s and 1.02.
//
// The form of the model was chosen with the tables T1, V4 and H200 in view, beyond the rows above;
// Hopper's rate of a block also agrees with H200's all-gather.
//
// The 95 % intervals, from the slope of each row's time: launch 6 to 9 %, its part for a doubling 32
// to 78 %; with LL the flag 10 to 15 %, the first trip 49 % (Ampere), 67 % (Hopper) and a factor of
// 4.6 (Blackwell), the turn a factor of 2, 1.8 and 11 %, the rate 11 to 15 %; with Simple the turn
// 14 to 16 %, the rate to peers 7 to 15 %, to the own memory 23 to 34 %, while the flag is not
// identified; NVLS's turn 21 to 26 %, its rate 9 and 23 %, the switch's share 12 to 14 %. LL128 had
// two rows on Ampere and Blackwell and one on Hopper: no interval.
var measuredFigures = map[GPU]figures{
	Ampere: {
		baseUs: 7.73, doublingUs: .534, sendGBps: 252,
		ring: [numProtos]turnFigures{
			LL:     {delayUs: .682, tripUs: .277, fixedUs: .101, sendGBps: 3.97},
			LL128:  {delayUs: 1.32, tripUs: .100, fixedUs: 1.03, sendGBps: 6.37},
			Simple: {delayUs: 1.62, fixedUs: 5.01, sendGBps: 12.5, copyGBps: 15.0},
		},
	},
	Hopper: {
		baseUs: 4.06, doublingUs: .242, sendGBps: 390, switchShare: 1.04,
		ring: [numProtos]turnFigures{
			LL:     {delayUs: .556, tripUs: .148, fixedUs: .208, sendGBps: 6.71},
			LL128:  {delayUs: .899, tripUs: .101, fixedUs: 1.15, sendGBps: 11.5},
			Simple: {delayUs: .811, fixedUs: 2.69, sendGBps: 21.0, copyGBps: 28.6},
		},
		nvls: turnFigures{delayUs: .1, fixedUs: 6.8, sendGBps: 20.7},
	},
	Blackwell: {
		baseUs: 6.41, doublingUs: .176, sendGBps: 771, switchShare: .904,
		ring: [numProtos]turnFigures{
			LL:     {delayUs: .996, tripUs: .060, fixedUs: 1.01, sendGBps: 9.75},
			LL128:  {delayUs: .908, tripUs: .109, fixedUs: 1.13, sendGBps: 15.3},
			Simple: {delayUs: .801, fixedUs: 3.37, sendGBps: 24.1, copyGBps: 35.2},
		},
		nvls: turnFigures{delayUs: .146, fixedUs: 11.2, sendGBps: 27.6},
	},
}

// betweenNodesUs is the software's time of a message between two nodes in µs: from the kernel's
// store to the NIC, and from the NIC to the kernel's poll, with the proxy thread at both ends. LL
// and Simple agree with send/recv of 8 B and of 64 to 256 KiB on 2 × 8 B200 over InfiniBand (table
// T1), LL and LL128 with all-reduce to 1 MiB on 2 × 8 A100 over RoCE v2 (table V4).
var betweenNodesUs = [numProtos]float64{LL: 5.5, LL128: 11, Simple: 13.5}
