/** The address of an image, also of one that a script loads when it comes into view. */

/** Where pages keep it before `src` holds it, and after. */
const attributes = ['data-src', 'data-original', 'data-lazy-src', 'data-lazy', 'src'];
const sets = ['data-srcset', 'data-lazy-srcset', 'srcset'];

/** Undefined where it has none but a placeholder. */
export function imageAddress(attribs: Readonly<Record<string, string>>): string | undefined {
  const addresses = attributes.map((name) => attribs[name]?.trim() ?? '').filter((address) => address !== '');
  const set = sets.map((name) => /^[^\s,]\S*/.exec(attribs[name]?.trim() ?? '')?.[0]?.replace(/,$/, ''));
  return [...addresses, ...set].find((address) => address !== undefined && !/^data:/i.test(address));
}
