export type { ChatQuirks } from "./chat/quirks.js";
export { type CompatibleOptions, openaiCompatible } from "./compatible/model.js";
export { type CompatiblePreset, compatiblePresets, type PresetName } from "./compatible/presets.js";
export type { OpenAIConnectionOptions } from "./connection-options.js";
export { type OpenAIEmbeddingOptions, openaiEmbeddings } from "./embeddings.js";
export { openaiModel } from "./model.js";
export type { OpenAIModelOptions } from "./options.js";
