import type { CheckResult, Report } from "./check.js";

const MARKS: { readonly [S in CheckResult["status"]]: string } = { passed: "ok  ", failed: "FAIL", skipped: "skip" };

/** A report for people: a line per check under its topic, and the sums. */
export function formatReport(report: Report): string {
  const lines = [`${report.subject}`];
  let group: string | undefined;
  for (const { status, name, message, ...result } of report.results) {
    if (result.group !== group) lines.push("", `  ${result.group}`);
    group = result.group;
    lines.push(`  ${MARKS[status]}  ${name}`);
    if (message !== undefined) lines.push(...message.split("\n").map((line) => `          ${line}`));
  }
  lines.push("", `${report.passed} passed, ${report.failed} failed, ${report.skipped} skipped`);
  return lines.join("\n");
}
