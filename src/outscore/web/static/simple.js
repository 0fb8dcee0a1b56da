// Texts, rankings and saved results: one form, one result.

import { View, open } from "./view.js";

open(new View());
