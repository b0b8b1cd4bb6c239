import type { AppendStore, RunStatusStore, Store } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import {
  artifactIndex,
  checkpointStore,
  encryptedLog,
  encryptedStore,
  eventJournal,
  responseCache,
  runRecorder,
  runStatusSink,
  runStatusStore,
  shortTermMemory,
  taskStore,
  tenantLog,
  tenantStore,
} from "../src/index.js";

/** Options are looked at before anything is asked of a store. */
const store = { put() {} } as unknown as Store;
const log = {} as AppendStore;

const factories: { readonly [name: string]: (options: object) => unknown } = {
  artifactIndex: (options) => artifactIndex(store, options as never),
  checkpointStore: (options) => checkpointStore(log, options),
  encryptedStore: (options) => encryptedStore(store, options as never),
  responseCache: (options) => responseCache(store, options),
  shortTermMemory: (options) => shortTermMemory(store, options),
  tenantLog: (options) => tenantLog(log, "a", options),
  tenantStore: (options) => tenantStore(store, "a", options),
  eventJournal: (options) => eventJournal(log, options),
  runRecorder: (options) => runRecorder(log, options),
  runStatusSink: (options) => runStatusSink({} as RunStatusStore, options),
  runStatusStore: (options) => runStatusStore(store, options),
  taskStore: (options) => taskStore(store, options),
};

describe("options that cannot be (STO-09, OBS-02)", () => {
  it.each<[string, string, object]>([
    ["eventJournal", "secret: there is no such field", { secret: ["s3cret"] }],
    ["eventJournal", "secrets: a list of texts", { secrets: "s3cret" }],
    ["eventJournal", 'prefix: a text that is not empty and does not end with "/"', { prefix: "a/" }],
    ["eventJournal", "attempts: a whole number from 1 up", { attempts: 0 }],
    ["eventJournal", "redact: a function", { redact: "all" }],
    ["runRecorder", "prefix: a text that is not empty", { prefix: "" }],
    ["runRecorder", "leaseMs: a number of milliseconds above 0", { leaseMs: Number.NaN }],
    ["runRecorder", "ids: an IdSource", { ids: () => "id" }],
    ["runStatusSink", "intervalMs: a number of milliseconds from 0 up", { intervalMs: -1 }],
    ["runStatusSink", "heartbeatMs: a number of milliseconds from 1 up", { heartbeatMs: 0 }],
    ["runStatusSink", "clock: a Clock", { clock: Date }],
    ["runStatusStore", "prefix: a list of names that are not empty", { prefix: "runs" }],
    ["taskStore", "prefix: a list of names that are not empty", { prefix: ["a", ""] }],
    ["checkpointStore", "prefix: a text that is not empty", { prefix: "" }],
    ["checkpointStore", "clock: a Clock", { clock: Date }],
    ["encryptedStore", "currentKey: there is no such field", { keys: {}, currentKey: "a" }],
    ["encryptedStore", "keys: an object of keys", { keys: "s3cret", currentKeyId: "a" }],
    ["encryptedStore", "clock: a Clock", { keys: {}, currentKeyId: "a", clock: 1 }],
    ["responseCache", "prefix: a list of names that are not empty", { prefix: "responses" }],
    ["responseCache", "onUnreadable: a function", { onUnreadable: 1 }],
    ["shortTermMemory", "onsave: there is no such field", { onsave: () => {} }],
    ["shortTermMemory", "prefix: a list of names that are not empty", { prefix: [""] }],
    ["shortTermMemory", "onSave: a function", { onSave: 1 }],
    ["tenantLog", "prefix: a text that is not empty", { prefix: "" }],
    ["tenantStore", "prefixes: there is no such field", { prefixes: "t" }],
    ["artifactIndex", "content: a Store", {}],
    ["artifactIndex", "content: a Store", { content: {} }],
    ["artifactIndex", "namespace: a text that is not empty", { content: store, namespace: "" }],
  ])("are refused at once by %s, which names them: %s", (name, message, options) => {
    const make = () => factories[name]?.(options);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(`${name}: options.${message}`);
  });

  it("are refused of encrypted logs: what is no key ring", () => {
    expect(() => encryptedLog(log, { keys: {}, currentKey: "a" } as never)).toThrow(
      "encryptedLog: keys.currentKey: there is no",
    );
  });

  it("may be undefined, so that they can be handed on", () => {
    const none = { prefix: undefined, clock: undefined };
    const log = { capabilities: { multiProcess: false } } as AppendStore;
    expect(() => [runStatusStore(store, none), taskStore(store, none), runRecorder(log, none)]).not.toThrow();
  });
});
