import type { ChatModelSubject } from "@tinyagents/conformance";
import { acmeModel } from "../../src/provider/acme-model.js";
import { acmeWire } from "./acme-wire.js";

const NUMBERED = "Acme's frames say which block they are of";

/** What is to be checked: `npx @tinyagents/conformance model subject.ts`. */
export const subject: ChatModelSubject = {
  name: "acme",
  create: ({ url, apiKey }) => acmeModel("acme-1", { apiKey, ...(url === undefined ? {} : { baseUrl: url }) }),
  wire: acmeWire,
  cannot: {
    usage_charged: "Acme does not say what a call costs",
    tool_calls_unindexed: NUMBERED,
    tool_calls_one_index: NUMBERED,
  },
};
