import type { EmbeddingModel } from "@tinyagents/core";
import { assert } from "../assert.js";
import { kindOf, RECORDED_REQUESTS, type RecordedRequest, secretKey, type WireServer } from "../chat-model/subject.js";
import type { Claims } from "../check.js";
import { type EmbeddingScenarioName, embeddingScenarios } from "./scenarios.js";

/** What the model of one check is made with. */
export interface EmbeddingSetting {
  readonly scenario: EmbeddingScenarioName;
  /** Of the wire server; a subject without a wire is given none, and plays the scenario itself. */
  readonly url: string | undefined;
  readonly apiKey: string;
  /** What the profile is to say. */
  readonly profile: { readonly maxBatch: number };
}

/** What an adapter's author says of the adapter, to have it checked. */
export interface EmbeddingModelSubject {
  readonly name: string;
  create(setting: EmbeddingSetting): EmbeddingModel | Promise<EmbeddingModel>;
  /** Serves scenarios in the provider's own format. */
  readonly wire?: { start(scenario: EmbeddingScenarioName): Promise<WireServer> } | undefined;
  /** What cannot arise with this adapter, and why. `dimensions`: its models cannot shorten their vectors. */
  readonly cannot?: { readonly [S in EmbeddingScenarioName | "dimensions"]?: string } | undefined;
}

/** A model with a scenario on. */
export interface EmbeddingSituation {
  readonly model: EmbeddingModel;
  /** What the server got; nothing where nobody records. */
  requests(): readonly RecordedRequest[];
}

/** What embedding checks may need. */
export type EmbeddingNeed = EmbeddingScenarioName | "dimensions" | typeof RECORDED_REQUESTS;

/** A subject as checks use it. */
export interface EmbeddingModelUnderTest extends Claims<EmbeddingNeed> {
  /** Puts a fresh model into a situation, and takes the situation down afterwards. */
  within<T>(scenario: EmbeddingScenarioName, use: (situation: EmbeddingSituation) => Promise<T>): Promise<T>;
}

/** How many texts go into one request, so that few make several. */
export const BATCH = 2;

export function embeddingModelUnderTest(subject: EmbeddingModelSubject): EmbeddingModelUnderTest {
  const { wire, cannot = {} } = subject;
  return {
    async lacks(need) {
      if (need !== RECORDED_REQUESTS) return cannot[need];
      const server = await wire?.start("vectors");
      await server?.close();
      return server?.requests === undefined ? "this subject has no wire that records requests" : undefined;
    },
    async within(scenario, use) {
      if (!Object.hasOwn(embeddingScenarios, scenario)) throw new TypeError(`no scenario ${scenario}`);
      const server = await wire?.start(scenario);
      try {
        const profile = { maxBatch: BATCH };
        const model: unknown = await subject.create({ scenario, url: server?.url, apiKey: secretKey, profile });
        assert(
          isEmbeddingModel(model),
          `the subject's create gave ${kindOf(model)}: a model with embedDocuments and embedQuery is expected`,
        );
        return await use({ model, requests: () => server?.requests?.() ?? [] });
      } finally {
        await server?.close();
      }
    },
  };
}

function isEmbeddingModel(value: unknown): value is EmbeddingModel {
  const model = value as Partial<EmbeddingModel> | undefined | null;
  return typeof model?.embedDocuments === "function" && typeof model.embedQuery === "function";
}
