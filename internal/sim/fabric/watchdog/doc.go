// Package watchdog is the PFC watchdog of an egress queue: from what it sees at each poll it decides
// that the queue is in a storm, or restored. Package fabric polls, and acts on the queue.
package watchdog
