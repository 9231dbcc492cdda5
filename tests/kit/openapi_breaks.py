"""Finds changes of an OpenAPI document that break clients of the old one.

New routes, optional parameters, fields of answers and codes of problems break nobody, as the page about the API says. A
request may only become wider, an answer only narrower. One schema is *offered* (for a request the old one, for an
answer the new one), and the other one must *accept* it.

oasdiff 1.37 reports 25 of the 33 breaking changes that this module's test makes, and 30 with the strictest levels. It
misses problem codes that were removed or got another status, and arrays whose items may now be anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Document = Mapping[str, Any]
UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")


def breaks(old: Document, new: Document) -> list[str]:
    """Return one line for each breaking change."""
    return list(dict.fromkeys(_breaks(old, new)))


def _breaks(old: Document, new: Document) -> Iterator[str]:
    for path, methods in old["paths"].items():
        for method, operation in methods.items():
            found = new["paths"].get(path, {}).get(method)
            where = f"{method.upper()} {path}"
            if found is None:
                yield f"{where}: removed"
            else:
                yield from _Operation(old, new, where).breaks(operation, found)
    codes = {one["code"]: one["status"] for one in _codes(new)}
    for one in _codes(old):
        if one["code"] not in codes:
            yield f"problem {one['code']}: removed"
        elif codes[one["code"]] != one["status"]:
            yield f"problem {one['code']}: the status {one['status']} is now {codes[one['code']]}"


def _codes(document: Document) -> list[Document]:
    found: list[Document] = document.get("components", {}).get("responses", {}).get("Problem", {}).get("x-codes", [])
    return found


class _Operation:
    """A route in both documents."""

    def __init__(self, old: Document, new: Document, where: str) -> None:
        self._old, self._new, self._where = old, new, where

    def breaks(self, old: Document, new: Document) -> Iterator[str]:
        if old["operationId"] != new["operationId"]:
            yield f"{self._where}: {old['operationId']} is now called {new['operationId']}"
        if not all(any(_opens(one, other) for other in new["security"]) for one in old["security"]):
            yield f"{self._where}: needs another scope"
        yield from self._parameters(old, new)
        yield from self._body(old.get("requestBody"), new.get("requestBody"))
        yield from self._responses(old["responses"], new["responses"])

    def _parameters(self, old: Document, new: Document) -> Iterator[str]:
        before, after = self._named(self._old, old), self._named(self._new, new)
        for key, parameter in before.items():
            where = f"{self._where}: {key[0]} {key[1]}"
            if key not in after:
                yield f"{where}: removed"
                continue
            yield from self._taken(parameter["schema"], after[key]["schema"], where)
            if parameter["schema"].get("default") != after[key]["schema"].get("default"):
                yield f"{where}: another default"
        for key, parameter in after.items():
            if parameter.get("required") and not before.get(key, {}).get("required"):
                yield f"{self._where}: {key[0]} {key[1]}: is required now"

    @staticmethod
    def _named(document: Document, operation: Document) -> dict[tuple[str, str], Document]:
        found = [_resolved(document, one) for one in operation.get("parameters", [])]
        return {(one["in"], one["name"]): one for one in found}

    def _body(self, old: Document | None, new: Document | None) -> Iterator[str]:
        where = f"{self._where}: body"
        if new is not None and new.get("required") and not (old or {}).get("required"):
            yield f"{where}: is required now"
        if old is None:
            return
        for kind, content in old["content"].items():
            if new is None or kind not in new["content"]:
                yield f"{where}: {kind} is taken no more"
            else:
                yield from self._taken(content["schema"], new["content"][kind]["schema"], where)

    def _responses(self, old: Document, new: Document) -> Iterator[str]:
        before, after = ({str(status): one for status, one in all.items()} for all in (old, new))
        for status in after.keys() - before.keys():
            if status.startswith("2") or "default" not in before:
                yield f"{self._where}: answers {status}, too"
        for status, response in before.items():
            where = f"{self._where}: answer {status}"
            if status not in after:
                yield f"{where}: removed"
                continue
            said, says = _resolved(self._old, response), _resolved(self._new, after[status])
            for name in said.get("headers", {}).keys() - says.get("headers", {}).keys():
                yield f"{where}: header {name} removed"
            for kind, content in said.get("content", {}).items():
                if kind not in says.get("content", {}):
                    yield f"{where}: {kind} is given no more"
                else:
                    yield from self._given(content["schema"], says["content"][kind]["schema"], where)

    def _taken(self, old: Document, new: Document, where: str) -> Iterator[str]:
        return _Schemas(self._old, self._new, is_answer=False).refused(old, new, where)

    def _given(self, old: Document, new: Document, where: str) -> Iterator[str]:
        return _Schemas(self._new, self._old, is_answer=True).refused(new, old, where)


def _opens(one: Document, other: Document) -> bool:
    """Return whether a client that meets the first of two requirements also meets the second."""
    return all(name in one and set(scopes) <= set(one[name]) for name, scopes in other.items())


def _one_of(schema: Document) -> list[Document]:
    """Return the schemas of which one must fit; none if the schema stands for itself."""
    found: list[Document] = schema.get("anyOf") or schema.get("oneOf") or []
    return found


class _Schemas:
    """Checks whether one schema accepts what another one offers."""

    def __init__(self, offering: Document, accepting: Document, *, is_answer: bool) -> None:
        self._offering, self._accepting, self._is_answer = offering, accepting, is_answer
        self._compared: set[tuple[str, str]] = set()
        """References that are or were compared: schemas may contain themselves."""

    def refused(self, offered: Document, accepted: Document, where: str) -> Iterator[str]:
        """Yield the reasons why not; nothing if everything is accepted."""
        if "$ref" in offered and "$ref" in accepted:
            pair = (offered["$ref"], accepted["$ref"])
            if pair in self._compared:
                return
            self._compared.add(pair)
        offered, accepted = _resolved(self._offering, offered), _resolved(self._accepting, accepted)
        if _one_of(offered) or _one_of(accepted):
            yield from self._options(_one_of(offered) or [offered], _one_of(accepted) or [accepted], where)
            return
        yield from self._values(offered, accepted, where)
        if "properties" in accepted or "properties" in offered:
            yield from self._fields(offered, accepted, where)
        for part, name in (("items", "[]"), ("additionalProperties", "{}")):
            if isinstance(accepted.get(part), Mapping):
                has_part = isinstance(offered.get(part), Mapping)
                yield from self.refused(offered[part] if has_part else {}, accepted[part], f"{where}{name}")

    def _options(self, offered: list[Document], accepted: list[Document], where: str) -> Iterator[str]:
        for option in offered:
            tried = [list(self._anew().refused(option, one, where)) for one in accepted]
            if all(tried):
                yield from min(tried, key=len)

    def _anew(self) -> _Schemas:
        """Return a copy for one attempt, whose comparisons do not count elsewhere."""
        tried = _Schemas(self._offering, self._accepting, is_answer=self._is_answer)
        tried._compared |= self._compared
        return tried

    def _values(self, offered: Document, accepted: Document, where: str) -> Iterator[str]:
        kind, asked = offered.get("type"), accepted.get("type")
        if asked is not None and kind != asked and (kind, asked) != ("integer", "number"):
            yield f"{where}: {self._changed(kind or 'any type', asked)}"
            return
        taken, given = _named(accepted), _named(offered)
        if taken is not None and (given is None or not set(given) <= set(taken)):
            others = "any value" if given is None else ", ".join(str(one) for one in given if one not in taken)
            yield f"{where}: {others} {'is new' if self._is_answer else 'is taken no more'}"
        for name in (*UPPER, *LOWER):
            bound, reached = accepted.get(name), offered.get(name)
            if bound is not None and (reached is None or (reached > bound if name in UPPER else reached < bound)):
                yield f"{where}: {name} {self._changed(reached, bound)}"
        for name in ("pattern", "format"):
            if name in accepted and offered.get(name) != accepted[name]:
                yield f"{where}: {name} {self._changed(offered.get(name), accepted[name])}"

    def _fields(self, offered: Document, accepted: Document, where: str) -> Iterator[str]:
        there, known = offered.get("properties", {}), accepted.get("properties", {})
        for name in sorted(set(accepted.get("required", ())) - set(offered.get("required", ()))):
            if self._is_answer and name not in there:
                continue  # reported below
            yield f"{where}.{name}: {'may be missing now' if self._is_answer else 'is required now'}"
        for name, schema in known.items():
            if name in there:
                yield from self.refused(there[name], schema, f"{where}.{name}")
            elif self._is_answer:
                yield f"{where}.{name}: removed"
        if accepted.get("additionalProperties") is False and not self._is_answer:
            for name in there.keys() - known.keys():
                yield f"{where}.{name}: is taken no more"

    def _changed(self, offered: object, accepted: object) -> str:
        before, now = (accepted, offered) if self._is_answer else (offered, accepted)
        return f"{before} is now {now}"


def _named(schema: Document) -> list[Any] | None:
    """Return the values that a schema lists; `None` if it lists none."""
    return [schema["const"]] if "const" in schema else schema.get("enum")


def _resolved(document: Document, part: Document) -> Document:
    while "$ref" in part:
        found: Any = document
        for name in part["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        part = found
    return part
