package wire

// position is the position of a packet in its message.
type position uint8

const (
	middle position = 0
	first  position = 1
	last   position = 2
	only            = first | last
)

// operation describes the low five bits of an operation code, the same for
// every transport service.
type operation struct {
	code     uint8
	name     string
	position position
	payload  bool
	response bool // goes from the responder to the requester
	headers  Headers
}

// operations is table 38 of IBA vol. 1, read by rows.
var operations = [...]operation{
	{code: 0x00, name: "SEND First", position: first, payload: true},
	{code: 0x01, name: "SEND Middle", position: middle, payload: true},
	{code: 0x02, name: "SEND Last", position: last, payload: true},
	{code: 0x03, name: "SEND Last with Immediate", position: last, payload: true, headers: ImmDt},
	{code: 0x04, name: "SEND Only", position: only, payload: true},
	{code: 0x05, name: "SEND Only with Immediate", position: only, payload: true, headers: ImmDt},
	{code: 0x06, name: "RDMA WRITE First", position: first, payload: true, headers: RETH},
	{code: 0x07, name: "RDMA WRITE Middle", position: middle, payload: true},
	{code: 0x08, name: "RDMA WRITE Last", position: last, payload: true},
	{code: 0x09, name: "RDMA WRITE Last with Immediate", position: last, payload: true, headers: ImmDt},
	{code: 0x0a, name: "RDMA WRITE Only", position: only, payload: true, headers: RETH},
	{code: 0x0b, name: "RDMA WRITE Only with Immediate", position: only, payload: true, headers: RETH | ImmDt},
	{code: 0x0c, name: "RDMA READ Request", position: only, headers: RETH},
	{code: 0x0d, name: "RDMA READ response First", position: first, payload: true, response: true, headers: AETH},
	{code: 0x0e, name: "RDMA READ response Middle", position: middle, payload: true, response: true},
	{code: 0x0f, name: "RDMA READ response Last", position: last, payload: true, response: true, headers: AETH},
	{code: 0x10, name: "RDMA READ response Only", position: only, payload: true, response: true, headers: AETH},
	{code: 0x11, name: "Acknowledge", position: only, response: true, headers: AETH},
	{code: 0x12, name: "ATOMIC Acknowledge", position: only, response: true, headers: AETH | AtomicAckETH},
	{code: 0x13, name: "CmpSwap", position: only, headers: AtomicETH},
	{code: 0x14, name: "FetchAdd", position: only, headers: AtomicETH},
	{code: 0x15, name: "RESYNC", position: only},
	{code: 0x16, name: "SEND Last with Invalidate", position: last, payload: true, headers: IETH},
	{code: 0x17, name: "SEND Only with Invalidate", position: only, payload: true, headers: IETH},
}

// service describes the high three bits of an operation code.
type service struct {
	code       uint8 // in place: the low five bits are 0
	name       string
	operations uint32  // set of the service's operations, a bit each
	request    Headers // headers of every request, besides the operation's
	response   Headers // headers of every response, besides the operation's
}

// services is table 38 of IBA vol. 1, read by columns.
var services = [...]service{
	{code: 0x00, name: "RC", operations: 0xdfffff},
	{code: 0x20, name: "UC", operations: 0x000fff},
	{code: 0x40, name: "RD", operations: 0x3fffff, request: RDETH | DETH, response: RDETH},
	{code: 0x60, name: "UD", operations: 0x000030, request: DETH},
	{code: 0xa0, name: "XRC", operations: 0xdfffff, request: XRCETH},
}

// description is everything that an operation code determines. The zero value belongs to an invalid
// code; its size is a bare BTH.
type description struct {
	name     string
	headers  Headers
	position position
	payload  bool
	response bool
}

var descriptions = describe()

// headerBytes is separate from descriptions because the simulator reads it for every packet: its
// 256 bytes stay in the cache.
var headerBytes = func() (sizes [256]uint8) {
	for op, d := range descriptions {
		sizes[op] = uint8(BTHBytes + d.headers.Bytes())
	}
	return sizes
}()

// describe combines services and operations.
func describe() (all [256]description) {
	for _, s := range services {
		for _, o := range operations {
			if s.operations>>o.code&1 == 0 {
				continue
			}
			extra := s.request
			if o.response {
				extra = s.response
			}
			all[s.code|o.code] = description{
				name:     s.name + " " + o.name,
				headers:  extra | o.headers,
				position: o.position,
				payload:  o.payload,
				response: o.response,
			}
		}
	}
	all[CNP] = description{name: "CNP", headers: CNPPad, position: only}
	return all
}
