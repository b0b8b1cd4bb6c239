export { type CountTokensOptions, countTokens } from "./count-tokens.js";
export { anthropicModel } from "./model.js";
export type { AnthropicModelOptions, CacheMode } from "./options.js";
