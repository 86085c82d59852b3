#!/usr/bin/env python3
"""A program that embeds the agent: it asks it one thing, allows its tool calls, and
prints what happens. Only the standard library is needed.

    python3 client.py [hookline] [flags of hookline rpc...] -- PROMPT
"""

import json
import subprocess
import sys


class Agent:
    """The agent behind `hookline rpc`. Use it in a with statement."""

    def __init__(self, command, on_event, on_question):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )
        self.on_event, self.on_question = on_event, on_question
        self.next_id = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()  # the agent ends when nobody speaks to it
        for line in self.process.stdout:
            self.handle(json.loads(line))
        self.process.wait()

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, type, **fields):
        """Sends a request and returns its answer; events come in meanwhile."""
        self.next_id += 1
        id = str(self.next_id)
        self.send({"type": type, "id": id, **fields})
        for line in self.process.stdout:
            message = json.loads(line)
            if message["type"] == "response" and message["id"] == id:
                if not message["success"]:
                    raise RuntimeError(message["error"])
                return message.get("data")
            self.handle(message)
        raise RuntimeError("the agent ended")

    def handle(self, message):
        if message["type"] == "ui_request":
            self.send({"type": "ui_response", "id": message["id"], **self.on_question(message)})
        elif message["type"] == "event":
            self.on_event(message)


def show(event):
    if event["event"] == "text":
        print("agent:", event["text"])
    elif event["event"] == "tool_end":
        print("tool:", event["call"]["name"], json.dumps(event["call"]["input"]))


def answer(question):
    """Takes the first choice, says yes, and types nothing."""
    print("asked:", question["title"].split(" (")[0])
    if question["method"] == "select":
        return {"index": 0}
    if question["method"] == "confirm":
        return {"confirmed": True}
    return {"dismissed": True}


def main():
    args = sys.argv[1:]
    split = args.index("--") if "--" in args else len(args)
    command, prompt = args[:split] or ["hookline"], " ".join(args[split + 1 :]) or "hello"
    with Agent([command[0], "rpc", *command[1:]], show, answer) as agent:
        state = agent.ask("get_state")
        print("model:", state["model"])
        result = agent.ask("prompt", text=prompt)
        print("ended:", result["end"], "after", result["turns"], "turns")


if __name__ == "__main__":
    main()
