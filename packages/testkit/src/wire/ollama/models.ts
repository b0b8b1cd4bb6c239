import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";
import type { WireFailure } from "../entry.js";
import type { WireServerOptions } from "../server.js";

/** A model that an Ollama server has. */
export interface OllamaModel {
  /** With or without its tag; without one it is `latest`. */
  readonly name: string;
  /** Default: `completion`, `tools`, `thinking`, `vision`. An embedding model has `embedding`. */
  readonly capabilities?: readonly string[];
  /** What it can read at most, tokens. Default 131,072. */
  readonly contextLength?: number;
  /** What it is loaded with when a request does not say, tokens. Default: the server's. */
  readonly numCtx?: number;
  /** The family in whose name its facts are listed. Default `llama`. */
  readonly architecture?: string;
  /** How long its vectors are. Default 8. */
  readonly embeddingLength?: number;
}

/** How an Ollama server behaves besides its script. */
export interface OllamaServerOptions extends WireServerOptions {
  /** What it has; a request for another model gets 404. Default: every model that is asked for. */
  readonly models?: readonly OllamaModel[] | undefined;
  /** What a model is loaded with when neither it nor the request says, tokens. Default 4,096. */
  readonly numCtx?: number | undefined;
  /** Default `0.13.0`. */
  readonly version?: string | undefined;
}

/** A model with nothing left open. */
export type LoadedModel = Required<Omit<OllamaModel, "numCtx">> & {
  /** What it is loaded with where that is the model's own setting. */
  readonly numCtx: number | undefined;
};

/** The models of a server, by name. */
export interface Models {
  readonly all: readonly LoadedModel[];
  /** The model that a request names; nothing where the server has none of that name. */
  find(name: JsonValue | undefined): LoadedModel | undefined;
  /** How many tokens the model reads for a request at most. */
  window(body: JsonObject): number;
}

const CAPABILITIES = ["completion", "tools", "thinking", "vision"];

/** @throws TypeError for two models of one name. */
export function modelsOf({ models, numCtx = 4_096 }: OllamaServerOptions): Models {
  const all = (models ?? []).map(loaded);
  const byName = new Map(all.map((model) => [model.name, model]));
  if (byName.size !== all.length) throw new TypeError("ollamaWireServer: two models have the same name");
  const find: Models["find"] = (name) => {
    if (typeof name !== "string" || name === "") return undefined;
    return models === undefined ? loaded({ name }) : byName.get(tagged(name));
  };
  return {
    all,
    find,
    window({ model: name, options }) {
      const model = find(name);
      const asked = isJsonObject(options) && typeof options.num_ctx === "number" ? options.num_ctx : undefined;
      return Math.min(asked ?? model?.numCtx ?? numCtx, model?.contextLength ?? Number.POSITIVE_INFINITY);
    },
  };
}

/** What Ollama says when it has no such model. */
export function notFound(name: JsonValue | undefined): WireFailure {
  return { status: 404, message: `model '${String(name)}' not found` };
}

function loaded(model: OllamaModel): LoadedModel {
  return {
    name: tagged(model.name),
    capabilities: model.capabilities ?? CAPABILITIES,
    contextLength: model.contextLength ?? 131_072,
    numCtx: model.numCtx,
    architecture: model.architecture ?? "llama",
    embeddingLength: model.embeddingLength ?? 8,
  };
}

function tagged(name: string): string {
  return name.includes(":") ? name : `${name}:latest`;
}
