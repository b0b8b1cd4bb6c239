export { type OllamaDiscoveryOptions, ollamaProfile } from "./discovery.js";
export { type OllamaEmbeddingOptions, ollamaEmbeddings } from "./embeddings.js";
export { ollamaModel } from "./model.js";
export { type OllamaModelEntry, ollamaModels } from "./models.js";
export type { OllamaModelOptions, OllamaOptions } from "./options.js";
export type { OllamaProfile } from "./profile.js";
