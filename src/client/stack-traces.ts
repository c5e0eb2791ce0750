/** Errors that a library makes on the good path: their stack traces are a twentieth of a paid call's CPU time. */
const { stackTraceLimit } = Error;

/** Errors have no stack trace until the code that runs now has returned. */
export function skipStackTraces(): void {
  Error.stackTraceLimit = 0;
  queueMicrotask(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });
}
