import { meeting, type Scenario, scenarios, type Wire } from "@tinyagents/conformance";
import type { JsonObject } from "@tinyagents/core";
import { seededRandom } from "@tinyagents/testkit";
import { framesOf } from "./acme-frames.js";
import { acmeServer, refuse, type Turn } from "./acme-server.js";

/** Plays scenarios as Acme would, on a real socket. */
export const acmeWire: Wire = {
  start(name) {
    const scenario: Scenario = scenarios[name];
    const meet = meeting(scenario.together ?? 1);
    return acmeServer(async (turn) => {
      await meet(undefined);
      await play(scenario, turn);
    });
  },
};

async function play(scenario: Scenario, turn: Turn): Promise<void> {
  const { answer, failure, manner, retryAfterMs } = scenario;
  if (manner === "silence") return;
  if (failure !== undefined && failure !== "error_in_stream") return refuse(turn, failure, retryAfterMs);
  const said = manner === "echo" ? { text: lastText(turn.body), finishReason: "stop" as const } : answer;
  const frames = said === undefined ? [] : framesOf(said, manner);
  const failing = failure === undefined ? frames : [...frames.slice(0, said?.text === undefined ? 0 : 1), ERROR];
  await sendStream(failing, scenario, turn);
}

const ERROR: JsonObject = { error: { code: "broken", message: "Something broke." } };

async function sendStream(
  frames: readonly JsonObject[],
  { manner }: Scenario,
  { number, response }: Turn,
): Promise<void> {
  const short = manner === "stall" || manner === "cut" || manner === "early_end";
  const comment = manner === "noise" ? ": nothing to see\n\n" : "";
  const lines = (short ? frames.slice(0, 1) : frames).map((frame) => `${comment}data: ${JSON.stringify(frame)}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const chunk of chunksOf(Buffer.from(lines.join("")), manner, number)) {
    await new Promise((resolve) => response.write(chunk, resolve));
  }
  if (manner === "cut") response.destroy();
  else if (manner !== "stall") response.end();
}

function* chunksOf(bytes: Buffer, manner: Scenario["manner"], seed: number): Generator<Buffer> {
  const random = seededRandom(seed);
  const whole = manner !== "bytes" && manner !== "random";
  for (let start = 0; start < bytes.length; ) {
    const length = whole ? bytes.length : manner === "bytes" ? 1 : 1 + Math.floor(random() * 8);
    yield bytes.subarray(start, start + length);
    start += length;
  }
}

function lastText({ messages }: JsonObject): string {
  const last = Array.isArray(messages) ? (messages.at(-1) as JsonObject) : {};
  return String(last.text ?? "");
}
