/** The program was called in a way that cannot work. Its message is one line, and says what to do. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
