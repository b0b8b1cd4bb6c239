import type { JsonObject } from "@tinyagents/core";
import type { FixedEndpoint } from "../dialect.js";
import { CREATED } from "./chat-frames.js";

/** `GET /v1/models`. */
export function modelsEndpoint(models: readonly string[]): FixedEndpoint {
  return { type: "fixed", method: "GET", answer: () => ({ body: { object: "list", data: models.map(modelOf) } }) };
}

/** `GET /v1/models/{model}`. */
export function modelEndpoint(name: string, models: readonly string[]): FixedEndpoint {
  return {
    type: "fixed",
    method: "GET",
    answer: () =>
      models.includes(name)
        ? { body: modelOf(name) }
        : { status: 404, param: "model", message: `The model '${name}' does not exist` },
  };
}

function modelOf(id: string): JsonObject {
  return { id, object: "model", created: CREATED, owned_by: "system" };
}
