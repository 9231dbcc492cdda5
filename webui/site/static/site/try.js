// The page about the HTTP API: a form for each route, made of the OpenAPI document. Without this the page is only read.

import { all, maybe, one } from "./dom.js";

const DOCUMENT = "/api/v1/openapi.json";
/** Characters of an answer that are shown. */
const MOST_SHOWN = 20_000;
/** How deep the example of a body goes: schemas may contain themselves. */
const DEEPEST = 4;

/**
 * @typedef {{ $ref?: string, type?: string, anyOf?: Schema[], oneOf?: Schema[], const?: unknown, enum?: string[], properties?: Record<string, Schema>,
 *   required?: string[], items?: Schema, default?: unknown, minItems?: number, minimum?: number }} Schema
 * @typedef {{ $ref?: string, in: string, name: string, required?: boolean, description?: string, schema: Schema }} Parameter
 * @typedef {{ parameters: Parameter[], requestBody?: { content: Record<string, { schema: Schema }> } }} Operation
 * @typedef {{ paths: Record<string, Record<string, Operation>>, components: { schemas: Record<string, Schema> } }} Described
 */

/** @type {Promise<Described> | null} */
let fetched = null;

/** The document, fetched when the first form is opened. */
function described() {
  fetched ??= fetch(DOCUMENT, { credentials: "omit" }).then((response) => response.json());
  return fetched;
}

/**
 * A schema that stands elsewhere, and of several that one which is not null.
 * @param {Described} said
 * @param {Schema} schema
 * @returns {Schema}
 */
function resolved(said, schema) {
  if (schema.$ref) return resolved(said, said.components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {});
  const option = (schema.anyOf ?? schema.oneOf)?.find((one_) => one_.type !== "null");
  return option ? resolved(said, option) : schema;
}

/**
 * An example of what a schema takes: what is required and what has a default, or the first field where there is neither.
 * @param {Described} said
 * @param {Schema} schema
 * @param {number} [depth]
 * @returns {unknown}
 */
export function example(said, schema, depth = 0) {
  if (schema.default !== undefined) return schema.default;
  const found = resolved(said, schema);
  if (found.const !== undefined) return found.const;
  if (found.enum) return found.enum[0];
  if (found.type === "object") {
    const fields = Object.entries(found.properties ?? {});
    const shown = fields.filter(([name, field]) => found.required?.includes(name) || (field.default ?? null) !== null);
    if (!shown.length && !depth) shown.push(...fields.slice(0, 1));
    return depth > DEEPEST ? {} : Object.fromEntries(shown.map(([name, field]) => [name, example(said, field, depth + 1)]));
  }
  if (found.type === "array") {
    return Array.from({ length: found.minItems ?? 0 }, () => example(said, found.items ?? {}, depth + 1));
  }
  if (found.type === "integer" || found.type === "number") return found.minimum ?? 0;
  return found.type === "boolean" ? false : "";
}

/**
 * A labelled field.
 * @param {string} id
 * @param {string} label
 * @param {string} hint
 * @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} input
 */
function labelled(id, label, hint, input) {
  const holder = document.createElement("div");
  const name = document.createElement("label");
  holder.className = "field";
  input.id = id;
  name.htmlFor = id;
  name.textContent = label;
  holder.append(name, input);
  if (hint) {
    const said = document.createElement("p");
    said.className = "tiny faint";
    said.id = `${id}-hint`;
    said.lang = "en";
    said.textContent = hint;
    input.setAttribute("aria-describedby", said.id);
    holder.append(said);
  }
  return holder;
}

/**
 * What a parameter is filled in with.
 * @param {Described} said
 * @param {Parameter} parameter
 */
function inputOf(said, parameter) {
  const schema = resolved(said, parameter.schema);
  const values = schema.type === "boolean" ? ["true", "false"] : schema.enum;
  if (!values) {
    const input = document.createElement("input");
    input.autocomplete = "off";
    input.spellcheck = false;
    if (schema.type === "integer") input.inputMode = "numeric";
    return input;
  }
  const select = document.createElement("select");
  for (const value of parameter.required ? values : ["", ...values]) select.append(new Option(value, value));
  return select;
}

/**
 * The fields of a route, in its form.
 * @param {HTMLElement} holder
 * @param {string} id
 * @param {Described} said
 * @param {Operation} operation
 */
function fill(holder, id, said, operation) {
  for (const parameter of operation.parameters) {
    if (parameter.$ref || parameter.in === "header") continue;
    const input = inputOf(said, parameter);
    input.name = parameter.name;
    input.dataset.in = parameter.in;
    input.required = parameter.required ?? false;
    holder.append(labelled(`${id}-${parameter.name}`, parameter.name, parameter.description ?? "", input));
  }
  const body = operation.requestBody?.content["application/json"];
  if (!body) return;
  const text = document.createElement("textarea");
  text.dataset.in = "body";
  text.spellcheck = false;
  text.value = JSON.stringify(example(said, body.schema), null, 2);
  text.rows = Math.min(16, text.value.split("\n").length + 1);
  holder.append(labelled(`${id}-body`, "JSON", "", text));
}

/**
 * The request that a form describes.
 * @param {HTMLFormElement} form
 * @param {string} method
 * @param {string} path
 * @param {string} token
 */
function requestOf(form, method, path, token) {
  const query = new URLSearchParams();
  /** @type {Record<string, string>} */
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  let [address, body] = [path, /** @type {string | null} */ (null)];
  for (const input of form.querySelectorAll("input, select, textarea")) {
    if (!(input instanceof HTMLInputElement || input instanceof HTMLSelectElement || input instanceof HTMLTextAreaElement)) continue;
    if (input.dataset.in === "path") address = address.replace(`{${input.name}}`, encodeURIComponent(input.value));
    if (input.dataset.in === "query" && input.value) query.set(input.name, input.value);
    if (input.dataset.in === "body") body = input.value;
  }
  if (body !== null) headers["Content-Type"] = "application/json";
  const asked = query.size ? `${address}?${query}` : address;
  return new Request(asked, { method, headers, body, credentials: "omit", cache: "no-store" });
}

/**
 * As much of an answer as is shown, and whether that is all.
 * @param {Response} response
 */
async function beginning(response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (reader && text.length <= MOST_SHOWN) {
    const { done, value } = await reader.read();
    if (done) return { text, isWhole: true };
    text += value;
  }
  await reader?.cancel();
  return { text: text.slice(0, MOST_SHOWN), isWhole: !reader };
}

/**
 * The text of a JSON document on lines; any other text as it is.
 * @param {string} text
 */
function spread(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/**
 * Send what a form describes, and show what comes.
 * @param {HTMLFormElement} form
 * @param {string} method
 * @param {string} path
 * @param {string} token
 */
async function send(form, method, path, token) {
  const status = one(form, "[data-status]", HTMLElement);
  const shown = one(form, "pre", HTMLElement);
  const button = one(form, "button", HTMLButtonElement);
  button.setAttribute("aria-disabled", "true");
  try {
    const response = await fetch(requestOf(form, method, path, token));
    const { text, isWhole } = await beginning(response);
    status.textContent = `${response.status} ${response.statusText}`;
    shown.textContent = isWhole ? spread(text) : `${text}…`;
    shown.hidden = text === "";
  } catch (error) {
    status.textContent = String(error);
    shown.hidden = true;
  }
  button.removeAttribute("aria-disabled");
}

/**
 * Add a form at the end of a route.
 * @param {HTMLTemplateElement} template
 * @param {HTMLElement} route
 * @param {HTMLInputElement} token
 */
function add(template, route, token) {
  const { method, path } = route.dataset;
  if (!method || !path?.startsWith("/api/v1/")) return;
  const holder = one(/** @type {DocumentFragment} */ (template.content.cloneNode(true)), "details", HTMLDetailsElement);
  const form = one(holder, "form", HTMLFormElement);
  holder.lang = document.documentElement.lang;
  holder.addEventListener("toggle", async () => {
    const said = await described();
    const operation = said.paths[path]?.[method.toLowerCase()];
    if (operation) fill(one(form, "[data-fields]", HTMLElement), `try-${route.id}`, said, operation);
    one(form, "button", HTMLButtonElement).disabled = !operation;
  }, { once: true });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (one(form, "button", HTMLButtonElement).ariaDisabled !== "true") void send(form, method, path, token.value.trim());
  });
  route.append(holder);
}

function begin() {
  const template = maybe(document, "template[data-try]", HTMLTemplateElement);
  const asked = maybe(document, "template[data-try-token]", HTMLTemplateElement);
  const routes = maybe(document, ".prose div[lang='en']", HTMLElement);
  if (!template || !asked || !routes) return;
  const holder = one(/** @type {DocumentFragment} */ (asked.content.cloneNode(true)), ".field", HTMLElement);
  routes.before(holder);
  const token = one(holder, "input", HTMLInputElement);
  for (const route of all(routes, ".route", HTMLDetailsElement)) add(template, route, token);
}

/** Unfold what the address names. */
function unfold() {
  const named = document.getElementById(location.hash.slice(1));
  if (named instanceof HTMLDetailsElement) named.open = true;
}

begin();
unfold();
window.addEventListener("hashchange", unfold);
