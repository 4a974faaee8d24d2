"""Validates JSON files against docs/schema, and wants every field to be described there.

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
            inner = [(s["properties"][name], r) for s, r in found
                     if name in s.get("properties", {})]
            if not inner:
                yield where + "." + name
            else:
                yield from unknown_fields(field, inner, store, where + "." + name)


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
        passed += not errors
        failed += bool(errors)
        for error in errors[:5]:
            print("FAIL ", name, error)
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
