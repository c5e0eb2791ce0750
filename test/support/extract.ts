/** What a recipe's extraction takes from a page, without fetching it. */
import { parse } from '../../src/service/recipes/parse.ts';
import { Extract } from '../../src/service/recipes/recipe-schema.ts';

/** The rows, or the one record. */
export async function extracted(body: string, extract: unknown) {
  const result = await readExtracted(body, extract);
  return result?.kind === 'rows' ? result.rows : result?.record;
}

export async function readExtracted(body: string, extract: unknown) {
  const page = {
    url: 'https://site.example/',
    status: 200,
    contentType: 'text/html',
    link: '',
    body: Buffer.from(body),
  };
  return (await parse({ page, extract: Extract.parse(extract) })).extracted;
}
