/** A page of boats for hire, whose cells have no names, and the choice of its columns by what they hold. */
import * as z from 'zod';
import type { BuildChoice } from '../../../src/service/foundation/ports.ts';

export const boats = [
  ['Albatross', '7 m', '£10'],
  ['Bittern', '9 m', '£12'],
  ['Curlew', '6 m', '£8'],
  ['Dunlin', '11 m', '£21'],
  ['Egret', '8 m', '£17'],
] as const;

export const cells = (row: readonly string[]) => row.map((text) => `<em>${text}</em>`).join(' ');
/** Each row as the markup in its item. */
export const boatPage = (rows: readonly string[]) =>
  `<html lang="en"><title>Boats</title><body><main><h1>Boats for hire</h1><ul>\n${rows
    .map((row) => `<li class="boat">${row}</li>`)
    .join('\n')}</ul></main>`;
export const plain = boatPage(boats.map(cells));
/** With one more column in front. */
export const withDeposit = boatPage(boats.map((row, at) => cells([`£${30 + at}`, ...row])));

const Offered = z.object({
  id: z.string(),
  columns: z.array(
    z.object({ id: z.string(), samples: z.array(z.string()), part_of: z.string().optional() }),
  ),
});

/** The columns of one candidate whose first samples are these, by the names of their fields. */
export function holding(shown: object, wanted: Record<string, string>): BuildChoice {
  const candidates = 'candidates' in shown ? shown.candidates : undefined;
  for (const { id, columns } of z.array(Offered).parse(candidates)) {
    const fields = Object.entries(wanted).flatMap(([name, sample]) => {
      const column = columns.find(({ samples, part_of }) => samples[0] === sample && part_of === undefined);
      return column === undefined ? [] : [[name, column.id] as const];
    });
    if (fields.length === Object.keys(wanted).length)
      return { candidate: id, fields: Object.fromEntries(fields) };
  }
  throw new Error(`no such columns: ${JSON.stringify(candidates)}`);
}
