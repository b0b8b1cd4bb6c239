import { createHash, randomBytes } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { systemClock, systemCodeOf } from "@tinyagents/core";
import type { Files } from "./files.js";

/** Below the folder of the store. No key has a folder of this name. */
const WORK = "@work";
const OWNER = /^([0-9a-f]{12})-(\d{1,10})-[0-9a-f]{12}$/;
/** What processes that cannot be looked at from here leave is taken for left over after so long, ms. */
const SILENT_MS = 24 * 60 * 60 * 1_000;

/**
 * Where one backend writes before anybody sees it. The folder's name tells whose it is, so that what a killed process
 * leaves can be told from what another is writing.
 */
export class OwnFolder {
  readonly #files: Files;
  readonly #all: string;
  readonly #tidy: (path: string) => Promise<void>;
  #made: Promise<string> | undefined;
  #count = 0;

  /** `tidy` is told of each file of a writer that is gone, before it is taken away: a record may have it under a second name. */
  constructor(files: Files, root: string, tidy: (path: string) => Promise<void>) {
    this.#files = files;
    this.#all = join(root, WORK);
    this.#tidy = tidy;
  }

  /** A path that nothing stands at. */
  async newPath(): Promise<string> {
    this.#made ??= this.#make().catch((error: unknown) => {
      this.#made = undefined;
      throw error;
    });
    const folder = await this.#made;
    // Somebody on another machine may have taken it for left over.
    await this.#files.makeFolder(folder);
    return join(folder, String(++this.#count));
  }

  /** Takes the folder away. */
  async remove(): Promise<void> {
    const folder = await this.#made?.catch(() => undefined);
    this.#made = undefined;
    if (folder !== undefined) await this.#files.remove(folder);
  }

  async #make(): Promise<string> {
    await this.#files.makeFolder(this.#all);
    const real = await this.#files.realPath(this.#all);
    if (real !== this.#all) throw new Error(`${this.#all} leads elsewhere; links are not followed`);
    const here = await placeOfIds();
    await this.#sweep(here);
    return join(this.#all, `${here}-${process.pid}-${randomBytes(6).toString("hex")}`);
  }

  async #sweep(here: string): Promise<void> {
    for (const name of await this.#files.names(this.#all)) {
      const folder = join(this.#all, name);
      if (!(await this.#isLeftOver(name, folder, here))) continue;
      for (const file of await this.#files.names(folder)) {
        // Whatever is wrong with it is told to whoever asks for the record; writing goes on.
        await this.#tidy(join(folder, file)).catch(() => undefined);
      }
      await this.#files.remove(folder);
    }
  }

  async #isLeftOver(name: string, folder: string, here: string): Promise<boolean> {
    const [, place, pid] = OWNER.exec(name) ?? [];
    if (place === undefined) return false;
    if (place === here) return !isAlive(Number(pid));
    const facts = await this.#files.facts(folder);
    return facts !== undefined && systemClock.now() - facts.writtenAtMs > SILENT_MS;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Any other answer is about a process that is there, and is not ours.
    return systemCodeOf(error) !== "ESRCH";
  }
}

/** Where process ids mean the same: host, start of the machine, and container, as a digest. */
async function placeOfIds(): Promise<string> {
  const [boot, space] = await Promise.all([
    readFile("/proc/sys/kernel/random/boot_id", "latin1").catch(() => ""),
    readlink("/proc/self/ns/pid").catch(() => ""),
  ]);
  const text = JSON.stringify([hostname(), boot.trim(), space]);
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
