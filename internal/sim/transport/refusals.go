package transport

// Refusals are the requests that arrived but that responders did not accept.
type Refusals struct {
	// RNRNAKs is the number of RC messages without a posted receive: they come again.
	RNRNAKs int64
	// NoReceive is the number of UC and UD messages lost because no receive was posted.
	NoReceive int64
	// OutOfTurn is the number of UC packets from messages with a missing packet, or from messages
	// that another has overtaken.
	OutOfTurn int64
	// QKey is the number of UD datagrams whose Q_Key differs from their queue pair's.
	QKey int64
}
