import { type Capability, type ChatModel, isModel, type JsonValue, support } from "@tinyagents/core";
import { assert } from "../assert.js";
import type { Claims } from "../check.js";
import { type ScenarioName, scenarios } from "./scenarios.js";

/**
 * The key that models under test are given. Checks look for it where it must not be. It has no shape that keys are known
 * by: only who knows the key itself can take it out of a text.
 */
export const secretKey = "conformance.0123456789.abcdef";

/** A request as a wire server got it. */
export interface RecordedRequest {
  /** The parsed body. */
  readonly body: JsonValue;
  /** Resolves when the connection is done with: `aborted` when the client closed it before the end. */
  readonly ended: Promise<string>;
}

/** A server that plays one scenario, for every request it gets. */
export interface WireServer {
  /** Where it listens, as far as the model wants to be told. */
  readonly url: string;
  close(): Promise<void>;
  /** What came so far. A wire without this cannot show what a model sends. */
  requests?(): readonly RecordedRequest[];
}

/** Serves scenarios in the provider's own format. */
export interface Wire {
  start(scenario: ScenarioName): Promise<WireServer>;
}

/** What the model of one check is made with. */
export interface ModelSetting {
  readonly scenario: ScenarioName;
  /** Of the wire server; a subject without a wire is given none, and plays the scenario itself. */
  readonly url: string | undefined;
  readonly apiKey: string;
}

/** What an adapter's author says of the adapter, to have it checked. */
export interface ChatModelSubject {
  readonly name: string;
  /** A model whose profile claims what the adapter can do. Called once for each check, and again to read the profile. */
  create(setting: ModelSetting): ChatModel | Promise<ChatModel>;
  readonly wire?: Wire | undefined;
  /** Scenarios that cannot arise with this adapter, and why. Their checks are reported as skipped. */
  readonly cannot?: { readonly [S in ScenarioName]?: string } | undefined;
}

/** A model with a scenario on. */
export interface Situation {
  readonly model: ChatModel;
  /** What the server got; nothing where nobody records. */
  requests(): readonly RecordedRequest[];
}

/** The need of checks that read what was sent. */
export const RECORDED_REQUESTS = "recorded_requests";

/** What model checks may need: that the profile affirms something, that a scenario can arise, that requests are recorded. */
export type ModelNeed = Capability | ScenarioName | typeof RECORDED_REQUESTS;

/** A subject as checks use it. */
export interface ModelUnderTest extends Claims<ModelNeed> {
  /** Puts a fresh model into a situation, and takes the situation down afterwards. */
  within<T>(scenario: ScenarioName, use: (situation: Situation) => Promise<T>): Promise<T>;
}

export function modelUnderTest(subject: ChatModelSubject): ModelUnderTest {
  const { wire, cannot = {} } = subject;
  const create = async (setting: ModelSetting): Promise<ChatModel> => {
    const model: unknown = await subject.create(setting);
    assert(
      isModel(model),
      `the subject's create gave ${kindOf(model)}: a model with an id, a profile and a stream is expected`,
    );
    return model;
  };
  return {
    async lacks(need) {
      if (isScenario(need)) return cannot[need];
      if (need === RECORDED_REQUESTS) {
        return (await records(wire)) ? undefined : "this subject has no wire that records requests";
      }
      const { profile } = await create({ scenario: "text", url: UNUSED_URL, apiKey: secretKey });
      const claim = support(profile, need);
      return claim === "yes" ? undefined : `the profile does not claim ${need}: it says ${claim}`;
    },
    async within(scenario, use) {
      const server = await wire?.start(scenario);
      try {
        const model = await create({ scenario, url: server?.url, apiKey: secretKey });
        return await use({ model, requests: () => server?.requests?.() ?? [] });
      } finally {
        await server?.close();
      }
    },
  };
}

/** What something is, for whoever expected something else. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return typeof value === "object" ? "an object that is none" : `a ${typeof value}`;
}

function isScenario(need: ModelNeed): need is ScenarioName {
  return Object.hasOwn(scenarios, need);
}

/** Nothing is sent there: only a profile is read. */
const UNUSED_URL = "http://127.0.0.1:9";

async function records(wire: Wire | undefined): Promise<boolean> {
  const server = await wire?.start("text");
  await server?.close();
  return server?.requests !== undefined;
}
