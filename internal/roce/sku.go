package roce

import "strings"

// skus map a part of the HwSKU name in SONiC to the chip.
var skus = []struct{ part, asic string }{
	{"SN27", "spectrum-1"},
	{"SN24", "spectrum-1"},
	{"SN21", "spectrum-1"},
	{"SN34", "spectrum-2"},
	{"SN37", "spectrum-2"},
	{"SN38", "spectrum-2"},
	{"SN42", "spectrum-3"},
	{"SN44", "spectrum-3"},
	{"SN46", "spectrum-3"},
	{"SN47", "spectrum-3"},
	{"SN564", "spectrum-5"},
	{"SN54", "spectrum-4"},
	{"SN56", "spectrum-4"},
	{"SN66", "spectrum-6"},
	{"Z9864F", "tomahawk-5"},
}

// OfSKU is the name of the chip of a HwSKU of SONiC, "" if it is not known.
func OfSKU(sku string) string {
	for _, s := range skus {
		if strings.Contains(strings.ToUpper(sku), s.part) {
			return s.asic
		}
	}
	return ""
}
