package advise

import "weft/internal/sim/catalog"

// Thumb is a published rule of thumb, with its result for this profile. It has no influence on the
// choice.
type Thumb struct {
	Rule   string      `json:"rule"`
	Says   string      `json:"says"` // InfiniBand, RoCE v2, or nothing here
	Tag    catalog.Tag `json:"tag"`
	Source string      `json:"source"`
}

const silent = "nothing here"

// thumbs are common rules of thumb. They contradict each other, so each is shown with its result.
func thumbs(p *Profile) []Thumb {
	gpus, o := p.Design.GPUs, p.Organisation
	when := func(holds bool, says string) string {
		if holds {
			return says
		}
		return silent
	}
	return []Thumb{
		{"InfiniBand below some thousands of GPUs with a dedicated cluster", when(gpus < 4000 && o.Dedicated, "InfiniBand"), catalog.Recalled, "in circulation; no single source"},
		{"RoCE v2 with a network team and an Ethernet that is there", when(o.Skills.Ethernet == Expert && o.Ethernet, "RoCE v2"), catalog.Recalled, "in circulation; no single source"},
		{"InfiniBand from 1,000 GPUs for large training jobs", when(gpus >= 1000, "InfiniBand"), catalog.Secondary, "itctshop.com infiniband-vs-rocev2-choosing-the-right-network"},
		{"RoCE v2 below 500 GPUs with Ethernet skills", when(gpus < 500 && o.Skills.Ethernet != NoSkill, "RoCE v2"), catalog.Secondary, "itctshop.com infiniband-vs-rocev2-choosing-the-right-network"},
		{"RoCE v2 from 256 to 10,000 GPUs, InfiniBand above", rangeSays(gpus), catalog.Secondary, "firstpasslab.com roce-vs-infiniband-ai-data-center-networking"},
		{"Ethernet at 16 GPUs or fewer", when(gpus <= 16, "RoCE v2"), catalog.Secondary, "quantacloud.net infiniband-vs-ethernet-gpu-training"},
	}
}

func rangeSays(gpus int) string {
	switch {
	case gpus > 10_000:
		return "InfiniBand"
	case gpus >= 256:
		return "RoCE v2"
	}
	return silent
}
