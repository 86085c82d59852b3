// Package bridge plays agents of other makers with our bridge installed: what a real program
// then did, and what its model was sent, is the proof that hooks hold there.
package bridge
