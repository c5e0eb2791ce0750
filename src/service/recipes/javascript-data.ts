/** The data that a script in JavaScript writes down: literals, read from its syntax. Nothing of it is ever executed. */

import type {
  AnyNode,
  ArrowFunctionExpression,
  CallExpression,
  FunctionExpression,
  NewExpression,
} from 'acorn';
import { ScriptLimitError } from '../foundation/errors.ts';

/** What is assigned in a script or given to a function, and its name: `window.__STATE__`, `kit.start`. */
export interface AssignedValue {
  readonly value: unknown;
  readonly name: string;
}

/** Tokens of a script; the tree of more of them needs more memory than a worker has. */
const maxTokens = 1_000_000;
/** Parts of a script that are looked at; those inside of others are looked at again. */
const maxSteps = 3_000_000;
const maxText = 10_000_000;

type Scope = ReadonlyMap<string, unknown>;
type Row = Record<string, unknown>;
type FunctionNode = FunctionExpression | ArrowFunctionExpression;

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isFunction = (node: AnyNode): node is FunctionNode =>
  node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression';

/** `a.b["c"]`; undefined for what is no name. */
function getName(node: AnyNode): string | undefined {
  if (node.type === 'Identifier') return node.name;
  if (node.type === 'ThisExpression') return 'this';
  // `(self.items = self.items || []).push(…)`
  if (node.type === 'AssignmentExpression') return getName(node.left);
  if (node.type === 'LogicalExpression') return getName(node.left);
  if (node.type !== 'MemberExpression') return undefined;
  const key = getKey(node.property, node.computed);
  const owner = getName(node.object);
  if (key === undefined) return undefined;
  return owner === undefined ? key : `${owner}.${key}`;
}

function getKey(node: AnyNode, computed: boolean): string | undefined {
  if (!computed && node.type === 'Identifier') return node.name;
  if (node.type === 'Literal' && (typeof node.value === 'string' || typeof node.value === 'number'))
    return String(node.value);
  return undefined;
}

/** Functions whose result follows from their arguments alone, by name. */
const knownFunctions: Readonly<Record<string, (...values: readonly unknown[]) => unknown>> = {
  'JSON.parse': (text) => (typeof text === 'string' ? JSON.parse(text) : undefined),
  decodeURIComponent: (text) => (typeof text === 'string' ? decodeURIComponent(text) : undefined),
  decodeURI: (text) => (typeof text === 'string' ? decodeURI(text) : undefined),
  atob: (text) => (typeof text === 'string' ? atob(text) : undefined),
  'window.atob': (text) => (typeof text === 'string' ? atob(text) : undefined),
  'Object.freeze': (value) => value,
  'Object.create': () => ({}),
  'Object.assign': (...values) => Object.fromEntries(values.filter(isRow).flatMap(Object.entries)),
  Date: (time) => {
    const date = typeof time === 'string' || typeof time === 'number' ? new Date(time) : undefined;
    return date === undefined || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
  },
  Set: (values) => values,
  Map: (entries) =>
    Array.isArray(entries)
      ? Object.fromEntries(entries.filter(Array.isArray).map(([key, value]) => [String(key), value]))
      : undefined,
  URL: (address) => address,
};

/** Reads values out of a syntax tree. What is no literal is undefined, and left out of what holds it. */
class Reader {
  #steps = 0;

  #step(): void {
    this.#steps += 1;
    if (this.#steps > maxSteps) throw new ScriptLimitError();
  }

  value(node: AnyNode, scope: Scope): unknown {
    this.#step();
    switch (node.type) {
      case 'Literal':
        return node.bigint != null ? Number(node.bigint) : 'regex' in node ? undefined : node.value;
      case 'TemplateLiteral':
        return node.expressions.length === 0 ? node.quasis[0]?.value.cooked : undefined;
      case 'Identifier':
        return /^(?:undefined|NaN|Infinity)$/.test(node.name) ? null : scope.get(node.name);
      case 'UnaryExpression':
        return this.#unary(node.operator, this.value(node.argument, scope));
      case 'ArrayExpression':
        return node.elements.map((element) =>
          element === null ? null : (this.value(element, scope) ?? null),
        );
      case 'ObjectExpression':
        return Object.fromEntries(
          node.properties.flatMap((property): [string, unknown][] => {
            if (property.type !== 'Property' || property.kind !== 'init') return [];
            const key = getKey(property.key, property.computed);
            const value = key === undefined ? undefined : this.value(property.value, scope);
            return key === undefined || value === undefined ? [] : [[key, value]];
          }),
        );
      case 'BinaryExpression':
        return node.operator === '+' && node.left.type !== 'PrivateIdentifier'
          ? this.#joined(this.value(node.left, scope), this.value(node.right, scope))
          : undefined;
      case 'LogicalExpression':
        return node.operator === '&&'
          ? this.value(node.right, scope)
          : (this.value(node.left, scope) ?? this.value(node.right, scope));
      case 'SequenceExpression': {
        const last = node.expressions.at(-1);
        return last === undefined ? undefined : this.value(last, scope);
      }
      case 'AssignmentExpression':
        return node.operator === '=' ? this.value(node.right, scope) : undefined;
      case 'CallExpression':
      case 'NewExpression':
        return this.#called(node, scope);
      default:
        return undefined;
    }
  }

  #unary(operator: string, value: unknown): unknown {
    if (operator === 'void') return null;
    if (operator === '!') return value === undefined ? undefined : !value;
    if (operator === '-' && typeof value === 'number') return -value;
    return undefined;
  }

  #joined(a: unknown, b: unknown): unknown {
    if (typeof a === 'number' && typeof b === 'number') return a + b;
    if (typeof a !== 'string' || typeof b !== 'string') return undefined;
    if (a.length + b.length > maxText) throw new ScriptLimitError();
    return a + b;
  }

  #called(node: CallExpression | NewExpression, scope: Scope): unknown {
    const { callee } = node;
    if (isFunction(callee)) return this.#returned(callee, this.bound(callee, node.arguments, scope));
    const name = getName(callee);
    if (name === undefined || !Object.hasOwn(knownFunctions, name)) return undefined;
    const values = node.arguments.map((argument) => this.value(argument, scope));
    try {
      return knownFunctions[name]?.(...values);
    } catch {
      // Text that is no JSON, or wrongly encoded.
      return undefined;
    }
  }

  /** The parameters of a function that is called where it is written: `(function(a,b){…}("x",1))`. */
  bound(callee: FunctionNode, values: readonly AnyNode[], scope: Scope): Map<string, unknown> {
    const inner = new Map(scope);
    callee.params.forEach((parameter, index) => {
      const value = values[index];
      if (parameter.type === 'Identifier')
        inner.set(parameter.name, value === undefined ? undefined : this.value(value, scope));
    });
    return inner;
  }

  /** Of a function that only builds a value: variables, properties set on them, and what it returns. */
  #returned({ body }: FunctionNode, scope: Map<string, unknown>): unknown {
    if (body.type !== 'BlockStatement') return this.value(body, scope);
    for (const statement of body.body) {
      if (statement.type === 'ReturnStatement')
        return statement.argument == null ? undefined : this.value(statement.argument, scope);
      if (statement.type === 'VariableDeclaration') {
        for (const { id, init } of statement.declarations)
          if (id.type === 'Identifier' && init != null) scope.set(id.name, this.value(init, scope));
      } else if (statement.type === 'ExpressionStatement') {
        const { expression } = statement;
        for (const part of expression.type === 'SequenceExpression' ? expression.expressions : [expression])
          this.#set(part, scope);
      }
    }
    return undefined;
  }

  /** `a.b = value` */
  #set(node: AnyNode, scope: Scope): void {
    if (node.type !== 'AssignmentExpression' || node.left.type !== 'MemberExpression') return;
    const owner = this.value(node.left.object, scope);
    const key = getKey(node.left.property, node.left.computed);
    const value = this.value(node.right, scope);
    if (typeof owner !== 'object' || owner === null || key === undefined || value === undefined) return;
    // What a script makes of a list's length is no data, and may throw.
    if (Array.isArray(owner) && key === 'length') return;
    Object.defineProperty(owner, key, { value, enumerable: true, writable: true, configurable: true });
  }

  /** Every object, list and text that the script gives a name, or a function with one; not those inside of others. */
  collect(node: AnyNode, scope: Scope, into: AssignedValue[]): void {
    this.#step();
    const take = (name: string | undefined, holder: AnyNode) => {
      const value = this.value(holder, scope);
      const isText = typeof value === 'string' && name !== undefined && /\benqueue$/.test(name);
      const isHeld = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
      if (isHeld || isText) into.push({ value, name: name ?? '' });
      else this.collect(holder, scope, into);
    };
    if (node.type === 'AssignmentExpression') take(getName(node.left), node.right);
    else if (node.type === 'VariableDeclarator' && node.init != null) take(getName(node.id), node.init);
    else if (node.type === 'CallExpression' || node.type === 'NewExpression') {
      const { callee } = node;
      const isCalledHere = isFunction(callee);
      const name = isCalledHere ? undefined : getName(callee);
      for (const argument of node.arguments) take(name, argument);
      if (isCalledHere) this.collect(callee.body, this.bound(callee, node.arguments, scope), into);
      else this.collect(callee, scope, into);
    } else for (const part of Object.values(node).flat()) if (isNode(part)) this.collect(part, scope, into);
  }
}

/** Syntax errors, trees too deep and values too large are the page's, and it then holds no data that we could read. */
function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError || error instanceof ScriptLimitError)
      return undefined;
    throw error;
  }
}

function counter(): () => void {
  let tokens = 0;
  return () => {
    tokens += 1;
    if (tokens > maxTokens) throw new ScriptLimitError();
  };
}

/** What a script writes down, in its order. */
export async function readAssignedValues(script: string): Promise<AssignedValue[]> {
  const { parse } = await import('acorn');
  const assignedValues: AssignedValue[] = [];
  orUndefined(() => {
    const sourceType = /^\s*(?:import|export)\b/m.test(script) ? 'module' : 'script';
    const program = parse(script, { ecmaVersion: 'latest', sourceType, onToken: counter() });
    new Reader().collect(program, new Map(), assignedValues);
  });
  return assignedValues;
}

/** The value of one expression, such as an attribute's. */
export async function evaluateExpression(text: string): Promise<unknown> {
  const { parseExpressionAt } = await import('acorn');
  return orUndefined(() =>
    new Reader().value(parseExpressionAt(text, 0, { ecmaVersion: 'latest', onToken: counter() }), new Map()),
  );
}
