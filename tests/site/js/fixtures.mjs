// What tests/site/test_javascript.py has written for these tests, from the Python that the site runs.

import { readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.env.ARENA_FIXTURES;
if (!folder) throw new Error("run these tests with:  .venv/bin/python -m pytest tests/site/test_javascript.py");

/**
 * A fixture by its name.
 * @param {string} name
 * @returns {any}
 */
export const fixture = (name) => JSON.parse(readFileSync(join(String(folder), `${name}.json`), "utf8"));
