/** JSON-LD with the names of schema.org as most sites write them: `schema:name` and `http://schema.org/name` are `name`. */
import { isObject, type JsonObject } from './json-values.ts';

const vocabulary = /^https?:\/\/(?:www\.)?schema\.org[/#]+(?=\w|$)/i;
/** What a context says of names and prefixes: `{"s": "http://schema.org/", "id": "@id"}`. */
type Terms = ReadonlyMap<string, string>;

const usual: Terms = new Map([
  ['schema', 'http://schema.org/'],
  ['sdo', 'http://schema.org/'],
]);

function withContext(known: Terms, context: unknown): Terms {
  const own = [context].flat().filter(isObject);
  if (own.length === 0) return known;
  const terms = new Map(known);
  for (const [name, meaning] of own.flatMap(Object.entries<unknown>)) {
    const id = isObject(meaning) ? meaning['@id'] : meaning;
    if (typeof id === 'string' && !name.startsWith('@')) terms.set(name, id);
  }
  return terms;
}

/** The name without its prefix where it is one of schema.org or of JSON-LD itself; other names stay. */
function toPlainName(name: string, terms: Terms): string {
  let full = terms.get(name) ?? name;
  if (full.startsWith('@')) return full;
  const [, prefix = '', rest = ''] = /^([\w-]+):(?!\/\/)(.+)$/.exec(full) ?? [];
  full = rest === '' ? full : `${terms.get(prefix) ?? `${prefix}:`}${rest}`;
  const plain = full.replace(vocabulary, '');
  return plain === full || plain === '' ? name : plain;
}

/** The value of `{"@value": "8.50", "@type": "xsd:decimal"}`. */
const isValue = (node: JsonObject) =>
  '@value' in node && Object.keys(node).every((key) => /^@(?:value|type|language|direction)$/.test(key));

/** The same data under such names. A name that stands there without a prefix, too, keeps its value. */
export function withPlainNames(value: unknown, known: Terms = usual): unknown {
  if (Array.isArray(value)) return value.map((one) => withPlainNames(one, known));
  if (!isObject(value)) return value;
  if (isValue(value)) return value['@value'];
  const terms = withContext(known, value['@context']);
  const members = new Map<string, unknown>();
  for (const [key, member] of Object.entries(value)) {
    const name = toPlainName(key, terms);
    if (name !== key && (members.has(name) || Object.hasOwn(value, name))) continue;
    if (name === '@type') members.set(name, toPlainTypes(member, terms));
    else if (name === '@context') members.set(name, member);
    else members.set(name, toMember(withPlainNames(member, terms), name !== key));
  }
  return Object.fromEntries(members);
}

/** Where names are written in full, each value is a list, mostly of one. */
const toMember = (member: unknown, isExpanded: boolean) =>
  isExpanded && Array.isArray(member) && member.length === 1 ? member[0] : member;

const toPlainTypes = (types: unknown, terms: Terms): unknown =>
  Array.isArray(types)
    ? types.map((type) => toPlainTypes(type, terms))
    : typeof types === 'string'
      ? toPlainName(types, terms)
      : types;
