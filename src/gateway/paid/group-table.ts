/** The rows of all results of a batch as one table of CSV. */

import { csvHeader, csvRow, csvTable, isUnit } from '../../contract/csv.ts';
import { isRecord } from '../../contract/result-rows.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import { canonicalJson } from './call-identity.ts';

export interface TablePart {
  /** The others are on other pages, which have the same columns. */
  readonly isShown: boolean;
  readonly params: JsonObject;
  /** The account's name. */
  readonly identity: string | undefined;
  /** The rows of its result; undefined where it has none, or they do not fit as CSV. */
  readonly rows: readonly unknown[] | undefined;
  /** What stands beside its rows. */
  readonly beside: JsonObject;
  /** Why it has no result; undefined where it has one. */
  readonly failure: string | undefined;
}

export interface BatchTable {
  readonly data: string;
  /** Units that all rows share. */
  readonly beside?: JsonObject;
}

/**
 * First a column for each param that differs between the inputs, then the columns of the rows, with the units that stand beside
 * them. An input without a result has a row too, with the reason in the last column. Undefined where no result has rows to show.
 */
export function batchTable(parts: readonly TablePart[]): BatchTable | undefined {
  // The account is named as in the action's tool, which may have an `identity` of its own.
  const account = parts.some(({ params }) => Object.hasOwn(params, 'identity')) ? 'svc_identity' : 'identity';
  const inputs = parts.map(({ params, identity }) => ({
    ...params,
    ...(identity !== undefined && { [account]: identity }),
  }));
  const names = differing(inputs);
  if (parts.every(({ rows, isShown }) => rows === undefined || !isShown)) return undefined;
  const results = parts.flatMap(({ rows }) => rows ?? []).map(toRecord);
  const error = results.some((row) => Object.hasOwn(row, 'error')) ? 'batch_error' : 'error';
  const filled = parts.flatMap(({ isShown, rows, beside, failure }, index) => {
    const input = inputs[index] ?? {};
    if (failure !== undefined) return [{ isShown, input, units: {}, rows: [{ [error]: failure }] }];
    return rows === undefined ? [] : [{ isShown, input, units: unitsOf(beside), rows: rows.map(toRecord) }];
  });
  const taken = new Set(filled.flatMap(({ units, rows }) => [units, ...rows].flatMap(Object.keys)));
  // A param and a column of the same name are two things.
  const nameOf = (name: string) => (taken.has(name) ? `params.${name}` : name);
  const lines = filled.flatMap(({ isShown, input, units, rows }) => {
    const cells = Object.fromEntries(names.map((name) => [nameOf(name), input[name]]));
    return rows.map((row) => ({ isShown, line: { ...cells, ...units, ...row } }));
  });
  const table = csvTable(lines.map(({ line }) => line));
  const header = lines.length === 0 ? { ...table, header: names } : ordered(table, names.map(nameOf), error);
  const shown = lines.filter(({ isShown }) => isShown);
  const data = csvHeader(header) + shown.map(({ line }) => csvRow(header, line)).join('');
  return { data, ...(Object.keys(table.constants).length > 0 && { beside: table.constants }) };
}

const toRecord = (row: unknown): JsonObject => (isRecord(row) ? row : { value: row });
const unitsOf = (beside: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(beside).filter(([name]) => isUnit(name)));

/** The params first, the units of the result after its own columns, and errors at the end. */
function ordered(table: ReturnType<typeof csvTable>, first: readonly string[], error: string) {
  const others = table.header.filter((name) => !first.includes(name) && name !== error);
  const errors = table.header.filter((name) => name === error);
  const header = [...first, ...others.filter((name) => !isUnit(name)), ...others.filter(isUnit), ...errors];
  return { ...table, header };
}

/** The names whose values are not the same in all inputs. */
function differing(inputs: readonly JsonObject[]): string[] {
  const names = new Set(inputs.flatMap((input) => Object.keys(input)));
  return [...names].filter((name) => new Set(inputs.map((input) => canonicalJson(input[name]))).size > 1);
}
