// Neo4j's own parser and semantic analysis over the given .cypher files (default: all of cypher/), as Cypher 5 and 25.
// Knows no server and no schema: labels and relationship types are taken as they are; parameters must be declared in
// the header ("// param $name: ..."). Errors are findings (exit 1); warnings are shown.
import { readdirSync, readFileSync } from "node:fs";
import { lintCypherQuery } from "@neo4j-cypher/language-support";

const DIALECTS = ["CYPHER 5", "CYPHER 25"];
const SEVERITIES = { 1: "error", 2: "warning" };
// ArcadeDB's own DDL, which Neo4j's parser does not know.
const NOT_FOR_NEO4J = "cypher/setup/arcadedb.cypher";
const HEADER_PARAMETER = /^\/\/\s*param\s+\$(\w+)/gm;

function findings(text) {
  const declared = [...text.matchAll(HEADER_PARAMETER)].map((match) => [match[1], null]);
  const schema = { parameters: Object.fromEntries(declared) };
  return DIALECTS.flatMap((dialect) =>
    lintCypherQuery(text, { ...schema, defaultLanguage: dialect }).diagnostics.map((found) => ({ dialect, ...found })),
  );
}

// Most findings hold in both dialects: one line each, naming the dialects only where they differ.
function merged(found) {
  const groups = new Map();
  for (const { dialect, range, severity, message } of found) {
    const key = `${range.start.line + 1}:${range.start.character + 1}: ${SEVERITIES[severity]}: ${message}`;
    groups.set(key, { severity, dialects: new Set([...(groups.get(key)?.dialects ?? []), dialect]) });
  }
  return [...groups].map(([line, { severity, dialects }]) => ({
    severity,
    line: dialects.size === DIALECTS.length ? line : `${line} (${[...dialects]})`,
  }));
}

function allQueries() {
  const names = readdirSync("cypher", { recursive: true }).filter((name) => name.endsWith(".cypher"));
  return names.map((name) => `cypher/${name}`).filter((path) => path !== NOT_FOR_NEO4J).sort();
}

const given = process.argv.slice(2);
const paths = given.length ? given : allQueries();
let errors = 0;
for (const path of paths) {
  for (const { severity, line } of merged(findings(readFileSync(path, "utf8")))) {
    console.log(`${path}:${line}`);
    if (severity === 1) errors += 1;
  }
}
console.log(`${paths.length} files, ${errors} errors`);
process.exit(errors || paths.length === 0 ? 1 : 0);
