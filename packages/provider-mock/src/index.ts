export { type MockModelOptions, mockModel } from "./model.js";
export type { MockRule, PlannedCall as MockCall, Reply as MockReply } from "./reply.js";
