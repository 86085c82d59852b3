import json
import os
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "sdk", "python"))

from hookline import allow, ask, background, context, deny, hook, result, run  # noqa: E402

behaviour = os.environ["BEHAVIOUR"]


def late():
    time.sleep(0.05)
    return context("context from the background")


def answer(event):
    if behaviour == "allow":
        return allow()
    if behaviour == "deny":
        return deny("denied by the test")
    if behaviour == "ask":
        return ask("sure?")
    if behaviour == "context":
        print("this is not the protocol")
        os.system("echo nor is this")
        return context("context from the test")
    if behaviour == "rewrite":
        return result(updated_input={"command": "rewritten"}, input_patch=True)
    if behaviour == "fail":
        raise RuntimeError("on purpose")
    if behaviour == "garbage":
        return result(decision="perhaps")
    if behaviour == "hang":
        time.sleep(60)
    if behaviour == "async":
        return background(late, timeout=60)
    if behaviour == "echo":
        return context(json.dumps(event.tool_input["id"]))
    if behaviour == "wrong field":
        return result(updated_output="x")
    return None


if behaviour == "talk":

    @hook("PreToolUse", match="Bash", name="main", timeout=5, guard=True, on_failure="open", priority=3)
    async def talk(event, ctx):
        ctx.log("from the hook")
        ctx.progress("working")
        lines = [str(await ctx.confirm("Sure?", "really")).lower()]
        lines.append(await ctx.select("Which?", ["a", "b"]))
        lines.append(await ctx.input("Name?", "x"))
        done = await ctx.exec(sys.executable, "-c", "print('out')")
        lines.append("%d %s" % (done["code"], done["stdout"].strip()))
        for value in (await ctx.messages(), await ctx.metadata("known"), await ctx.metadata("other")):
            lines.append(json.dumps(value, separators=(",", ":")))
        await ctx.notify("done")
        lines.append(event.tool_input["command"])
        return context(*lines)

    @hook("PreToolUse", observe=True, once=True, name="yield")
    def wait(event, ctx):
        while not ctx.wait(10):
            pass

elif behaviour == "unknown":

    @hook("PreToolUse", matcher="Bash", guard=True)
    def unknown(event, ctx):
        return deny("it guards")

elif behaviour == "meet":
    both = threading.Barrier(2)

    @hook("PreToolUse")
    def meet(event, ctx):
        ctx.confirm("Meet?")
        both.wait(60)
        return context("met")

else:

    @hook("PreToolUse")
    def answers(event, ctx):
        return answer(event)


run(concurrency=4)
