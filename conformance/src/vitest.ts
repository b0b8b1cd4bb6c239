import { describe, expect, it } from "vitest";
import { agentStreamChecks } from "./agent-stream/checks.js";
import { type AgentStreamSubject, agentStreamUnderTest } from "./agent-stream/subject.js";
import { appendStoreChecks } from "./append-store/checks.js";
import { type AppendStoreSubject, appendStoreUnderTest } from "./append-store/subject.js";
import { blobStoreChecks } from "./blob-store/checks.js";
import { type BlobStoreSubject, blobStoreUnderTest } from "./blob-store/subject.js";
import { type ChaosOptions, type ChaosSubject, runChaos } from "./chaos/run-chaos.js";
import { chatModelChecks } from "./chat-model/checks.js";
import { type ChatModelSubject, modelUnderTest } from "./chat-model/subject.js";
import type { Check, Claims } from "./check.js";
import { checkpointStoreChecks } from "./checkpoint-store/checks.js";
import { type CheckpointStoreSubject, checkpointStoreUnderTest } from "./checkpoint-store/subject.js";
import { embeddingModelChecks } from "./embedding-model/checks.js";
import { type EmbeddingModelSubject, embeddingModelUnderTest } from "./embedding-model/subject.js";
import { runCheck } from "./run-checks.js";
import { storeChecks } from "./store/checks.js";
import { type StoreSubject, storeUnderTest } from "./store/subject.js";
import { taskStoreChecks } from "./task-store/checks.js";
import { type TaskStoreSubject, taskStoreUnderTest } from "./task-store/subject.js";

export interface ConformanceOptions {
  /** The longest that one check may take, ms. Default 60,000: other suites may keep disk and processors busy meanwhile. */
  readonly timeoutMs?: number | undefined;
}

/** Long enough to take a place down after a check that was late. */
const AFTERWARDS_MS = 5_000;

/** Registers one test per check. What is not claimed is shown as skipped, with the reason. */
function register<Subject extends Claims<never>>(
  title: string,
  checks: readonly Check<Subject>[],
  create: () => Subject,
  { timeoutMs = 60_000 }: ConformanceOptions = {},
): void {
  describe(title, () => {
    for (const check of checks) {
      it(
        `${check.group}: it ${check.name}`,
        async ({ skip }) => {
          const { result, error } = await runCheck(check, create, { timeoutMs });
          if (result.status === "skipped") skip(result.message);
          if (result.status === "failed") throw error;
        },
        timeoutMs + AFTERWARDS_MS + (check.extraMs ?? 0),
      );
    }
  });
}

/** Registers one test per model check. What the adapter does not claim is shown as skipped, with the reason. */
export function chatModelConformance(subject: ChatModelSubject): void {
  register(`${subject.name} keeps the contract of a chat model`, chatModelChecks, () => modelUnderTest(subject));
}

/** Registers one test per check of an agent's streams. */
export function agentStreamConformance(subject: AgentStreamSubject): void {
  const title = `${subject.name} keeps the contract of an agent's stream`;
  register(title, agentStreamChecks, () => agentStreamUnderTest(subject));
}

/** Registers one test per check of an embedding model. */
export function embeddingModelConformance(subject: EmbeddingModelSubject): void {
  const title = `${subject.name} keeps the contract of an embedding model`;
  register(title, embeddingModelChecks, () => embeddingModelUnderTest(subject));
}

/** Registers one test per check of a store. */
export function storeConformance(subject: StoreSubject, options?: ConformanceOptions): void {
  register(`${subject.name} keeps the contract of a store`, storeChecks, () => storeUnderTest(subject), options);
}

/** Registers one test per check of blobs. */
export function blobStoreConformance(subject: BlobStoreSubject, options?: ConformanceOptions): void {
  const title = `${subject.name} keeps the contract of a store of blobs`;
  register(title, blobStoreChecks, () => blobStoreUnderTest(subject), options);
}

/** Registers one test per check of an append store. */
export function appendStoreConformance(subject: AppendStoreSubject, options?: ConformanceOptions): void {
  const title = `${subject.name} keeps the contract of an append store`;
  register(title, appendStoreChecks, () => appendStoreUnderTest(subject), options);
}

/** Registers one test per check of a checkpoint store. */
export function checkpointStoreConformance(subject: CheckpointStoreSubject): void {
  const title = `${subject.name} keeps the contract of a checkpoint store`;
  register(title, checkpointStoreChecks, () => checkpointStoreUnderTest(subject));
}

/** Registers one test per check of a task store. */
export function taskStoreConformance(subject: TaskStoreSubject, options?: ConformanceOptions): void {
  const title = `${subject.name} keeps the contract of a task store`;
  register(title, taskStoreChecks, () => taskStoreUnderTest(subject), options);
}

/** How long one kill may take on a busy machine, ms, and all that is done once. */
const KILL_MS = 3_000;
const ONCE_MS = 60_000;

/** Registers a test that kills processes of a durable backend while they write. */
export function storeChaos(subject: ChaosSubject, options: ChaosOptions = {}): void {
  const { kills = 20 } = options;
  describe(`${subject.name} survives killed processes`, () => {
    it(`loses, repeats and halves nothing in ${kills} kills`, { timeout: kills * KILL_MS + ONCE_MS }, async () => {
      expect((await runChaos(subject, options)).failure).toBeUndefined();
    });
  });
}
