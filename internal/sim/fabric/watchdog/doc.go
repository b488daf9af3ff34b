// Package watchdog is the PFC watchdog of an egress queue. Package fabric polls the queue's state. The
// watchdog decides from the polls whether a storm has begun or ended. Package fabric then acts on the
// queue.
package watchdog
