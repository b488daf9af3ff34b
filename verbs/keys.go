package verbs

import "fmt"

// keys are the memory regions and windows of a device, by the first 24 bits of their keys, the
// index. All 32 bits of a key are random: a peer's keys tell nothing about other or later keys. The
// last 8 bits are the variant, which binding a window changes.
type keys map[uint32]any // *MR or *MW

// Virtual addresses are random, too, in steps of 64 KiB, in a range that no process uses: one
// address tells nothing about others. Regions may overlap by chance, as regions of RegMRIOVA may:
// the key identifies the region.
const (
	leastAddr = 1 << 48
	addrRange = 1 << 61
	addrAlign = 1 << 16
)

func freshAddr() uint64 { return leastAddr + secret()%addrRange&^(addrAlign-1) }

// assign gives a region or a window a key.
func (k keys) assign(object any) (key uint32, err error) {
	if len(k) == MaxMR {
		return 0, fmt.Errorf("%w: %d memory regions and windows", ErrNoMemory, MaxMR)
	}
	for {
		key = uint32(secret())
		if _, taken := k[key>>8]; !taken {
			k[key>>8] = object
			return key, nil
		}
	}
}

// remove invalidates a key.
func (k keys) remove(key uint32) { delete(k, key>>8) }
