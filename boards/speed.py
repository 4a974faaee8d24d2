#!/usr/bin/env python3
"""Makes boards/speed.csv: instructions per multiply-accumulate, from what boards/measure.sh and bench/device
counted.

Usage: boards/speed.py [build folder]    (needs ../shared/models, which the measurements were made with)
For each target, instructions of a kind of operator over all models, by its multiply-accumulates over all
models; of operators without any, by their output elements."""
import csv, json, os, subprocess, sys

MAC_KINDS = {"CONV_2D": 0, "DEPTHWISE_CONV_2D": 1, "FULLY_CONNECTED": 2, "SVDF": 3}
build = sys.argv[1] if len(sys.argv) > 1 else "build"


def work_of(model):
    """(multiply-accumulates of the four kinds and output elements of the others, by kind)"""
    out = subprocess.run([f"{build}/arenite", "plan", "--json", f"../shared/models/{model}.tflite"],
                         check=True, capture_output=True, text=True).stdout
    plan = json.loads(out)
    elements = {}
    for t in plan["tensors"]:
        count = 1
        for d in t["shape"]:
            count *= d
        elements[t["producer"]] = elements.get(t["producer"], 0) + count
    work = {}
    for step in plan["steps"]:
        amount = step["macs"] if step["op"] in MAC_KINDS else elements.get(step["node"], 0)
        work[step["op"]] = work.get(step["op"], 0) + amount
    return work


def rows(name):
    """Rows of boards; of bench/device, for targets that boards has not."""
    found = []
    for folder in "boards", "bench/device":
        path = f"{folder}/{name}"
        if not os.path.exists(path):
            continue
        with open(path, newline="") as f:
            new = [r for r in csv.DictReader(f) if r["file"] == "plain"]
        known = {r["target"] for r in found}
        found += [r for r in new if r["target"] not in known]
    return found


works, spent, done = {}, {}, {}
for r in rows("kinds.csv"):
    work = works.setdefault(r["model"], work_of(r["model"]))
    column = MAC_KINDS.get(r["kind"], 4)
    instructions = spent.setdefault(r["target"], [0] * 5)
    amounts = done.setdefault(r["target"], [0] * 5)
    instructions[column] += int(r["instructions"])
    amounts[column] += work.get(r["kind"], 0)

print("# Instructions of the engine's own kernels, counted in an emulator (bench/device), int8 networks.")
print("# Made by boards/speed.py. A multiply-accumulate of CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED, SVDF;")
print("# an output element of all other operators; bytes of code and stack, at most, of the models measured.")
print("target,conv,depthwise,dense,svdf,other,text,stack")
for target in sorted(spent):
    per = [f"{i / a:.3f}" if a else "0" for i, a in zip(spent[target], done[target])]
    mine = [r for r in rows("device.csv") if r["target"] == target]
    text = max(int(r["text"]) for r in mine)
    stack = max(max(int(r["stack_start"]), int(r["stack_invoke"])) for r in mine)
    print(",".join([target] + per + [str(text), str(stack)]))
