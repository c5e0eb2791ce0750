/**
 * The websites that nothing is built for: `blocked-websites.txt` in the data folder, one domain a line, with all its
 * subdomains; `#` starts a comment. It is read at each request, so that an edit counts at once.
 */
import type { Logger } from 'pino';
import { readIfPresent } from '../../store/secret-file.ts';

export const blockListFile = 'blocked-websites.txt';

interface BlockList {
  readonly domains: ReadonlySet<string>;
  /** Numbers of the lines that are no domain, from 1. */
  readonly unreadable: readonly number[];
}

/** Empty where there is no file; rejects where there is one that cannot be read. */
export async function blockedDomains(path: string, logger: Logger): Promise<ReadonlySet<string>> {
  const text = await readIfPresent(path);
  if (text === undefined) return new Set();
  const { domains, unreadable } = parseBlockList(text);
  if (unreadable.length > 0) {
    logger.warn({ file: path, lines: unreadable }, 'Lines of the block list are not domains and are ignored');
  }
  return domains;
}

export function parseBlockList(text: string): BlockList {
  const domains = new Set<string>();
  const unreadable: number[] = [];
  for (const [index, line] of text.split(/\r?\n|\r/).entries()) {
    const entry = line
      .replace(/#.*/, '')
      .replace(/^\uFEFF/, '')
      .trim();
    if (entry === '') continue;
    const domain = domainIn(entry);
    if (domain === undefined) unreadable.push(index + 1);
    else domains.add(domain);
  }
  return { domains, unreadable };
}

/** Whether the list has the host or one of its parent domains. */
export function isListed(host: string, domains: ReadonlySet<string>): boolean {
  const labels = host.toLowerCase().replace(/\.$/, '').split('.');
  return labels.some((_, index) => domains.has(labels.slice(index).join('.')));
}

/** A domain as people write it: in any case and script, with a `*.`, or as an address. */
function domainIn(entry: string): string | undefined {
  const address = /^https?:\/\//i.test(entry) ? entry : `http://${entry.replace(/^\*?\./, '')}`;
  if (/\s/.test(entry) || !URL.canParse(address)) return undefined;
  return new URL(address).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '') || undefined;
}
