/** Params that are likely to work, from the examples, listed values and defaults of a schema. */
import type { JsonObject } from '../interface/outcomes.ts';

/** The shortest call, and one that sets every param of which the schema names a value; none where it names too few. */
export function toExamples({ properties, required }: JsonObject): JsonObject[] {
  const names = Array.isArray(required) ? required : [];
  const values: [string, unknown][] = Object.entries(Object(properties)).flatMap(([name, schema]) => {
    const value = exampleOf(Object(schema));
    return value === undefined ? [] : [[name, value]];
  });
  const least = values.filter(([name]) => names.includes(name));
  if (least.length < names.length) return [];
  return (least.length < values.length ? [least, values] : [least]).map((entries) =>
    Object.fromEntries(entries),
  );
}

function exampleOf({ examples, enum: listed, default: standard }: JsonObject): unknown {
  const [first] = [examples, listed].flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
  return first ?? standard;
}
