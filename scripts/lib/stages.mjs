/**
 * Runs every stage, also after one failed, and prints one line per stage and the count at the end.
 * @param {{ name: string, run: () => Promise<number> | number }[]} stages `run` gives an exit code.
 * @returns {Promise<number>} the exit code for the whole.
 */
export async function runStages(stages) {
  const results = [];
  for (const { name, run } of stages) {
    console.log(`\n--- ${name}`);
    const startedAtMs = performance.now();
    const code = await exitCode(run);
    results.push({ name, passed: code === 0, seconds: (performance.now() - startedAtMs) / 1_000 });
  }
  console.log("");
  for (const { name, passed, seconds } of results) {
    console.log(`${passed ? "passed" : "FAILED"}  ${seconds.toFixed(1).padStart(6)} s  ${name}`);
  }
  const failed = results.filter((result) => !result.passed).length;
  console.log(`${results.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

async function exitCode(run) {
  try {
    return await run();
  } catch (error) {
    console.error(error);
    return 1;
  }
}
