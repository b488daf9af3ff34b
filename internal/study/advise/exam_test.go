package advise

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"weft/internal/sim"
	"weft/internal/study/training"
	"weft/internal/test/golden"
	"weft/scenario"
)

// question is a published decision: who decided what, and why.
type question struct {
	who, decision, why, source string
	expected                   string // InfiniBand, Ethernet, or a product
	profile                    string // what is published of the organisation, at a size that is simulated here in a second
}

// exam are ten decisions with the reasons that were given. The profiles state those reasons that a profile can state. What was
// not published has its default.
var exam = []question{
	{
		"Meta, 24,576 H100, 2024", "RoCE v2 for production", "quick to build, four years of operation; a proprietary interconnect limits deployment",
		"engineering.fb.com 2024-06-12 (secondary copies); SIGCOMM 2024", "Ethernet",
		`design: {gpus: 2048, gpus-later: 16384, node: dgx-h100}
organisation: {skills: {infiniband: some, ethernet: expert}, existing-ethernet: true, monitoring: ethernet, vendor-policy: several, weeks-to-deploy: 20}`,
	},
	{
		"xAI, Colossus, 2024", "Spectrum-X", "standard Ethernet, many tenants, built in 122 days; vendor's figure of 95 % of throughput against 60 %",
		"nvidianews.nvidia.com 2024-10-28 (secondary copies)", "Spectrum-X",
		`design: {gpus: 2048, gpus-later: 16384, node: dgx-h100}
organisation: {skills: {infiniband: some, ethernet: expert}, existing-ethernet: true, monitoring: ethernet, tenants: 4, weeks-to-deploy: 17}`,
	},
	{
		"Oracle, OCI Supercluster, A100, 2022", "RoCE v2", "Ethernet and IP are proven and wide spread; a dedicated RDMA network",
		"blogs.oracle.com building-high-performance-network", "Ethernet",
		`design: {gpus: 1024, gpus-later: 8192, node: dgx-a100}
organisation: {skills: {infiniband: none, ethernet: expert}, existing-ethernet: true, monitoring: ethernet, vendor-policy: several, tenants: 16}`,
	},
	{
		"Microsoft Azure, NDv5 and NDv6", "InfiniBand in the cluster", "performance and SHARP inside; Ethernet between sites",
		"Azure blog on GB300 (secondary copy)", "InfiniBand",
		`design: {gpus: 1024, gpus-later: 4096, node: dgx-h100}
organisation: {skills: {infiniband: expert, ethernet: expert}, monitoring: both}`,
	},
	{
		"CoreWeave, H100 and GB200", "InfiniBand", "lowest latency and most reliable for GPUDirect, non-blocking rails, SHARP",
		"docs.coreweave.com hpc-interconnect", "InfiniBand",
		`design: {gpus: 1024, gpus-later: 4096, node: dgx-h100}
organisation: {skills: {infiniband: expert, ethernet: some}, monitoring: both, tenants: 8}`,
	},
	{
		"Lambda, H100 clusters, 2023", "InfiniBand", "customers asked for HGX with InfiniBand",
		"sacra.com interview (Iambic)", "InfiniBand",
		`design: {gpus: 512, node: dgx-h100}
organisation: {skills: {infiniband: expert, ethernet: some}, monitoring: infiniband}`,
	},
	{
		"DeepSeek, 2,048 H800, 2024", "InfiniBand, RoCE v2 for storage alone", "cost of two levels in planes, isolation of faults, latency 2.8 us against 3.6 us in a leaf",
		"arXiv 2505.09343", "InfiniBand",
		`design: {gpus: 2048, node: hgx-h800}
organisation: {skills: {infiniband: expert, ethernet: some}, monitoring: infiniband}`,
	},
	{
		"Alibaba, HPN 7.0, 2024", "Ethernet, two planes", "open, switches of its own on 51.2T chips; single failures of a leaf",
		"SIGCOMM 2024 (secondary copy)", "Ethernet",
		`design: {gpus: 1024, gpus-later: 8192, node: hgx-h800}
organisation: {skills: {infiniband: none, ethernet: expert}, existing-ethernet: true, monitoring: ethernet, vendor-policy: several}`,
	},
	{
		"NVIDIA, Enterprise RA of HGX B300, 2026", "Spectrum-X", "what operators know, VRF and EVPN for tenants",
		"docs.nvidia.com enterprise reference architectures (by a public report)", "Spectrum-X",
		`design: {gpus: 512, gpus-later: 1024, node: dgx-b300}
organisation: {skills: {infiniband: none, ethernet: some}, existing-ethernet: true, monitoring: ethernet, tenants: 4, separation: logical}`,
	},
	{
		"NVIDIA, SuperPOD of DGX GB300, 2025", "InfiniBand (Quantum-X800)", "one tenant, a staff that runs InfiniBand, SHARP",
		"docs.nvidia.com dgx-spod-gb300-ra (by a public report)", "InfiniBand",
		`design: {gpus: 576, gpus-later: 2304, node: gb300-nvl72}
organisation: {skills: {infiniband: expert, ethernet: some}, monitoring: infiniband}
simulate: {nodes: 2}`,
	},
}

// The answers stand beside the decisions in docs/ADVICE.md, the misses too. Seven of ten must agree.
func TestTheExamStandsInTheDocuments(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Advice, examined

Ten published decisions between InfiniBand and Ethernet, with the reasons that were given, and what ` + "`weft advise`" + ` says for a profile
that states those reasons ([PLAN.md](PLAN.md#advise-the-rule)). Clusters are smaller than the published ones, weights and effort are the defaults. A test writes this page. A
decision is no proof that it was right, and each had reasons that no profile states.

| who | decision | reasons given | weft's answer | agrees | weft's strongest reasons |
|---|---|---|---|---|---|
`)
	hits := 0
	for _, q := range exam {
		a := answered(t, q)
		verdict, agrees := graded(a, q.expected)
		if agrees == "yes" {
			hits++
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", q.who, q.decision, q.why, verdict, agrees, strongest(a))
	}
	fmt.Fprintf(&b, "\nOf %d answers %d agree.\n\n## Sources and profiles\n", len(exam), hits)
	for _, q := range exam {
		fmt.Fprintf(&b, "\n%s: %s.\n\n```yaml\n%s\n```\n", q.who, q.source, q.profile)
	}
	if hits < 7 {
		t.Errorf("%d of %d answers agree, want 7", hits, len(exam))
	}
	golden.File(t, "../../../docs/ADVICE.md", b.String())
}

// answered is the advice up to its first answer, without what would change it.
func answered(t *testing.T, q question) *Advice {
	t.Helper()
	p, err := Read(q.who, []byte("name: "+strings.Split(q.who, ",")[0]+"\n"+q.profile), small(q)...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a, err := Make(ctx, p, nil, Options{Simulate: sim.Run, Train: training.Run, First: func(*Advice) { cancel() }})
	if err != nil {
		t.Fatalf("%s: %v", q.who, err)
	}
	return a
}

// graded is the answer, and whether it agrees: yes, no, or a tie.
func graded(a *Advice, expected string) (verdict, agrees string) {
	name := a.Candidates[a.Verdict.Choice].Name()
	verdict = fmt.Sprintf("%s, %.0f to %.0f", name, a.Verdict.Points[a.Verdict.Choice], a.Verdict.Points[1-a.Verdict.Choice])
	isEthernet := a.Verdict.Choice == 1
	switch {
	case a.Verdict.Tie:
		return "a tie, " + verdict, "a tie"
	case name == expected, expected == "Ethernet" && isEthernet:
		return verdict, "yes"
	case expected != "InfiniBand" && isEthernet:
		return verdict, "no: another Ethernet"
	}
	return verdict, "no"
}

// strongest are the names of the reasons with their points.
func strongest(a *Advice) string {
	var out []string
	for _, r := range a.Reasons {
		out = append(out, fmt.Sprintf("%s +%.0f", r.Criterion, r.Points))
	}
	for _, r := range a.Against {
		out = append(out, fmt.Sprintf("%s −%.0f", r.Criterion, r.Points))
	}
	return strings.Join(out, ", ")
}

// small keeps the simulations of a question to a second, where the profile does not say how large they are.
func small(q question) []scenario.Override {
	if strings.Contains(q.profile, "simulate:") {
		return nil
	}
	return []scenario.Override{{Path: "simulate.nodes", Value: "4", Origin: "the exam"}}
}
