"""Write Hookline hooks as a worker: a process that stays and answers events.

    from hookline import hook, deny, run

    @hook("PreToolUse", match="Bash")
    def guard(event, ctx):
        if "rm -rf" in event.tool_input.get("command", ""):
            return deny("that deletes too much")

    run()

One file, no dependencies, Python 3.8 or later. Copy it beside your worker.

A handler returns None for no opinion, or a dict whose members are those of a result
in docs/worker-protocol.md; allow(), deny(), ask(), context() and result() make one. A
handler that raises has failed, and its failure policy decides. Handlers may be
coroutines; then the methods of ctx are to be awaited.

What a worker prints goes to standard error: standard output is the protocol's.
"""

import asyncio
import inspect
import json
import os
import sys
import threading
import time
import traceback
from queue import SimpleQueue

__all__ = [
    "hook", "run", "allow", "deny", "ask", "context", "result", "background",
    "Event", "Context", "HostError", "Aborted",
]

PROTOCOL = 1

# How long a call may take, in seconds, before another thread reads on, and twice that at
# the most.
PATIENCE = 0.002

# An escape for everything beyond ASCII keeps unpaired surrogates whole.
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


class HostError(Exception):
    """The host could not do what ctx asked for."""


class Aborted(Exception):
    """The host took the call back; raised by methods of ctx that were waiting."""


class Event(dict):
    """An event's input. Members can be read as attributes; an absent one is an
    AttributeError, so use get() for those that may be missing."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError("the event has no %r" % name) from None


def result(**members):
    """A result with the members given; those that are None are left out."""
    return {k: v for k, v in members.items() if v is not None}


def allow(reason=None, **more):
    """Go on without asking."""
    return result(decision="allow", reason=reason, **more)


def deny(reason, **more):
    """Do not do it. The model is told the reason."""
    return result(decision="deny", reason=reason, **more)


def ask(reason=None, **more):
    """Ask the person."""
    return result(decision="ask", reason=reason, **more)


def context(*lines, **more):
    """Add lines to what the model reads next."""
    return result(context=list(lines), **more)


class _Background:
    def __init__(self, rest, timeout):
        self.rest, self.timeout = rest, timeout


def background(rest, timeout=None):
    """Go on in the background: the event does not wait. rest is a function without
    parameters, or a coroutine in a handler that is one; what it returns is delivered
    late. timeout is in seconds."""
    return _Background(rest, timeout)


class _Registered:
    def __init__(self, fn, spec):
        self.fn, self.spec = fn, spec
        self.slow = False  # the last call took longer than PATIENCE
        self.is_async = inspect.iscoroutinefunction(fn) or inspect.iscoroutinefunction(getattr(fn, "__call__", None))


_registered = []


def hook(event, match="", *, name="", timeout=None, observe=False, guard=False,
         on_failure="", priority=0, once=False):
    """Register the decorated function for an event.

    match is a pattern for the event's subject, such as the tool's name. timeout is in
    seconds, 0 is none. on_failure is open, closed or ask."""

    def register(fn):
        spec = {"event": event, "name": name or getattr(fn, "__name__", "")}
        if match:
            spec["matcher"] = match
        if timeout is not None:
            spec["timeout_ms"] = int(timeout * 1000)
        if on_failure:
            spec["on_failure"] = on_failure
        if priority:
            spec["priority"] = priority
        for key, value in (("observe", observe), ("guard", guard), ("once", once)):
            if value:
                spec[key] = True
        _registered.append(_Registered(fn, spec))
        return fn

    return register


class Context:
    """What a handler may ask of the host while it works on a call."""

    def __init__(self, worker, call):
        self._worker, self._call = worker, call
        #: how long the host will wait, in seconds; None is for ever
        self.timeout = call.message["timeout_ms"] / 1000 if "timeout_ms" in call.message else None

    @property
    def aborted(self):
        """Whether the host took the call back."""
        return self._call.aborted

    def wait(self, seconds):
        """Sleep, but not longer than until the call is taken back; returns aborted."""
        self._worker.pass_on(self._call.turn)
        with self._worker.lock:
            ended = self._call.ended = self._call.ended or threading.Event()
            if self._call.aborted:
                ended.set()
        return ended.wait(seconds)

    def confirm(self, title, message=""):
        """Ask yes or no; False when nobody is there."""
        return self._ask("ui.confirm", {"title": title, "message": message})

    def select(self, title, options):
        """Offer options and return the one taken, None when there is none."""
        return self._ask("ui.select", {"title": title, "options": list(options)})

    def input(self, title, placeholder=""):
        """Ask for a line of text, None when there is none."""
        return self._ask("ui.input", {"title": title, "placeholder": placeholder})

    def notify(self, message, level="info"):
        """Show a notice: info, warning or error."""
        return self._ask("ui.notify", {"message": message, "level": level})

    def exec(self, command, *args, dir="", stdin="", timeout=None):
        """Run a program on the host: a dict with code, stdout and stderr."""
        params = {"command": command, "args": list(args)}
        if dir:
            params["dir"] = dir
        if stdin:
            params["stdin"] = stdin
        if timeout is not None:
            params["timeout_ms"] = int(timeout * 1000)
        return self._ask("exec", params)

    def messages(self):
        """The messages of the session."""
        return self._ask("session.messages", {})

    def metadata(self, key):
        """A value that the session holds under a key, None when there is none."""
        return self._ask("session.metadata", {"key": key})

    def log(self, message, level="info"):
        """Write to the host's log: debug, info, warning or error."""
        self._worker.send({"type": "log", "level": level, "message": str(message)})

    def progress(self, text):
        """Show what the hook is doing to who watches."""
        self._worker.send({"type": "progress", "id": self._call.id, "text": str(text)})

    def _ask(self, method, params):
        replies = SimpleQueue()
        self._worker.pass_on(self._call.turn)
        self._worker.request(self._call, method, params, replies.put)
        return _settle(replies.get())


class _AsyncContext(Context):
    async def wait(self, seconds):
        await asyncio.sleep(seconds)
        return self.aborted

    async def _ask(self, method, params):
        loop = asyncio.get_running_loop()
        reply = loop.create_future()

        def deliver(message):
            loop.call_soon_threadsafe(lambda: reply.done() or reply.set_result(message))

        self._worker.request(self._call, method, params, deliver)
        return _settle(await reply)


def _settle(reply):
    if reply is None:
        raise Aborted("the call was taken back")
    if reply.get("error"):
        raise HostError(reply["error"])
    return reply.get("value")


class _Call:
    def __init__(self, message):
        self.message, self.id = message, message["id"]
        self.aborted = False
        self.ended = None  # an event for who waits for that
        self.turn = 0  # of the reading, if the thread that reads works on the call
        self.task = None  # of a coroutine
        self.waiting = {}  # requests by id


class _Worker:
    def __init__(self, name, version, concurrency):
        self.name, self.version, self.concurrency = name, version, concurrency
        # Nothing else may read or write where the protocol is spoken.
        self.reader = os.fdopen(os.dup(0), "rb", 1 << 16)
        self.out = os.dup(1)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.dup2(2, 1)
        self.writing = threading.Lock()
        self.lock = threading.Lock()
        self.calls = {}
        self.requests = {}
        self.last_request = 0
        self.reading = threading.Lock()  # held by the thread that reads, or by its call
        # Even while a message is waited for, odd while the thread that reads works on a
        # call. Whoever moves it on from an odd number has the reading.
        self.turn = 0
        self.watched = False
        self.calls_begin = SimpleQueue()  # wakes the watcher
        self.over = False
        self.done = threading.Event()
        self.loop = None

    def send(self, message):
        data = _encode(message).encode("ascii") + b"\n"
        with self.writing:
            n = os.write(self.out, data)
            while n < len(data):
                data = data[n:]
                n = os.write(self.out, data)

    def request(self, call, method, params, deliver):
        with self.lock:
            if call.aborted:
                raise Aborted("the call was taken back")
            self.last_request += 1
            id = self.last_request
            self.requests[id] = (call, deliver)
            call.waiting[id] = deliver
        self.send({"type": "request", "id": id, "call": call.id, "method": method, "params": params})

    def serve(self):
        hello = {"type": "hello", "protocol": PROTOCOL, "concurrency": self.concurrency,
                 "hooks": [r.spec for r in _registered]}
        if self.name:
            hello["name"] = self.name
        if self.version:
            hello["version"] = self.version
        if any(r.is_async for r in _registered):
            self.start_loop()
        self.send(hello)
        # One thread reads, and works on the calls that it reads: a call changes threads
        # only when it takes its time.
        threading.Thread(target=self.watch, daemon=True).start()
        for _ in range(self.concurrency + 1):
            threading.Thread(target=self.work, daemon=True).start()
        self.done.wait()
        sys.stderr.flush()

    def work(self):
        try:
            while not self.over:
                self.reading.acquire()
                self.lead()
        except Exception:  # of the protocol, not of a hook: there is no going on
            traceback.print_exc()
            self.end()

    def lead(self):
        """Read and work on calls until the reading is another thread's."""
        while not self.over:
            job = self.read()
            if job is None:
                continue
            registered, call = job
            if registered.slow:
                self.reading.release()
                self.handle(registered, call)
                return
            self.turn = turn = call.turn = self.turn + 1
            if not self.watched:
                self.watched = True
                self.calls_begin.put(None)
            self.handle(registered, call)
            if not self.next_turn(turn):
                return
        self.reading.release()

    def end(self):
        self.over = True
        self.done.set()

    def next_turn(self, turn):
        """Move on from a call; returns whether nobody else has done so."""
        with self.lock:
            if self.turn != turn:
                return False
            self.turn = turn + 1
            return True

    def pass_on(self, turn):
        """Leave the reading to another thread if the call of that turn holds it."""
        if turn % 2 == 1 and self.next_turn(turn):
            self.reading.release()

    def watch(self):
        """Pass the reading on from calls that take their time, while there are calls."""
        seen = 0
        while True:
            self.calls_begin.get()
            while True:
                time.sleep(PATIENCE)
                turn = self.turn
                if turn == seen:
                    self.pass_on(turn)
                    if turn % 2 == 0:
                        self.watched = False
                        if self.turn == turn:
                            break
                        self.watched = True  # a call that counts on it has begun meanwhile
                seen = turn

    def read(self):
        """Deal with the next message; returns a call of a function."""
        line = self.reader.readline()
        message = json.loads(line.decode("utf-8", "replace")) if line else {"type": "shutdown"}
        kind = message["type"]
        if kind == "call":
            call = _Call(message)
            self.calls[call.id] = call
            registered = _registered[message["hook"]]
            if not registered.is_async:
                return registered, call
            self.loop.call_soon_threadsafe(self.begin_task, registered, call)
        elif kind == "reply":
            self.deliver(message)
        elif kind == "cancel":
            self.abort(message["id"])
        elif kind == "shutdown":
            self.end()
        return None

    def start_loop(self):
        with self.lock:
            if self.loop is None:
                self.loop = asyncio.new_event_loop()
                threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def deliver(self, message):
        with self.lock:
            call, deliver = self.requests.pop(message["id"], (None, None))
            if call is not None:
                call.waiting.pop(message["id"], None)
        if deliver is not None:
            deliver(message)

    def abort(self, id):
        call = self.calls.get(id)
        if call is None:
            return
        with self.lock:
            call.aborted = True
            if call.ended is not None:
                call.ended.set()
            waiting, call.waiting = call.waiting, {}
            for request in waiting:
                self.requests.pop(request, None)
        for deliver in waiting.values():
            deliver(None)
        if self.loop is not None:
            self.loop.call_soon_threadsafe(lambda: call.task and call.task.cancel())

    # Functions run in threads, as many as there are calls at once.

    def handle(self, registered, call):
        began = time.monotonic()
        try:
            answer = registered.fn(Event(call.message["input"]), Context(self, call))
            if answer is not None and type(answer) is not dict and inspect.isawaitable(answer):
                self.pass_on(call.turn)
                answer = self.finish_elsewhere(answer)
        except BaseException as e:  # SystemExit too: it must not end the thread
            self.failed(call, e)
            return
        finally:
            registered.slow = time.monotonic() - began > PATIENCE
        if isinstance(answer, _Background):
            self.announce(call, answer)
            threading.Thread(target=self.finish, args=(call, answer.rest), daemon=True).start()
        else:
            self.answer(call, answer)

    def finish_elsewhere(self, awaitable):
        async def wrap():
            return await awaitable

        self.start_loop()
        return asyncio.run_coroutine_threadsafe(wrap(), self.loop).result()

    def finish(self, call, rest):
        try:
            answer = rest()
            if inspect.isawaitable(answer):
                answer = self.finish_elsewhere(answer)
        except BaseException as e:
            self.failed(call, e)
        else:
            self.answer(call, answer)

    # Coroutines run in one loop.

    def begin_task(self, registered, call):
        call.task = self.loop.create_task(self.work_async(registered, call))

    async def work_async(self, registered, call):
        try:
            answer = await registered.fn(Event(call.message["input"]), _AsyncContext(self, call))
            if isinstance(answer, _Background):
                self.announce(call, answer)
                answer = answer.rest() if callable(answer.rest) else answer.rest
                if inspect.isawaitable(answer):
                    answer = await answer
        except BaseException as e:
            self.failed(call, e)
        else:
            self.answer(call, answer)

    def announce(self, call, later):
        message = {"type": "result", "id": call.id, "async": True}
        if later.timeout is not None:
            message["async_timeout_ms"] = int(later.timeout * 1000)
        self.send(message)

    def answer(self, call, answer):
        self.calls.pop(call.id, None)
        message = {"type": "result", "id": call.id}
        try:
            if answer is not None:
                if not isinstance(answer, dict):
                    raise TypeError("a handler returned %s: None or a dict is expected" % type(answer).__name__)
                message = {**message, **answer, **message}  # these come first, and are the ones that count
            self.send(message)
        except (TypeError, ValueError) as e:
            self.failed(call, e)

    def failed(self, call, error):
        self.calls.pop(call.id, None)
        if call.aborted:
            self.send({"type": "error", "id": call.id, "message": "taken back"})
            return
        traceback.print_exception(type(error), error, error.__traceback__)
        sys.stderr.flush()
        text = "%s: %s" % (type(error).__name__, error) if str(error) else type(error).__name__
        self.send({"type": "error", "id": call.id, "message": text})


def run(name="", version="", concurrency=1):
    """Say hello and answer calls until the host shuts the worker down.

    concurrency is how many calls the worker takes at once; functions then run in as
    many threads, coroutines in one loop."""
    if not name and sys.argv and sys.argv[0] not in ("", "-c", "-m"):
        name = os.path.splitext(os.path.basename(sys.argv[0]))[0]
    _Worker(name, version, max(1, int(concurrency))).serve()
