// Package jsonrpc has what programs need that stand between two others which speak
// JSON-RPC: connections of one message a line, messages whose envelope is read while every
// byte of them stays, and the passing between both sides until one ends.
package jsonrpc
