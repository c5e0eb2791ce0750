/** What a page states for programs: JSON-LD, microdata, RDFa and Open Graph. */

import { findMicrodata } from '../builder/structures.ts';
import type { Document, Row } from '../recipes/document.ts';
import { readScriptValues } from '../recipes/extract-script.ts';
import { readRows } from './read-rows.ts';

function readMetadata({ html }: Document): Row {
  const properties = new Map<string, string>();
  for (const meta of html('meta[property][content], meta[name][content]').toArray()) {
    const name = meta.attribs.property ?? meta.attribs.name ?? '';
    if (/^(?:og|article|product|book|profile|video|music|twitter):/.test(name) && !properties.has(name))
      properties.set(name, meta.attribs.content ?? '');
  }
  return Object.fromEntries(properties);
}

export async function readStructuredData(document: Document): Promise<Row | undefined> {
  const { html } = document;
  const jsonLd = readScriptValues(html, 'script[type="application/ld+json"]').flatMap(({ value }) => value);
  const items: Row[] = [];
  for (const structure of findMicrodata(html)) {
    const read = await readRows(document, structure, structure.places);
    if (read !== undefined) items.push({ type: structure.about, rows: read.rows });
  }
  const metadata = readMetadata(document);
  if (jsonLd.length === 0 && items.length === 0 && Object.keys(metadata).length === 0) return undefined;
  return { json_ld: jsonLd, microdata: items, metadata };
}
