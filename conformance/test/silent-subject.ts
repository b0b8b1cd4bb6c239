/** A subject whose models say nothing at all. */
export const subject = {
  name: "silent",
  create: () => ({
    id: "silent/silent",
    profile: { provider: "silent", model: "silent", capabilities: {}, lifecycle: "unknown", source: "unknown" },
    async *stream(): AsyncGenerator<never> {},
  }),
};
