/** Write down from which sources the app was built; tests/house/test_web_app.py says when they have changed since. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const files = readdirSync(".", { recursive: true, withFileTypes: true })
  .filter((found) => found.isFile())
  .map((found) => join(found.parentPath, found.name).replaceAll("\\", "/"))
  .filter((file) => !file.startsWith("node_modules/"))
  .sort();
const hash = createHash("sha256");
for (const file of files) hash.update(`${file}\0`).update(readFileSync(file)).update("\0");
writeFileSync("../src/openiir/web/built.json", `${JSON.stringify({ sources: hash.digest("hex") })}\n`);
