import { EventEmitter } from "node:events";
import { systemClock } from "@tinyagents/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { type ListeningConnection, logListener } from "./listener.js";

/** A server that can be away, and what is connected to it. */
class Server {
  isThere = true;
  readonly connected = new Set<EventEmitter>();

  async open(): Promise<ListeningConnection> {
    if (!this.isThere) throw new Error("no server");
    const connection = Object.assign(new EventEmitter(), { query: async () => ({ rows: [] }) });
    this.connected.add(connection);
    return { connection, close: () => void this.connected.delete(connection) };
  }

  goAway(): void {
    this.isThere = false;
    for (const connection of this.connected) connection.emit("end");
  }

  tell(payload: string): void {
    for (const connection of this.connected) connection.emit("notification", { payload });
  }
}

describe("listening while the server is away (STO-10)", () => {
  it("goes on once it is back, though somebody who wanted to watch meanwhile was refused", async () => {
    const server = new Server();
    const heard: string[] = [];
    const listener = logListener("channel", () => server.open());
    onTestFinished(() => listener.close());
    await listener.watch("first", () => heard.push("first"), undefined);

    server.goAway();
    await systemClock.sleep(1);
    await expect(listener.watch("second", () => undefined, undefined)).rejects.toThrow("no server");
    server.isThere = true;
    await expect.poll(() => heard).toEqual(["first"]);

    server.tell("first");
    expect(heard).toEqual(["first", "first"]);
    await listener.watch("third", () => heard.push("third"), undefined);
    server.tell("third");
    expect(heard).toEqual(["first", "first", "third"]);
    expect(server.connected.size).toBe(1);
  });
});
