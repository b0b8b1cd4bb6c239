import { messageOf } from "@tinyagents/core";
import { checkCalls } from "../answer.js";
import type { ScriptedEndpoint } from "./dialect.js";
import type { WireAnswer, WireEntries, WireFailure, WireReply } from "./entry.js";
import type { WireRequest } from "./request.js";

/** A script as it is played. */
export interface WireScript {
  readonly remaining: number;
  /** The reply to a request. What went wrong in finding one is a refusal, and kept as a problem. */
  next(request: WireRequest, endpoint: ScriptedEndpoint): Promise<WireAnswer | WireFailure>;
  /** Keeps a problem. */
  fail(problem: string): void;
  /** What went wrong, and what is left. */
  problems(): readonly string[];
}

/**
 * Plays a list of entries, or asks a function each time.
 * @throws TypeError for an entry that contradicts itself.
 */
export function wireScript(script: WireEntries): WireScript {
  const entries = typeof script === "function" ? undefined : script.slice();
  for (const [at, entry] of entries?.entries() ?? []) {
    if (typeof entry !== "function") toReply(entry, `script entry ${at + 1} of ${script.length}`);
  }
  const failures: string[] = [];
  let used = 0;
  const remaining = (): number => (entries === undefined ? 0 : entries.length - used);
  const refuse = (request: WireRequest, code: string, problem: string): WireFailure => {
    failures.push(`request ${request.number}: ${problem}`);
    return { status: 400, code, message: problem };
  };
  return {
    get remaining() {
      return remaining();
    },
    async next(request, endpoint) {
      const entry = typeof script === "function" ? script : entries?.[used];
      if (entry === undefined) {
        return refuse(request, "script_ended", `The script has ${used} entries, and all were used before.`);
      }
      used++;
      try {
        const decided = typeof entry === "function" ? await entry(request) : entry;
        const found = toReply(decided, `the entry for request ${request.number}`);
        checkDelivery(found, request, endpoint);
        found.expect?.(request);
        return found;
      } catch (error) {
        return refuse(request, "unexpected_request", `The request is not as expected: ${messageOf(error)}`);
      }
    },
    fail: (problem) => void failures.push(problem),
    problems() {
      const left = remaining();
      return left === 0 ? failures : [...failures, `${left} of ${entries?.length} entries were not used`];
    },
  };
}

function toReply(reply: WireReply, place: string): WireAnswer | WireFailure {
  if (typeof reply === "string") return { text: reply };
  if ("status" in reply) return reply;
  checkCalls(reply.toolCalls ?? [], place);
  const types = (reply.faults ?? []).map(({ type }) => type);
  const twice = types.find((type, at) => types.indexOf(type) !== at);
  if (twice !== undefined) throw new TypeError(`${place}: an answer has each fault once, and "${twice}" stands twice`);
  return reply;
}

function checkDelivery(reply: WireAnswer | WireFailure, { path, body }: WireRequest, endpoint: ScriptedEndpoint): void {
  if ("status" in reply) return;
  const said = [...Object.keys(reply), ...(reply.faults ?? []).map(({ type }) => type)];
  const lacking = said.find((name) => (endpoint.lacks as readonly string[]).includes(name));
  if (lacking !== undefined) throw new TypeError(`the entry has "${lacking}", and answers at ${path} have none`);
  const streams = endpoint.streams(body);
  if (reply.frames !== undefined && !streams)
    throw new TypeError("the entry has frames, and the request does not stream");
  if (reply.whole !== undefined && streams) throw new TypeError("the entry has a whole body, and the request streams");
}
