/** What React streams into a page of Next.js (`self.__next_f.push`): rows of `id:json`, of text and of modules. */
type Row = Readonly<Record<string, unknown>>;
const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const maxValues = 500_000;
const maxDepth = 100;
const lineEnd = 10;

/** The rows that hold values, as they are written. */
function parseRows(stream: string): Map<string, unknown> {
  // Lengths of texts are in bytes.
  const bytes = Buffer.from(stream);
  const rows = new Map<string, unknown>();
  let position = 0;
  while (position < bytes.length) {
    const [head, id, mark] =
      /^\n?([0-9a-f]*):([\s\S])/.exec(bytes.toString('latin1', position, position + 20)) ?? [];
    if (head === undefined || id === undefined) {
      const next = bytes.indexOf(lineEnd, position);
      if (next < 0) break;
      position = next + 1;
      continue;
    }
    const start = position + head.length - 1;
    const [whole, length] =
      mark === 'T' ? (/^T([0-9a-f]{1,7}),/.exec(bytes.toString('latin1', start, start + 9)) ?? []) : [];
    if (whole !== undefined && length !== undefined) {
      const from = start + whole.length;
      position = from + Number.parseInt(length, 16);
      rows.set(id, bytes.toString('utf8', from, position));
      continue;
    }
    const end = bytes.indexOf(lineEnd, start);
    position = end < 0 ? bytes.length : end + 1;
    try {
      rows.set(id, JSON.parse(bytes.toString('utf8', start, end < 0 ? bytes.length : end)));
    } catch {
      // A module, a hint or an error.
    }
  }
  return rows;
}

/** `$5:props:items`: a row, and the way into it. An element is a list of four: its type, key and props come second. */
const elementParts: Readonly<Record<string, string>> = { type: '1', key: '2', props: '3' };

/** The rows by their ids, references between them followed; what is loaded later stays as it is written: `$L5`. */
export function flightRows(stream: string): Readonly<Record<string, unknown>> {
  const rows = parseRows(stream);
  let remaining = maxValues;
  const open = new Set<string>();
  const resolveReference = (text: string, depth: number): unknown => {
    const [, id = '', path = ''] = /^\$[QW]?([0-9a-f]+)((?::[^:]+)*)$/.exec(text) ?? [];
    if (open.has(text) || !rows.has(id)) return text;
    let value = rows.get(id);
    for (const key of path.split(':').slice(1)) {
      const part = Array.isArray(value) && value[0] === '$' ? (elementParts[key] ?? key) : key;
      value =
        typeof value === 'object' && value !== null
          ? Object.getOwnPropertyDescriptor(value, part)?.value
          : undefined;
    }
    open.add(text);
    const resolvedValue = read(value, depth + 1);
    open.delete(text);
    return resolvedValue;
  };
  const read = (value: unknown, depth: number): unknown => {
    remaining -= 1;
    if (remaining < 0 || depth > maxDepth) return null;
    if (typeof value === 'string') {
      if (!value.startsWith('$') || value === '$') return value;
      if (value.startsWith('$$')) return value.slice(1);
      if (value.startsWith('$D')) return value.slice(2);
      if (/^\$n-?\d+$/.test(value)) return Number(value.slice(2));
      if (/^\$(?:undefined|-?Infinity|NaN|-0)$/.test(value)) return null;
      return resolveReference(value, depth);
    }
    if (Array.isArray(value)) return value.map((item) => read(item, depth + 1));
    if (isRow(value))
      return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, read(entry, depth + 1)]));
    return value ?? null;
  };
  return Object.fromEntries([...rows].map(([id, value]) => [id, read(value, 0)]));
}
