/** Whether a time in RFC 3339 is within five seconds of another: the store keeps its own time of an end. */
export const isCloseTo =
  (time: unknown) =>
  (candidate: unknown): boolean =>
    Math.abs(Date.parse(String(candidate)) - Date.parse(String(time))) < 5_000;
