// Package foreign reads and writes memory that is not Go's and may be unmapped meanwhile. Hardware pins
// pages. A device in user space can only notice that they are gone, and must not bring the process down.
package foreign
