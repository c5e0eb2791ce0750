/** What a service may tell of a build beyond the specification: its steps, and what else the site has. */
import * as z from 'zod';
import type { BuildRequest } from '../../contract/resources.ts';
import { cleanText } from '../text.ts';

const maxSteps = 50;
const maxFields = 12;

/** The steps so far, in the service's words; one, where it tells only where it is now. */
export function stepsOf(build: BuildRequest | undefined): string[] {
  const told = Array.isArray(build?.steps) ? build.steps : [build?.progress ?? build?.step];
  return told
    .filter((step) => typeof step === 'string')
    .slice(-maxSteps)
    .map((step) => cleanText(step, 120))
    .filter((step) => step !== '');
}

/** Tells every step once, and that it goes on where nothing is new. */
export class StepReport {
  readonly #tell: (message: string) => void;
  readonly #startedAt = Date.now();
  #told: readonly string[] = [];
  #seconds = 0;

  constructor(tell: (message: string) => void) {
    this.#tell = tell;
  }

  update(build: BuildRequest | undefined): void {
    const steps = stepsOf(build);
    // A build that was taken up again by another process starts with the first step.
    const isFurther = this.#told.every((step, index) => steps[index] === step);
    const news = isFurther ? steps.slice(this.#told.length) : steps;
    this.#told = steps;
    for (const step of news) this.#tell(step);
    const seconds = Math.floor((Date.now() - this.#startedAt) / 1000);
    if (seconds === this.#seconds || (build !== undefined && hasEnded(build))) return;
    this.#seconds = seconds;
    if (news.length === 0) this.#tell(`${steps.at(-1) ?? 'The build is under way'} (${seconds} s)`);
  }
}

/** Any other status, also one that is new to us, is no end. */
export const hasEnded = (build: BuildRequest) => build.status === 'success' || build.status === 'failed';

const Names = z.array(z.string());

/** The fields that the goal asks for and the site does not show, as a service names them; they are its text. */
export const missingFields = (build: BuildRequest): string[] =>
  (Names.safeParse(build.missing_fields).data ?? [])
    .slice(0, maxFields)
    .map((field) => cleanText(field, 40))
    .filter((field) => field !== '');

const Alternatives = z.array(z.looseObject({ rows: z.number().catch(1), fields: z.array(z.string()) }));

/** A goal that gets what the service names first of all that it found instead; undefined where it names nothing. */
export function otherGoal(build: BuildRequest): string | undefined {
  const named = Alternatives.safeParse(build.alternatives).data ?? [];
  const first = named.find(({ fields }) => fields.length > 1);
  if (first === undefined) return undefined;
  const fields = first.fields.slice(0, maxFields).map((field) => cleanText(field, 40).replaceAll('_', ' '));
  return `${first.rows > 1 ? 'List all rows with' : 'Get'} ${fields.join(', ')}`;
}
