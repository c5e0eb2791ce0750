/** Patterns of recipes, run in linear time: a page's text must not keep a worker busy forever. */
import { RE2JS } from 're2js';

/** The text that a pattern finds: its first group, or the whole match; undefined if it finds nothing. */
export type Find = (text: string) => string | undefined;

const finders = new Map<string, Find>();
/** Cached patterns; a recipe has few. */
const maxFinders = 500;

/**
 * Throws for an invalid regular expression. Lookaround and backreferences, which RE2 lacks, run on JavaScript's engine.
 */
export function toFind(pattern: string): Find {
  const existing = finders.get(pattern);
  if (existing !== undefined) return existing;
  const find = linearFind(pattern) ?? nativeFind(pattern);
  if (finders.size >= maxFinders) finders.clear();
  finders.set(pattern, find);
  return find;
}

/** Undefined if RE2 does not support the syntax. */
function linearFind(pattern: string): Find | undefined {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
  return (text) => {
    const matcher = compiled.matcher(text);
    if (!matcher.find()) return undefined;
    const group = matcher.groupCount() > 0 ? matcher.group(1) : null;
    return group ?? matcher.group(0) ?? undefined;
  };
}

function nativeFind(pattern: string): Find {
  const expression = new RegExp(pattern, 'u');
  return (text) => {
    const [whole, group] = expression.exec(text) ?? [];
    return group ?? whole;
  };
}
