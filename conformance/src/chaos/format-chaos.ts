import type { ChaosReport } from "./run-chaos.js";

/** What came of killing processes, for people. */
export function formatChaos({ subject, seed, failure, ...sums }: ChaosReport): string {
  const { kept, gone } = sums.unacknowledged;
  return [
    `${subject}, seed ${seed}`,
    "",
    `  ${sums.kills} processes killed, ${sums.killedOpening} of them while they opened the place`,
    `  ${sums.acknowledged} writes acknowledged; of those under way ${kept} were found done and ${gone} not done`,
    failure === undefined ? "  ok    nothing was lost, repeated or halved" : `  FAIL  ${failure}`,
  ].join("\n");
}
