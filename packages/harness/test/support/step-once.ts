// Reads a run's state, moves it by one step, and writes it out with the ids of the tool calls that ran.
import { readFileSync } from "node:fs";
import { readAgentState } from "@tinyagents/core";
import { twoToolAgent } from "./two-tools.js";

const ran: string[] = [];
const state = await twoToolAgent(ran).step(readAgentState(readFileSync(0, "utf8")));
process.stdout.write(JSON.stringify({ state, ran }));
