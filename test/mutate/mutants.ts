/** Small bugs to put into a source file, one at a time: each is one edit of its text. */
import { parseSync, Visitor } from 'oxc-parser';

export interface Mutant {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  readonly line: number;
}

const operators: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '&&': '||',
  '||': '&&',
};

/** In the order of the text. */
export function findMutants(file: string, text: string): Mutant[] {
  const { program } = parseSync(file, text);
  const found: Mutant[] = [];
  const add = (start: number, end: number, replacement: string) =>
    found.push({ start, end, replacement, line: text.slice(0, start).split('\n').length });
  const swap = (left: { end: number }, operator: string, right: { start: number }) => {
    const replacement = operators[operator];
    const at = text.indexOf(operator, left.end);
    if (replacement !== undefined && at < right.start) add(at, at + operator.length, replacement);
  };
  new Visitor({
    BinaryExpression: ({ left, operator, right }) => swap(left, operator, right),
    LogicalExpression: ({ left, operator, right }) => swap(left, operator, right),
    UnaryExpression: ({ operator, argument, start }) => {
      if (operator === '!') add(start, argument.start, '');
    },
    IfStatement: ({ test }) => {
      add(test.start, test.end, 'false');
      add(test.start, test.end, 'true');
    },
    ConditionalExpression: ({ consequent, alternate, start, end, test }) => {
      const [yes, no] = [consequent, alternate].map((one) => text.slice(one.start, one.end));
      add(start, end, `${text.slice(test.start, test.end)} ? ${no} : ${yes}`);
    },
    Literal: ({ value, start, end }) => {
      if (typeof value === 'boolean') add(start, end, String(!value));
      // Larger ones are mostly durations and sizes, whose exact value is nobody's promise.
      if (typeof value === 'number' && value < 10) add(start, end, String(value + 1));
    },
    ArrayExpression: ({ elements }) => {
      const [first, second] = elements;
      // One way into a state, one code of several, one of the statements of a transaction.
      if (first && second) add(first.start, second.start, '');
    },
    ExpressionStatement: ({ expression, start, end }) => {
      const isCall = expression.type === 'CallExpression' || expression.type === 'AwaitExpression';
      // Which lines are logged is seldom promised.
      const isLogged = /^[\w.#]*\blog(ger)?\.\w+\(/.test(text.slice(start, end));
      if (isCall && !isLogged && !text.startsWith('super', start)) add(start, end, ';');
    },
  }).visit(program);
  return found.sort((one, other) => one.start - other.start);
}
