import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import type { Action } from "./plan.js";
import type { WireEnd } from "./request.js";

/** One request's connection. It knows how the request ended. */
export interface Connection {
  readonly aborted: boolean;
  readonly ended: Promise<WireEnd>;
  head(status: number, headers: { readonly [name: string]: string }): void;
  /** Does these things in order, until the client is gone. */
  perform(actions: readonly Action[]): Promise<void>;
  /** Waits, and says whether the client is still there. Without a promise it waits for the client to go. */
  wait(until: PromiseLike<unknown> | undefined): Promise<boolean>;
}

/** Watches over a response until it is closed. */
export function connection(incoming: IncomingMessage, response: ServerResponse): Connection {
  let end: WireEnd | undefined;
  const gone = new Promise<"gone">((resolve) => {
    response.once("close", () => resolve("gone"));
  });
  const ended = gone.then(() => {
    end ??= "aborted";
    return end;
  });
  const wait: Connection["wait"] = async (until) => (await Promise.race(until ? [until, gone] : [gone])) !== "gone";
  const send = async (bytes: Uint8Array): Promise<void> => {
    const written = new Promise<void>((resolve) => {
      response.write(bytes, () => resolve());
    });
    await Promise.race([written, gone]);
    await setImmediate();
  };
  return {
    get aborted() {
      return end === "aborted";
    },
    ended,
    head(status, headers) {
      response.writeHead(status, headers);
      response.flushHeaders();
    },
    async perform(actions) {
      for (const [at, action] of actions.entries()) {
        if (end === "aborted") return;
        // A client may go as soon as it has read the last byte, and has missed nothing then.
        if (action.type === "end" || (action.type === "send" && actions[at + 1]?.type === "end")) end ??= "answered";
        if (action.type === "send") await send(action.bytes);
        else if (action.type === "wait") await wait(action.until);
        else if (action.type === "end") response.end();
        else {
          end ??= "cut";
          incoming.socket.destroy();
        }
      }
    },
    wait,
  };
}
