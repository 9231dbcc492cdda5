// The page of an analysis, and of playing on from one.

import { beginLine, Line } from "./line.js";

beginLine(Line).catch((error) => { console.error(error); }); // the page has a form with all legal actions
