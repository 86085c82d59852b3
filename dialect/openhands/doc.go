// Package openhands is the dialect of OpenHands' hooks.
package openhands
