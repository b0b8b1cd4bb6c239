/** Ends a check: prints the problems, or the one line that says what was looked at, and sets the exit code. */
export function report(problems, summary) {
  for (const problem of problems) console.error(`- ${problem}`);
  if (problems.length > 0) {
    console.error(`${problems.length} ${problems.length === 1 ? "problem" : "problems"}`);
    process.exitCode = 1;
  } else {
    console.log(summary);
  }
}

/** Whether a module is the program that node was asked to run. */
export function isMain(meta) {
  return process.argv[1] !== undefined && meta.url === new URL(`file://${process.argv[1]}`).href;
}
