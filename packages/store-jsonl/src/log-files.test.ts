import { describe, expect, it } from "vitest";
import { newFolder } from "../test/support/folder.js";
import { nodeFiles } from "./files.js";
import { type LogFile, logAppend } from "./log-file.js";
import { LogFiles } from "./log-files.js";

function logsThat(isInUse: (log: LogFile) => boolean): LogFiles {
  return new LogFiles({ files: nodeFiles, folder: "none", sync: false, isInUse, onWritten: () => {} });
}

/** Asks for the logs of so many streams, one after another. */
function useMany(logs: LogFiles, count: number, name = "other"): void {
  for (let i = 0; i < count; i++) logs.of(`${name}${i}`);
}

describe("LogFiles (STO-06)", () => {
  it("remembers the 1,000 streams that were used last", () => {
    const logs = logsThat(() => false);
    const [kept, forgotten] = [logs.of("kept"), logs.of("forgotten")];
    useMany(logs, 600, "some");
    expect(logs.of("kept")).toBe(kept);
    useMany(logs, 500);
    expect(logs.of("kept")).toBe(kept);
    expect(logs.of("forgotten")).not.toBe(forgotten);
  });

  it("has one log of a stream for as long as it is written to", () => {
    const written = new Set<LogFile>();
    const logs = logsThat((log) => written.has(log));
    const log = logs.of("written");
    written.add(log);
    useMany(logs, 5_000);
    expect(logs.of("written")).toBe(log);
  });

  it("has one log of a stream for as long as it is read", async () => {
    const logs = logsThat(() => false);
    await logs.read("s", async (log) => {
      useMany(logs, 5_000);
      expect(logs.of("s")).toBe(log);
    });
    const log = logs.of("s");
    useMany(logs, 5_000);
    expect(logs.of("s")).not.toBe(log);
  });

  it("forgets those that were too many to forget at once, when they are written to no more", () => {
    let areWritten = true;
    const logs = logsThat(() => areWritten);
    useMany(logs, 2_999, "written");
    const last = logs.of("last");
    areWritten = false;
    useMany(logs, 1_500);
    expect(logs.of("last")).not.toBe(last);
  });

  it("tells once of all that was written to a stream together, and not of what changed nothing", async () => {
    const told: string[] = [];
    const folder = await newFolder();
    const onWritten = (stream: string): void => void told.push(stream);
    const logs = new LogFiles({ files: nodeFiles, folder, sync: false, isInUse: () => false, onWritten });
    const append = (value: string, expectedOffset?: number) =>
      logAppend({ stream: "s", values: [value], ...(expectedOffset === undefined ? {} : { expectedOffset }) });
    const log = logs.of("s");
    expect(await log.commit([append("a"), append("b")])).toEqual([{ value: 0 }, { value: 1 }]);
    expect(told).toEqual(["s"]);
    await log.commit([append("refused", 7)]);
    expect(told).toEqual(["s"]);
    await log.letGo();
  });
});
