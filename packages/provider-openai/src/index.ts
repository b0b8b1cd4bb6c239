export type { OpenAIConnectionOptions } from "./connection-options.js";
export { type OpenAIEmbeddingOptions, openaiEmbeddings } from "./embeddings.js";
export { openaiModel } from "./model.js";
export type { OpenAIModelOptions } from "./options.js";
