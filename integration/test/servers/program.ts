import { startPostgres } from "@tinyagents/testkit/servers";

// A test process that never gets as far as stopping its server.
const server = await startPostgres();
console.log(server.available ? server.url : `none: ${server.reason}`);
setInterval(() => undefined, 1_000);
