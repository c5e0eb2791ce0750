/** Which patterns of a service a client may run: many check arguments themselves, on the thread that draws their window. */
import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';

/** A part that repeats more often costs as much as one without an end. */
const fewTimes = 4;
/** Each multiplies the time by the length of the text. */
const maxEndless = 3;
/** Each choice between two and each part of variable length doubles the time. */
const maxChoices = 12;

/**
 * Whether a backtracking engine ends soon on any text: nothing that repeats has a choice or a part of variable length in it,
 * and there are few of them. Says no where it does not know.
 */
export function isQuickPattern(pattern: string): boolean {
  let endless = 0;
  let choices = 0;
  try {
    // Clients compile patterns with and without the flag.
    new RegExp(pattern);
    visitRegExpAST(new RegExpParser().parsePattern(pattern, 0, pattern.length, { unicode: true }), {
      onQuantifierEnter(node) {
        if (node.max > fewTimes && node.min !== node.max) endless += timesWithin(node.parent);
        if (node.min !== node.max) choices += timesWithin(node.parent);
      },
      onAlternativeEnter(node) {
        const { alternatives } = node.parent;
        if (alternatives.length > 1 && alternatives[0] === node)
          choices += Math.log2(alternatives.length) * timesWithin(node.parent);
      },
    });
  } catch {
    return false;
  }
  return endless <= maxEndless && choices <= maxChoices;
}

/** How often what stands in the node is tried at most. */
function timesWithin(node: AST.Node | null): number {
  if (node === null) return 1;
  if (node.type !== 'Quantifier') return timesWithin(node.parent);
  return (node.max > fewTimes ? Number.POSITIVE_INFINITY : Math.max(1, node.max)) * timesWithin(node.parent);
}
