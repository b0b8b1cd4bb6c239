// Fails when a server that stores are tested against is not to be had: at a desk those tests are skipped, in CI they are not.
import { startMongodb, startPostgres } from "../packages/testkit/dist/servers/index.js";
import { hasGo } from "./lib/has-go.mjs";
import { report } from "./lib/report.mjs";

const SERVERS = [
  { name: "PostgreSQL", start: startPostgres, isExpected: () => true },
  // Where there is no Go, nothing builds the server, and no registry has it.
  { name: "MongoDB", start: startMongodb, isExpected: hasGo },
];

const problems = [];
const found = [];
for (const { name, start, isExpected } of SERVERS) {
  const server = await start();
  if (server.available) {
    found.push(name);
    await server.stop();
  } else if (isExpected()) problems.push(`${name}: ${server.reason}`);
  else console.log(`not verified: ${name}: ${server.reason}`);
}
report(problems, `servers: ${found.join(", ")} can be had`);
