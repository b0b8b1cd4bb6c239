export { openaiModel } from "./model.js";
export type { OpenAIModelOptions } from "./options.js";
