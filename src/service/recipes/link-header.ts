/** The `Link` header (RFC 8288), read as tolerantly as sites write it. */

const entry = /<([^<>]*)>((?:\s*;\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^;,"'])*)*)/g;
const parameter = /;\s*([^\s;=,]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s;,]*))/g;

/** The target of the first link whose `rel` has the relation among its tokens; `header` holds all values, joined by commas. */
export function findLink(header: string, relation: string): string | undefined {
  for (const [, target = '', written = ''] of header.matchAll(entry)) {
    const parameters = new Map<string, string>();
    for (const [, name = '', ...values] of written.matchAll(parameter)) {
      const key = name.toLowerCase();
      // Of several equal ones, the first counts (RFC 8288, 3.3).
      if (!parameters.has(key)) parameters.set(key, values.find((value) => value !== undefined) ?? '');
    }
    // With an anchor, it is a link of something else than this page.
    const tokens = parameters.get('rel')?.toLowerCase().split(/\s+/) ?? [];
    if (!parameters.has('anchor') && tokens.includes(relation)) return target.trim();
  }
  return undefined;
}
