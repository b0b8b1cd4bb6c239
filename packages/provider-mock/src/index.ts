export { type MockModelOptions, mockModel } from "./model.js";
export type { MockCall, MockReply, MockRule } from "./reply.js";
