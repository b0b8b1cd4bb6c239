// Runs the batch agent in a folder: from the start, or `resume`. Calls named after that never end.
import { batchAgent } from "./batch-agent.js";

const [folder = ".", how, ...stuck] = process.argv.slice(2);
const agent = batchAgent(folder, stuck);
const run = await (how === "resume" ? agent.resume("run-1") : agent.invoke("Do all five.", { runId: "run-1" }));
process.stdout.write(JSON.stringify({ text: run.text, messages: run.messages }));
