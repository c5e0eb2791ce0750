/** Aborted by the first ctrl-C, or a `kill`: what ran so far is summed up. The second one ends the program at once. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      process.stderr.write('Stopping: the summary follows\n');
      controller.abort();
    });
  }
  return controller.signal;
}
