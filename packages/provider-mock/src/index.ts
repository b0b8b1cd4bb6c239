export { type MockModelOptions, mockModel } from "./model.js";
