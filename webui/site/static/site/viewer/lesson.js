// The beginner's page: from step to step through one game.

import { one } from "../dom.js";
import { walkThrough } from "./walk.js";

walkThrough(one(document, "[data-lesson]", HTMLElement)).catch((error) => { console.error(error); }); // the links still load each step
