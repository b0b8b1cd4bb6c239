// Fails when a server that stores are tested against is not to be had: at a desk those tests are skipped, in CI they are not.
import { startPostgres } from "../packages/testkit/dist/servers/index.js";
import { report } from "./lib/report.mjs";

const SERVERS = { PostgreSQL: startPostgres };

const problems = [];
for (const [name, start] of Object.entries(SERVERS)) {
  const server = await start();
  if (server.available) await server.stop();
  else problems.push(`${name}: ${server.reason}`);
}
report(problems, `servers: ${Object.keys(SERVERS).join(", ")} can be had`);
