import dgram from "node:dgram";
import dns from "node:dns";
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import tls from "node:tls";

/** The network, gone. */
export interface ForbiddenNetwork {
  /** What was tried, in order: a failure that somebody swallowed is here all the same. */
  readonly attempts: readonly string[];
  restore(): void;
}

const PRIMITIVES: readonly (readonly [string, object, readonly string[]])[] = [
  ["global", globalThis, ["fetch", "XMLHttpRequest", "WebSocket", "EventSource"]],
  ["http", http, ["request", "get"]],
  ["https", https, ["request", "get"]],
  ["http2", http2, ["connect"]],
  ["net", net, ["connect", "createConnection"]],
  ["net.Socket", net.Socket.prototype, ["connect"]],
  ["tls", tls, ["connect"]],
  ["dns", dns, ["lookup", "resolve", "resolve4", "resolve6"]],
  ["dns.promises", dns.promises, ["lookup", "resolve", "resolve4", "resolve6"]],
  ["dgram", dgram, ["createSocket"]],
];

/** Makes everything throw, and note it, that could reach another machine or another process by network. */
export function forbidNetwork(): ForbiddenNetwork {
  const attempts: string[] = [];
  const undo: (() => void)[] = [];
  for (const [owner, target, names] of PRIMITIVES) {
    for (const name of names) undo.push(forbid(target, name, `${owner}.${name}`, attempts));
  }
  syncBuiltinESMExports();
  return {
    attempts,
    restore() {
      for (const put of undo.reverse()) put();
      syncBuiltinESMExports();
    },
  };
}

function forbid(target: object, name: string, label: string, attempts: string[]): () => void {
  const before = Object.getOwnPropertyDescriptor(target, name);
  // A function of its own kind of `this`: some of these are called with `new`.
  function refuse(): never {
    attempts.push(label);
    throw new Error(`${label} was called, and there is no network`);
  }
  Object.defineProperty(target, name, { value: refuse, configurable: true, writable: true });
  return () => {
    if (before === undefined) Reflect.deleteProperty(target, name);
    else Object.defineProperty(target, name, before);
  };
}
