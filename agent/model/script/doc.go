// Package script is a model that says what a YAML file tells it to say. Tests
// and demonstrations use it: everything runs with no key and no network, and
// each turn is known beforehand.
//
//	turns:
//	  - text: "I'll look around."
//	    tool_calls:
//	      - {name: Bash, input: {command: "ls"}}
//	  - expect: {last_tool_result: "README"}
//	    text: "Done."
//
// A turn answers one call. Its fields, all optional:
//
//	text, thinking   what the model says and thinks
//	tool_calls       a list of {name, input, id}; raw in place of input is sent
//	                 as it is, also when it is not JSON
//	expect           what the request must look like, else the call fails
//	when             the turn answers only a request that looks like this; with
//	                 when, the turns of parallel agents find the right one
//	repeat           how many calls the turn answers (default 1, -1: any number)
//	chunks           in how many pieces text, thinking and inputs arrive (default 1)
//	delay            wait before the answer, chunk_delay before each further
//	                 piece: seconds or a duration such as 50ms
//	truncate         the stream breaks off in the middle of the last block
//	error            {status, type, message, retry_after}: what the provider
//	                 answers instead, or after the text if there is any
//	stop             the stop reason, when it is not the natural one
//	usage            {input, output, cache_read, cache_write}, estimated if absent
//
// expect and when hold regular expressions, each of which must be found in its
// part of the request: model, system, first_user, last_user (texts of the
// person), last_tool_result (an error result begins with "error: "), any (the
// system prompt and every text), and not, which must be found nowhere; besides
// them tools, a list of tools that must be offered, and messages, their number.
package script
