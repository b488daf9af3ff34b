// Package wording writes pieces of messages: a quotation that is not too long, a number with its noun.
package wording
