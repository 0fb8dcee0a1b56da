// Texts, rankings, diffs and saved results: one form, one result.

import { View } from "./view.js";

new View().begin();
