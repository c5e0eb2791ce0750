/** The fields of a candidate where the goal leaves them open. */
import type { Candidate, NamedColumn } from './candidate.ts';
import { fieldName, wordsOf } from './words.ts';

/** Columns that are taken. */
const most = 12;

/** Words that most columns have say nothing: `tea-name`, `tea-price`. */
function commonWords({ columns }: Candidate): Set<string> {
  const named = columns.filter(({ names }) => names.length > 1);
  const counts = new Map<string, number>();
  for (const { names } of named)
    for (const name of new Set(names)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Set(
    [...counts].filter(([, count]) => count > 2 && count >= named.length * 0.6).map(([name]) => name),
  );
}

/** What anybody wants to know of a row, besides its name and address. */
const isTelling = ({ column }: NamedColumn) =>
  column.type.rules.type === 'date' ||
  (column.type.rules.type !== 'image' &&
    column.type.rules.type !== 'url' &&
    column.division === undefined &&
    column.names.length > 0);

/** Where a few columns tell what the rows are, what has no name or is drawn is left out. */
export function openFields(candidate: Candidate): NamedColumn[] {
  const fields = allFields(candidate);
  const isName = ({ column }: NamedColumn) => column.isTitle || column.type.rules.type === 'url';
  const telling = fields.filter((field) => isName(field) || isTelling(field));
  return candidate.kind === 'repeated records' && telling.filter((field) => !isName(field)).length >= 2
    ? telling
    : fields;
}

/** All that may be of use. */
export function allFields(candidate: Candidate): NamedColumn[] {
  const names = new Set<string>();
  const fields: NamedColumn[] = [];
  const common = commonWords(candidate);
  const useful = candidate.columns.filter(
    (column) =>
      column.isFlag !== true &&
      // What pictures show is mostly the row's name again.
      (column.source.in !== 'html' || column.source.attribute !== 'alt' || column.isTitle) &&
      column.fill >= 0.5 &&
      (!column.constant || column.names.length > 0) &&
      column.division !== 'whole' &&
      column.division !== 'piece',
  );
  for (const column of useful) {
    const { type } = column.type.rules;
    const words = column.names.filter((name) => name.length > 1 && !common.has(name));
    const label = fieldName(wordsOf(column.label?.replace(/\(.*\)/, '') ?? '').slice(0, 4));
    // Under several headers the same word stands more than once.
    const isOwn = label !== '' && useful.filter((other) => other.label === column.label).length === 1;
    let base =
      column.isTitle && type === 'text' && candidate.kind !== 'table' && candidate.kind !== 'page state'
        ? 'title'
        : isOwn
          ? label
          : fieldName(words.slice(0, candidate.kind === 'table' ? 4 : 1));
    if (type === 'url') base = 'url';
    if (base === '') base = type === 'image' ? 'image' : type === 'text' ? 'text' : type;
    let name = base;
    for (let number = 2; names.has(name); number++) name = `${base}_${number}`;
    // The same name again is mostly the same thing shown twice.
    if ((names.has(base) && base !== 'text') || fields.length >= most) continue;
    names.add(name);
    fields.push({ name, column });
  }
  return fields;
}
