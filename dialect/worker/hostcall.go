package worker

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/handler/worker"
)

var (
	errMethod = errors.New("host request method not found")
	errParams = errors.New("the parameters cannot be read")
)

// uiParams are the parameters of the questions of an extension.
type uiParams struct {
	Title        string   `json:"title"`
	Message      string   `json:"message"`
	HelpText     string   `json:"helpText"`
	Placeholder  string   `json:"placeholder"`
	DefaultValue string   `json:"defaultValue"`
	Options      []string `json:"options"`
}

// uiMethods are the methods of the host that there are here.
var uiMethods = map[string]worker.Method{
	"kodelet.ui.confirm": worker.MethodConfirm,
	"kodelet.ui.select":  worker.MethodSelect,
	"kodelet.ui.input":   worker.MethodInput,
	"kodelet.ui.notify":  worker.MethodNotify,
}

// parseHostCall reads what an extension asks of its host.
func parseHostCall(m *rpcMessage) *worker.Request {
	r := &worker.Request{ID: bytes.Clone(m.ID), Method: uiMethods[m.Method], Level: "info"}
	if !absent(m.ParentID) {
		id, err := strconv.ParseUint(string(m.ParentID), 10, 64)
		if err != nil {
			r.Err = fmt.Errorf("%w: parentId is not an id of a call", errParams)
			return r
		}
		r.Call = id
	}
	if r.Method == "" {
		r.Err = fmt.Errorf("%w: %s", errMethod, m.Method)
		return r
	}
	var p uiParams
	if !absent(m.Params) {
		if err := json.Unmarshal(m.Params, &p); err != nil {
			r.Err = fmt.Errorf("%w: %w", errParams, err)
			return r
		}
	}
	r.Title, r.Message, r.Placeholder, r.Options = p.Title, p.Message, p.Placeholder, p.Options
	for _, more := range []string{p.HelpText, p.DefaultValue} {
		if r.Placeholder == "" {
			r.Placeholder = more
		}
	}
	if r.Method == worker.MethodNotify && p.Title != "" {
		r.Message = p.Title + ": " + p.Message
	}
	return r
}

// uiAnswer is the answer to a question.
type uiAnswer struct {
	Status    string  `json:"status"`
	Value     *string `json:"value,omitzero"`
	Confirmed *bool   `json:"confirmed,omitzero"`
	Reason    string  `json:"reason,omitzero"`
}

// Reply returns the answer to what an extension asked.
func (*extension) Reply(req *worker.Request, res worker.Response, err error) []byte {
	m := rpcMessage{ID: req.ID}
	if err != nil {
		m.Error = &rpcError{Code: reason(err), Message: err.Error()}
		return frame(m)
	}
	a := uiAnswer{Status: "submitted"}
	switch {
	case res.NoUI:
		a.Status, a.Reason = "unavailable", "there is nobody to ask"
	case req.Method == worker.MethodConfirm:
		a.Confirmed = &res.Confirmed
	case req.Method == worker.MethodNotify:
	case res.Answered:
		a.Value = &res.Text
	default:
		a.Status = "dismissed"
	}
	m.Result, _ = json.Marshal(a) // of strings and booleans, which encode
	return frame(m)
}
