package perf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"strings"

	"weft/units"
	"weft/verbs"
)

// The messages between perftest's two sides (perftest_communication.c of
// github.com/linux-rdma/perftest, version 6.06). In each exchange the client speaks first, then the
// server: the version; sizes; the path MTU; then, several times, the keys of a queue pair, which
// also serve as a barrier.
const (
	perftestVersion = "6.06"
	versionBytes    = 16
	// pageBytes is the least memory that perftest's messages cycle through.
	pageBytes = 4096
	// cacheLine is perftest's alignment.
	cacheLine = 64
	// textKeysBytes and plainKeysBytes are the sizes of keys, over TCP and over RDMA.
	textKeysBytes, plainKeysBytes = 108, 56
	maxPage                       = 1 << 20
)

// channel carries the messages between the two sides.
type channel interface {
	send(b []byte) error
	// receive fills b.
	receive(b []byte) error
	// gone waits, but not for long, until the other side has ended its test.
	gone()
}

// party is one side of an exchange.
type party struct {
	over   channel
	serves bool // the other side speaks first
	text   bool // keys are text
}

// errUnheard ends a swap in which the other side has spoken, but may not have received this side's
// message.
var errUnheard = errors.New("perf: the other side does not acknowledge the last message")

// swap sends a message to the other side and receives one of the same length.
func (p *party) swap(mine []byte) (theirs []byte, err error) {
	theirs = make([]byte, len(mine))
	if p.serves {
		if err = p.over.receive(theirs); err == nil {
			if err = p.over.send(mine); err != nil {
				err = fmt.Errorf("%w: %w", errUnheard, err)
			}
		}
		return theirs, err
	}
	// An answer shows that the other side received the message, even if its acknowledgement was
	// lost: the other side may disconnect after its last answer.
	unsent := p.over.send(mine)
	if unsent != nil && !errors.Is(unsent, verbs.WRFlushErr) {
		return theirs, unsent
	}
	if err = p.over.receive(theirs); err != nil && unsent != nil {
		err = unsent
	}
	return theirs, err
}

// greet agrees on a path MTU, and on the memory that messages cycle through.
func (p *party) greet(mtu int) (agreed, page int, err error) {
	version := make([]byte, versionBytes)
	copy(version, perftestVersion)
	theirs, err := p.swap(version)
	if err != nil {
		return 0, 0, fmt.Errorf("perf: the other side is not perftest: %w", err)
	}
	if v, bad := strconv.ParseFloat(strings.TrimRight(string(theirs), "\x00"), 64); bad != nil || v < 5.7 {
		return 0, 0, fmt.Errorf("perf: the other side is not perftest 5.70 or later: it sends %q", theirs)
	}
	for _, size := range []uint32{pageBytes, cacheLine} {
		if theirs, err = p.swap(binary.BigEndian.AppendUint32(nil, size)); err != nil {
			return 0, 0, err
		}
		if size == pageBytes {
			page = int(binary.BigEndian.Uint32(theirs))
		}
	}
	if page > maxPage {
		return 0, 0, fmt.Errorf("perf: the other side's messages cycle through %d bytes: at most %d", page, maxPage)
	}
	// ibv_mtu: 1 is 256 bytes and 5 is 4096; a digit and the end of the string.
	code := byte('1')
	for n := 256; n < mtu; n *= 2 {
		code++
	}
	if theirs, err = p.swap([]byte{code, 0}); err != nil {
		return 0, 0, err
	}
	if theirs[0] >= '1' && theirs[0] <= '5' {
		mtu = min(mtu, 128<<(theirs[0]-'0'))
	}
	return mtu, max(page, pageBytes), nil
}

// keys are the parameters of a queue pair and its memory.
type keys struct {
	Reads int // READs and atomics that this side serves at a time
	EndQP
	RKey  uint32
	VAddr uint64
	Addr  netip.Addr
}

func (p *party) swapKeys(mine *keys) (*keys, error) {
	b := mine.plain()
	if p.text {
		b = mine.asText()
	}
	theirs, err := p.swap(b)
	if err != nil {
		return nil, err
	}
	k := new(keys)
	if p.text {
		err := k.parseText(string(theirs))
		return k, err
	}
	k.parsePlain(theirs)
	return k, nil
}

// asText is the form over TCP: hexadecimal numbers separated by colons, and a zero byte.
func (k *keys) asText() []byte {
	b := fmt.Appendf(nil, "%04x:%04x:%06x:%06x:%08x:%016x:", 0, k.Reads, uint32(k.QPN), uint32(k.PSN), k.RKey, k.VAddr)
	gid := k.gid()
	for _, v := range gid {
		b = fmt.Appendf(b, "%02x:", v)
	}
	return append(fmt.Appendf(b, "%08x:", 0), 0)
}

func (k *keys) gid() (b [16]byte) {
	if k.Addr.IsValid() {
		b = k.Addr.As16()
	}
	return b
}

var errNoKeys = errors.New("perf: cannot read the other side's keys")

func (k *keys) parseText(s string) error {
	const head, gid = 6, 16
	fields := strings.Split(strings.TrimRight(s, ":\x00"), ":")
	if len(fields) != head+gid+1 {
		return fmt.Errorf("%w: %q", errNoKeys, s)
	}
	var v [head + gid]uint64
	for i := range v {
		var err error
		if v[i], err = strconv.ParseUint(fields[i], 16, 64); err != nil {
			return fmt.Errorf("%w: %q", errNoKeys, s)
		}
	}
	var addr [gid]byte
	for i := range addr {
		addr[i] = byte(v[head+i])
	}
	*k = keys{
		Reads: int(uint32(v[1])), EndQP: EndQP{verbs.QPN(v[2]), units.PSN(v[3])}, RKey: uint32(v[4]), VAddr: v[5],
		Addr: netip.AddrFrom16(addr).Unmap(),
	}
	return nil
}

// plain is the form over RDMA: struct pingpong_dest, big endian.
func (k *keys) plain() []byte {
	b := binary.BigEndian.AppendUint32(make([]byte, 4), uint32(k.Reads))
	for _, v := range []uint32{uint32(k.QPN), uint32(k.PSN), k.RKey, 0} {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	b = binary.BigEndian.AppendUint64(b, k.VAddr)
	gid := k.gid()
	b = append(b, gid[:]...)
	return append(b, 0, 0, 0, 0, 0, 0, 0, 1) // no SRQ, index 1 of the table of GIDs
}

func (k *keys) parsePlain(b []byte) {
	u32 := func(at int) uint32 { return binary.BigEndian.Uint32(b[at:]) }
	*k = keys{
		Reads: int(u32(4)), EndQP: EndQP{verbs.QPN(u32(8)), units.PSN(u32(12))}, RKey: u32(16), VAddr: binary.BigEndian.Uint64(b[24:]),
		Addr: netip.AddrFrom16([16]byte(b[32:48])).Unmap(),
	}
}

// steps are the queue pairs whose keys are swapped before the first message, in turn. After the
// first swap a queue pair is connected; further swaps are barriers (write_bw.c, send_bw.c,
// write_lat.c and so on).
func (t *Test) steps() (all []int) {
	for i := range t.QPs {
		all = append(all, i)
	}
	barrier := []int{0}
	if t.Kind == Bandwidth && t.Verb != Send {
		return append(append(all, all...), barrier...)
	}
	return append(append(append(all, barrier...), all...), barrier...)
}

// report is the bandwidth measured by perftest's client, as it sends it.
type report struct {
	size, iters uint64
	peak, mean  float64 // unit not transmitted
	rate        float64 // in millions of messages a second
}

func (p *party) swapReports(mine report) (theirs report, err error) {
	for _, f := range []struct {
		mine   uint64
		theirs func(uint64)
	}{
		{mine.size, func(v uint64) { theirs.size = v }},
		{mine.iters, func(v uint64) { theirs.iters = v }},
		{math.Float64bits(mine.peak), func(v uint64) { theirs.peak = math.Float64frombits(v) }},
		{math.Float64bits(mine.mean), func(v uint64) { theirs.mean = math.Float64frombits(v) }},
		{math.Float64bits(mine.rate), func(v uint64) { theirs.rate = math.Float64frombits(v) }},
	} {
		b, err := p.swap(binary.BigEndian.AppendUint64(nil, f.mine))
		if err != nil {
			return theirs, err
		}
		f.theirs(binary.BigEndian.Uint64(b))
	}
	return theirs, nil
}
