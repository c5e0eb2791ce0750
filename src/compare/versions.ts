/** Versions and numbers of sections: `1.10` comes after `1.9`, and as a number it is 1.1. */

/**
 * Whether decimals lose a zero at their end that others of them do not have: `1.10` beside `1.2`. Measures and prices are
 * written with as many decimals throughout.
 */
export function loseZeros(texts: readonly string[]): boolean {
  const decimals = texts.flatMap((text) => {
    const [, whole, fraction] = /^(\d{1,4})\.(\d{1,4})$/.exec(text.trim()) ?? [];
    return whole === undefined || fraction === undefined ? [] : [{ whole, fraction }];
  });
  const shortest = new Map<string, number>();
  for (const { whole, fraction } of decimals)
    shortest.set(whole, Math.min(fraction.length, shortest.get(whole) ?? fraction.length));
  return decimals.some(
    ({ whole, fraction }) => /[1-9]0$/.test(fraction) && fraction.length > (shortest.get(whole) ?? 0),
  );
}
