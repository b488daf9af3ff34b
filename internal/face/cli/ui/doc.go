// Package ui has weft ui, which shows runs in a browser and begins new ones.
package ui
