import type { FileHandle } from "node:fs/promises";
import type { JsonValue } from "@tinyagents/core";

interface Caller {
  readonly text: string;
  readonly resolve: (offset: number) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The limit: a log of one file written by hand, with what no writer can leave out. It turns values into JSON, numbers them,
 * lets those that come meanwhile share one write and one sync, and tells each caller its offset, or that it failed.
 * It leaves out what makes a log safe: no copy and no check of values, no checksum (a text as long stands for it), no
 * idempotency, no other process, nothing taken back that failed half way, no reader.
 */
export class LogByHand {
  readonly #file: FileHandle;
  #waiting: Caller[] = [];
  #isRunning = false;
  #offset = 0;
  #position = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  append(value: JsonValue): Promise<number> {
    const text = JSON.stringify(value);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Those that come in the same turn are written together.
    for (await null; this.#waiting.length > 0; await null) {
      const callers = this.#waiting;
      this.#waiting = [];
      try {
        const first = await this.#write(callers);
        for (let i = 0; i < callers.length; i++) callers[i]?.resolve(first + i);
      } catch (error) {
        for (const { reject } of callers) reject(error);
      }
    }
    this.#isRunning = false;
  }

  /** Gives the offset of the first. */
  async #write(callers: readonly Caller[]): Promise<number> {
    const first = this.#offset;
    let lines = "";
    for (const { text } of callers) lines += `{"offset":${this.#offset++},"value":${text},"crc":"00000000"}\n`;
    const bytes = Buffer.from(lines);
    await this.#file.write(bytes, 0, bytes.byteLength, this.#position);
    await this.#file.datasync();
    this.#position += bytes.byteLength;
    return first;
  }
}
