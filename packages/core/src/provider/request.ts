import { TinyAgentsError } from "../errors.js";
import { isJsonObject, type JsonObject } from "../json.js";
import type { ModelWarning } from "../model/delta.js";
import type { ModelRequest } from "../model/request.js";

/**
 * For adapters: the settings of a request that are for one provider alone.
 * @throws `invalid_request` for what is no object.
 */
export function ownOptions(
  { providerOptions }: { readonly providerOptions?: ModelRequest["providerOptions"] | undefined },
  provider: string,
): JsonObject {
  if (providerOptions === undefined || !Object.hasOwn(providerOptions, provider)) return {};
  const own: unknown = providerOptions[provider];
  if (own === undefined) return {};
  if (isJsonObject(own)) return own;
  throw new TinyAgentsError("invalid_request", `providerOptions.${provider}: an object is expected.`, {
    details: { reason: "provider_options" },
  });
}

/**
 * For adapters: refuses a request before it is sent when nothing of its messages is left to send.
 * @throws `invalid_request`.
 */
export function refuseEmpty(messages: readonly unknown[]): void {
  if (messages.length > 0) return;
  throw new TinyAgentsError("invalid_request", "The request has no message with content.", {
    details: { reason: "no_messages" },
  });
}

/** Settings of a request, with those that were not made. */
type Settings = { readonly [K in keyof ModelRequest]?: ModelRequest[K] | undefined };

/** For adapters: the warnings of settings that a model does not take, by their names in the request. Of those that were made. */
export function notSent(model: string, settings: Settings): readonly ModelWarning[] {
  const made = Object.entries(settings).filter(([, value]) => value !== undefined);
  return made.map(([setting]) => ({
    code: "unsupported_setting",
    setting,
    message: `${model} does not take ${setting}; it was not sent.`,
  }));
}
