"""Generates `slugline._api` from openapi.json when the package is built from a checkout."""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BINARY = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
CONFIG = {"literal_enums": True, "post_hooks": []}
# The client has an option for the one, and no cache for the other.
LEFT_OUT = {"lang", "If-None-Match"}


class GenerateApi(BuildHookInterface[Any]):
    """A source distribution has the generated files, and no document."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        document = root.parents[1] / "openapi.json"
        if not document.exists():
            return
        with TemporaryDirectory() as folder:
            files = {"openapi.json": prepared(json.loads(document.read_text())), "config.json": CONFIG}
            for name, content in files.items():
                Path(folder, name).write_text(json.dumps(content))
            command = [sys.executable, "-m", "openapi_python_client", "generate", "--overwrite"]
            options = {
                "path": Path(folder, "openapi.json"),
                "config": Path(folder, "config.json"),
                "meta": "none",
                "output-path": root / "src/slugline/_api",
                "custom-template-path": root / "templates",
            }
            for option, value in options.items():
                command += [f"--{option}", str(value)]
            subprocess.run([*command, "--fail-on-warning"], check=True)


def prepared(document: dict[str, Any]) -> dict[str, Any]:
    """The document without what callers don't need: other media types, errors, and defaults."""
    components = document["components"]
    del components["schemas"]["Error"]
    for schema in components["schemas"].values():
        # The generator would prefer it to the schema's name.
        schema.pop("title", None)
    # What visitors of shared statistics call has no key.
    paths = {path: item for path, item in document["paths"].items() if path.startswith("/api/v1")}
    for operation in (each for item in paths.values() for each in item.values()):
        resolved = [resolve(parameter, components) for parameter in operation.get("parameters", [])]
        operation["parameters"] = [
            {**parameter, "schema": simplified(parameter["schema"])}
            for parameter in resolved
            if parameter["name"] not in LEFT_OUT
        ]
        if "requestBody" in operation:
            content = operation["requestBody"]["content"]
            is_upload = "text/csv" in content
            json_only = {"application/json": content["application/json"]}
            operation["requestBody"]["content"] = BINARY if is_upload else json_only
        responses = {
            status: resolve(response, components)
            for status, response in operation["responses"].items()
            if status.startswith("2")
        }
        for response in responses.values():
            if response.get("content") and "application/json" not in response["content"]:
                response["content"] = BINARY
        operation["responses"] = responses
    return {**document, "paths": paths}


def resolve(part: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in part:
        return part
    _, _, kind, name = part["$ref"].split("/")
    return dict(components[kind][name])


def simplified(schema: dict[str, Any]) -> dict[str, Any]:
    """Without a default, which the server has, and with booleans as such."""
    if schema.get("enum") in (["true", "false"], ["false", "true"]):
        return {"type": "boolean"}
    return {name: value for name, value in schema.items() if name != "default"}
