"""Validates JSON files against docs/schema, wants every field to be described there, and counts
anew what follows from other fields: live bytes, high water, the peak, the sum of the breakdown.

Usage: check_json.py FILE... Needs python3-jsonschema. Closes with "N passed, N failed".
"""
import json
import pathlib
import sys
import urllib.parse

import jsonschema

SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "schema"


def resolve(node, root, store):
    """Follows a reference. Returns (schema, its root)."""
    while "$ref" in node:
        document, _, path = node["$ref"].partition("#")
        root = store[urllib.parse.urljoin(root["$id"], document)]
        node = root
        for part in filter(None, path.split("/")):
            node = node[part]
    return node, root


def parts(schema, root, store):
    """The schema and all that it is composed of."""
    schema, root = resolve(schema, root, store)
    yield schema, root
    for key in ("allOf", "oneOf"):
        for part in schema.get(key, []):
            yield from parts(part, root, store)


def unknown_fields(value, schemas, store, where):
    """Fields of `value` that none of `schemas` (pairs of schema and root) describes."""
    found = [pair for schema, root in schemas for pair in parts(schema, root, store)]
    if isinstance(value, list):
        inner = [(s["items"], r) for s, r in found if "items" in s]
        for item in value:
            yield from unknown_fields(item, inner, store, where + "[]")
    if isinstance(value, dict):
        for name, field in value.items():
            inner = [(s.get("properties", {}).get(name) or s["additionalProperties"], r)
                     for s, r in found
                     if name in s.get("properties", {}) or "additionalProperties" in s]
            if not inner:
                yield where + "." + name
            else:
                yield from unknown_fields(field, inner, store, where + "." + name)


def blocks_of(plan):
    """(offset, bytes, first step, last step) of all that is alive in the dynamic region."""
    for tensor in plan["tensors"]:
        if tensor["owner"] not in (-1, tensor["index"]):
            continue
        if "row_groups" in tensor:
            yield from ((group["offset"], group["bytes"], group["first_step"], group["last_step"])
                        for group in tensor["row_groups"])
        elif tensor["region"] in ("dynamic", "rows") and tensor["first_step"] >= 0:
            yield tensor["offset"], tensor["bytes"], tensor["first_step"], tensor["last_step"]
    for item in plan.get("accumulators", []):
        yield item["offset"], item["bytes"], item["first_step"], item["last_step"]
    for step in plan["steps"]:
        yield step["scratch_offset"], step["scratch_bytes"], step["step"], step["step"]


def contradictions(plan):
    """What the plan says of itself and does not hold."""
    if sum(plan["breakdown"].values()) != plan["arena_bytes"]:
        yield "the breakdown does not add up to the arena"
    alive = [[] for _ in plan["steps"]]
    for offset, size, first, last in blocks_of(plan):
        for step in range(first, last + 1) if size else ():
            alive[step].append((offset, offset + size))
    for step, intervals in zip(plan["steps"], alive):
        end = covered = 0
        for low, high in sorted(intervals):
            covered += max(0, high - max(low, end))
            end = max(end, high)
        if covered != step["live_bytes"]:
            yield f"step {step['step']}: {covered} bytes alive, it says {step['live_bytes']}"
        if end != step["high_water"]:
            yield f"step {step['step']}: high water {end}, it says {step['high_water']}"
        if end > plan["dynamic_peak_bytes"]:
            yield f"step {step['step']}: {end} bytes do not fit in the dynamic region"
    most = max((step["live_bytes"] for step in plan["steps"]), default=0)
    if plan["steps"] and plan["steps"][plan["peak_step"]]["live_bytes"] != most:
        yield "the peak is elsewhere"
    if plan["lower_bound_bytes"] > plan["dynamic_peak_bytes"]:
        yield "the lower bound is above the plan"
    if sum(step["macs"] for step in plan["steps"]) != plan["macs"]:
        yield "the steps' MACs do not add up"


def main():
    store = {}
    for path in SCHEMAS.glob("*.schema.json"):
        schema = json.loads(path.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        store[schema["$id"]] = schema
    passed = failed = 0
    for name in sys.argv[1:]:
        document = json.loads(pathlib.Path(name).read_text(encoding="utf-8"))
        kind = document["schema"].removeprefix("arenite.")
        schema = next(s for s in store.values() if s["$id"].endswith(f"/{kind}.schema.json"))
        resolver = jsonschema.RefResolver(schema["$id"], schema, store=store)
        validator = jsonschema.Draft202012Validator(schema, resolver=resolver)
        errors = [f"{error.json_path}: {error.message[:200]}"
                  for error in validator.iter_errors(document)]
        errors += sorted(set(unknown_fields(document, [(schema, schema)], store, "$")))
        if not errors:
            is_plan = kind in ("plan", "profile")
            errors = [error for plan in document.get("plans", [document] if is_plan else [])
                      for error in contradictions(plan)]
        passed += not errors
        failed += bool(errors)
        for error in errors[:5]:
            print("FAIL ", name, error)
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
