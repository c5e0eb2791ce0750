/**
 * Whether a result departs from earlier ones of the same action. The thresholds stand here. They were set by made-up results
 * of lists that grow, shrink, turn over and change their layout, not by counts of real pages.
 */
import { hash } from 'node:crypto';
import { haveOtherKeys, misread, otherContent, sharesOfSame } from './known-rows.ts';
import type { FieldShape, ResultShape } from './shape.ts';

/** One run that completed. */
interface Run {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Names the params and the account. */
  readonly call: string;
  /** Names the texts among the params: a page or a limit alone explains no empty field. */
  readonly texts: string;
  /** Names what was asked for, whatever the texts and numbers are. Older profiles have none. */
  readonly form?: string | undefined;
  readonly rows: number;
  readonly list?: ResultShape['list'];
  readonly fields: ResultShape['fields'];
  /** Of each field the share of the rows shared with the run before in which it stayed equal. */
  readonly same?: Readonly<Record<string, number>> | undefined;
  readonly doubtful?: true | undefined;
}

/** What a built action gave when it was tested, without params. */
export type Tested = Pick<ResultShape, 'rows' | 'fields'> & {
  readonly known?: ResultShape['known'] | undefined;
};

export interface Profile {
  /** The oldest first. */
  readonly runs: readonly Run[];
  /** The rows of the newest runs without a doubt, by `Run.call`. */
  readonly known: Readonly<Record<string, ResultShape['known']>>;
}

export interface Drift {
  readonly doubt: string;
  /** RFC 3339 UTC: the first of the doubtful runs in a row, where it is not this one. */
  readonly since?: string | undefined;
}

const maxRuns = 20;
const maxKnownCalls = 3;
/** Runs that are enough to know what is usual. */
const enough = 3;
/** Usual is what this share of the earlier runs had, so that one that departed and was not told does not silence the next. */
const ofRuns = 0.75;
/** Below this share of the usual number a list has far fewer rows, where that number is not small. */
const fewRows = { share: 0.3, least: 10 };
/** Of a smaller list only where its number hardly changed: the least of the runs has this share of the most. */
const fewOfSmall = { share: 0.25, least: 4, steady: 0.8 };
/** A field that was there in this share of the rows is empty below the other. Of one test alone nearly all rows must have it. */
const filled = { usual: 0.5, now: 0.05, tested: 0.8 };
/** A field that nearly all rows of each run had is empty in nearly half of them. */
const full = { usual: 0.9, now: 0.6 };
/** Rows from which a field that is equal in all of them says something. */
const equalRows = 5;
/** In a field in which nearly all rows differed most of them repeat each other. */
const repeated = { usual: 0.95, now: 0.5 };
/** A list that hardly changed its length has lost half of it. */
const halfOf = { share: 0.5, least: 10 };
/** The share of the rows that were there before in which a field usually stays. */
const stays = 0.6;
/** Of one test a field varies that has its own value in this share of the rows. */
const varied = 0.5;
/** With this many times its rows a run has read further pages than the test. */
const furtherPages = 1.5;

/** Whether a further run takes the place of the oldest. */
export const isFull = ({ runs }: Profile): boolean => runs.length >= maxRuns;

export type NewRun = Pick<Run, 'at' | 'call' | 'texts' | 'form'>;

const isQuantity = (value: unknown) => typeof value === 'number' || typeof value === 'boolean';
const isOfForm = (value: unknown) =>
  value === Object(value) || (typeof value === 'string' && /^https?:\/\//i.test(value));
const nameOf = (value: unknown) => hash('sha1', JSON.stringify(value)).slice(0, 12);

/**
 * Names the texts among params, given as JSON: a number, such as a limit or a page, explains fewer rows but no empty field.
 * And their form, which lists and objects belong to: they choose the parts of a page that are asked for; and addresses, whose
 * pages have nothing in common. Where the params cannot be read, as where long ones were cut, they are their own name.
 */
export function namesOfParams(params: string, call: string): Pick<Run, 'texts' | 'form'> {
  try {
    const entries = Object.entries(Object(JSON.parse(params)));
    const form = entries.map(([name, value]) => [name, isOfForm(value) ? value : null]);
    return { texts: nameOf(entries.filter(([, value]) => !isQuantity(value))), form: nameOf(form) };
  } catch {
    return { texts: call, form: call };
  }
}

/** The `texts` of a run that has none among its params. */
export const noTexts = namesOfParams('{}', '').texts;

/**
 * Whether a test or an earlier run of a built action may be of this version. It gives all of its fields: without one it was
 * built anew, with others.
 */
const isOfVersion = ({ fields }: Pick<Tested, 'fields'>, run: ResultShape): boolean =>
  run.rows === 0 || Object.keys(fields).every((name) => run.fields[name] !== undefined);

/** The verdict on a run, and the profile with it. */
export function judge(
  profile: Profile,
  run: NewRun,
  shape: ResultShape,
  built?: Tested,
): { readonly drift: Drift | undefined; readonly profile: Profile } {
  const tested = built && isOfVersion(built, shape) ? built : undefined;
  const earlier = built === undefined ? profile.runs : profile.runs.filter((one) => isOfVersion(one, shape));
  const before = profile.known[run.call];
  const { rows, list, fields } = shape;
  const known = before ?? (run.texts === noTexts ? tested?.known : undefined);
  const same = known && sharesOfSame(known, shape.known);
  const when = before === undefined ? byTest.when(1) : 'in the run before';
  const swapped = known && otherContent(known, shape.known, when);
  const found =
    doubtOf(earlier, { ...run, rows, list, fields, same }, { tested, swapped }) ??
    (known && misread(known, shape.known, when)) ??
    (known && otherKey(known, shape, when));
  const entry: Run = {
    ...run,
    rows,
    list,
    fields,
    ...(same !== undefined && { same }),
    ...(found !== undefined && { doubtful: true as const }),
  };
  const { [run.call]: _old, ...others } = profile.known;
  const newest = Object.entries(others).slice(1 - maxKnownCalls);
  const knownNow =
    found === undefined ? Object.fromEntries([...newest, [run.call, shape.known]]) : profile.known;
  const runs = [...profile.runs, entry].slice(-maxRuns);
  return {
    drift: found === undefined ? undefined : { doubt: found, ...sinceOf(profile.runs, run) },
    profile: { runs, known: knownNow },
  };
}

/** A text or a day by which no row is known again, though all else stayed; addresses and ids change with a site. */
function otherKey(
  before: ResultShape['known'],
  { known, fields }: ResultShape,
  when: string,
): string | undefined {
  const [row = {}] = Object.values(known);
  const key = Object.keys(fields).find((name) => row[name] === undefined && fields[name]?.fill === 1);
  const kinds = fields[key ?? '']?.kinds ?? [];
  const mayTell = kinds.every((kind) => kind === 'text' || kind === 'date') && !/(^|_)id$/i.test(key ?? '');
  return key !== undefined && mayTell && haveOtherKeys(before, known)
    ? `${key} is another one than ${when} in every row, and all else is what it was.`
    : undefined;
}

/** `swapped`: what is said of fields that hold what others held in the run before, where no more is known. */
function doubtOf(
  runs: readonly Run[],
  run: Run,
  { tested, swapped }: { readonly tested: Tested | undefined; readonly swapped: string | undefined },
): string | undefined {
  const good = runs.filter(({ doubtful }) => doubtful !== true);
  const sameCall = good.filter(({ call }) => call === run.call);
  const sameTexts = good.filter(({ texts }) => texts === run.texts);
  if (sameCall.length >= enough)
    return (
      fewer(run, sameCall) ??
      changedField(run, sameCall) ??
      equalField(run, sameCall) ??
      repeatedField(run, sameCall) ??
      turned(run, sameCall)
    );
  if (swapped !== undefined) return swapped;
  if (sameTexts.length >= enough)
    return (run.rows === 0 ? fewer(run, sameTexts) : undefined) ?? changedField(run, sameTexts);
  if (tested !== undefined && run.texts === noTexts) {
    const test = [{ ...run, ...tested }];
    const evidence = { ...byTest, isWhole: run.rows < tested.rows * furtherPages };
    return (
      fewer(run, test, evidence) ??
      changedField(run, test, evidence) ??
      equalField(run, test, evidence) ??
      repeatedField(run, test, evidence) ??
      turned(run, sameCall)
    );
  }
  // Other texts explain other rows, but not a field that is gone from all of them.
  const sameList = good.filter(({ list, form }) => list === run.list && form === run.form);
  return sameList.length >= enough ? changedField(run, sameList, byOthers) : undefined;
}

/** What the runs are that tell what is usual: how many of them are enough, and how they are called. */
interface Evidence {
  readonly least: number;
  readonly usual: number;
  /** Whether they had the same rows: of other pages or words, fewer values or more equal ones may be right. */
  readonly isWhole: boolean;
  /** `times`: in how many of them. */
  readonly when: (count: number, times?: number) => string;
  readonly had: (count: number) => string;
}
const runsOf = (runs: string, isWhole: boolean): Evidence => ({
  least: enough,
  usual: filled.usual,
  isWhole,
  when: (count, times = count) => `in ${times === count ? '' : `${times} of `}the last ${count} ${runs}`,
  had: (count) => `the last ${count} ${runs} had`,
});
const byRuns = runsOf('runs like this', true);
const byOthers = runsOf('runs with other params', false);
const byTest: Evidence = {
  least: 1,
  usual: filled.tested,
  isWhole: true,
  when: () => 'when the action was built',
  had: () => 'when the action was built it gave',
};

function fewer({ rows }: Run, usual: readonly Run[], evidence = byRuns): string | undefined {
  const counts = usual.map((run) => run.rows).sort((a, b) => a - b);
  const [least = 0, most = 0] = [counts[0], counts.at(-1)];
  const median = counts[Math.floor(counts.length / 2)] ?? 0;
  const low = counts[Math.floor(counts.length * (1 - ofRuns))] ?? 0;
  const isFar = median >= fewRows.least && rows < fewRows.share * median && rows < low / 2;
  // One test does not say how steady a list is.
  const isSteady = evidence.least > 1 && least >= fewOfSmall.steady * most;
  const isFarOfSmall =
    median < fewRows.least && isSteady && least >= fewOfSmall.least && rows <= fewOfSmall.share * least;
  const isHalf = least >= halfOf.least && isSteady && rows <= halfOf.share * least;
  if (low === 0 || (rows > 0 && !isFar && !isFarOfSmall && !isHalf)) return undefined;
  const range = least === most ? `${least}` : `${least} to ${most}`;
  const shown = ['There are no rows', 'There is only 1 row'][rows] ?? `There are only ${rows} rows`;
  return `${shown}; ${evidence.had(usual.length)} ${range}.`;
}

/** Fields that a sentence is said of. */
const maxChanged = 3;

function changedField(run: Run, usual: readonly Run[], evidence = byRuns): string | undefined {
  if (run.rows === 0) return undefined;
  const changed = commonFields(usual, evidence.least).flatMap(([name, earlier]) => {
    const when = (times = usual.length) => evidence.when(usual.length, times);
    const how = changeOf(run.fields[name], run.rows, earlier, { ...evidence, when });
    return how === undefined ? [] : `${name} ${how}`;
  });
  return changed.length === 0 ? undefined : changed.slice(0, maxChanged).join(' ');
}

/** What a field has become, with what it was. */
function changeOf(
  now: FieldShape | undefined,
  rows: number,
  earlier: readonly FieldShape[],
  { least, usual, isWhole, when }: Omit<Evidence, 'when'> & { readonly when: (times?: number) => string },
): string | undefined {
  const timesFilled = earlier.filter(({ fill }) => fill >= usual).length;
  const wasFilled = timesFilled >= Math.max(least, ofRuns * earlier.length);
  if (wasFilled && (now?.fill ?? 0) <= filled.now) return `is empty; ${when(timesFilled)} it was not.`;
  const wasFull = isWhole && earlier.every(({ fill }) => fill >= full.usual);
  if (wasFull && rows >= equalRows && now !== undefined && now.fill <= full.now)
    return `is empty in ${Math.round((1 - now.fill) * rows)} of ${rows} rows; ${when()} nearly all had it.`;
  const [kind, ...others] = new Set(earlier.flatMap(({ kinds }) => kinds));
  if (kind === undefined || others.length > 0 || now === undefined || now.kinds.length === 0)
    return undefined;
  return now.kinds.includes(kind)
    ? undefined
    : `holds ${now.kinds.map(plural).join(' and ')}; ${when()} it held ${plural(kind)}.`;
}

function equalField(run: Run, usual: readonly Run[], evidence = byRuns): string | undefined {
  if (run.rows < equalRows) return undefined;
  const isVaried = ({ values, distinct = 0 }: FieldShape, index: number) =>
    (values >= 3 && (evidence.least > 1 || distinct >= varied)) || (usual[index]?.rows ?? 0) < equalRows;
  const equal = commonFields(usual, evidence.least).find(([name, earlier]) => {
    const now = run.fields[name];
    return (
      now?.values === 1 &&
      now.fill === 1 &&
      earlier.every(isVaried) &&
      earlier.some(({ values }) => values >= 3)
    );
  });
  return (
    equal && `${equal[0]} is the same in all ${run.rows} rows; ${evidence.when(usual.length)} it was not.`
  );
}

function repeatedField(run: Run, usual: readonly Run[], evidence = byRuns): string | undefined {
  if (run.rows < equalRows || !evidence.isWhole) return undefined;
  const name = commonFields(usual, evidence.least).find(([field, earlier]) => {
    const now = run.fields[field];
    const wereApart = earlier.every(
      ({ distinct = 0 }, index) => distinct >= repeated.usual && (usual[index]?.rows ?? 0) >= equalRows,
    );
    return (
      wereApart && now?.distinct !== undefined && now.distinct <= repeated.now && now.fill >= filled.usual
    );
  })?.[0];
  return name && `${name} repeats in most rows; ${evidence.when(usual.length)} each row had its own.`;
}

function turned({ same = {} }: Run, usual: readonly Run[]): string | undefined {
  const names = Object.keys(same).filter((name) => same[name] === 0);
  const turnedName = names.find((name) => {
    const earlier = usual.flatMap(({ same: before }) => before?.[name] ?? []);
    return earlier.length >= enough - 1 && earlier.every((share) => share >= stays);
  });
  return (
    turnedName &&
    `${turnedName} changed in every row that was there before; between earlier runs it stayed the same in most.`
  );
}

/** The fields that all of the runs have. */
function commonFields(runs: readonly Run[], least = enough): [string, FieldShape[]][] {
  const withRows = runs.filter(({ rows }) => rows > 0);
  if (withRows.length < least) return [];
  const [first] = withRows;
  return Object.keys(first?.fields ?? {}).flatMap((name): [string, FieldShape[]][] => {
    const fields = withRows.flatMap((run) => run.fields[name] ?? []);
    return fields.length === withRows.length ? [[name, fields]] : [];
  });
}

function sinceOf(runs: readonly Run[], { call }: NewRun): { since?: string } {
  const like = runs.filter((run) => run.call === call);
  const lastGood = like.findLastIndex(({ doubtful }) => doubtful !== true);
  const first = like[lastGood + 1];
  return first === undefined ? {} : { since: new Date(first.at).toISOString() };
}

const plural = (kind: string): string =>
  ({ address: 'addresses', boolean: 'booleans', object: 'objects' })[kind] ?? `${kind}s`;
