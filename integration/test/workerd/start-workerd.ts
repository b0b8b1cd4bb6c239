import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";

const require = createRequire(import.meta.url);
/** The program that the package brings. It has no types. */
const { default: workerd } = require("workerd") as { readonly default: string };

/** A worker behind a port of loopback. */
export interface Workerd {
  readonly url: string;
  stop(): Promise<void>;
}

/** The worker reaches nothing: its network allows no address. */
const CONFIG = `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = [])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2025-06-01",
);
`;

/** Starts workerd with one worker, given as a module. */
export async function startWorkerd(code: string): Promise<Workerd> {
  const folder = await mkdtemp(join(tmpdir(), "tinyagents-workerd-"));
  await Promise.all([writeFile(join(folder, "worker.js"), code), writeFile(join(folder, "config.capnp"), CONFIG)]);
  const child = spawn(workerd, ["serve", "--control-fd=3", "config.capnp"], {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  const ended = once(child, "exit");
  const port = await Promise.race([listening(child), ended.then(refuse, refuse)]);
  return {
    url: `http://127.0.0.1:${port}/`,
    async stop() {
      child.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The port, which workerd tells on its control channel, one JSON object per line. */
async function listening(child: ChildProcess): Promise<number> {
  let said = "";
  for await (const piece of child.stdio[3] as Readable) {
    said += String(piece);
    const line = said.split("\n").find((one) => one.includes('"listen"'));
    if (line !== undefined) return (JSON.parse(line) as { readonly port: number }).port;
  }
  throw new Error(`workerd listens on no port: ${said}`);
}

function refuse(reason: unknown): never {
  throw new Error("workerd did not start", { cause: reason });
}
