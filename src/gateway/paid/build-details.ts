/** Details of a build beyond the specification: its steps, and other data of the site. */
import { BuildChoice } from '../../contract/endpoints.ts';
import type { BuildRequest } from '../../contract/resources.ts';
import { cleanText } from '../foundation/text.ts';

const maxSteps = 50;

/** The steps so far, in the service's words; only one if the service tells just the present step. */
function getSteps(build: BuildRequest | undefined): string[] {
  const stepList = Array.isArray(build?.steps) ? build.steps : [build?.progress ?? build?.step];
  return stepList
    .filter((step) => typeof step === 'string')
    .slice(-maxSteps)
    .map((step) => cleanText(step, 120))
    .filter((step) => step !== '');
}

/** Reports every step once, and that the build continues if nothing is new. */
export class StepReport {
  readonly #tell: (message: string) => void;
  readonly #startedAt = performance.now();
  #reported: readonly string[] = [];
  #seconds = 0;

  constructor(tell: (message: string) => void) {
    this.#tell = tell;
  }

  update(build: BuildRequest | undefined): void {
    const steps = getSteps(build);
    // A build that was taken up again by another process starts with the first step.
    const isFurther = this.#reported.every((step, index) => steps[index] === step);
    const news = isFurther ? steps.slice(this.#reported.length) : steps;
    this.#reported = steps;
    for (const step of news) this.#tell(step);
    const seconds = Math.floor((performance.now() - this.#startedAt) / 1000);
    if (seconds === this.#seconds || (build !== undefined && hasEnded(build))) return;
    this.#seconds = seconds;
    if (news.length === 0) this.#tell(`${steps.at(-1) ?? 'The build is under way'} (${seconds} s)`);
  }
}

/** Any other status, also an unknown one, means that the build continues. */
export const hasEnded = (build: BuildRequest) => build.status === 'success' || build.status === 'failed';

/** The choice that the service would make, for CHOICE_NEEDED; undefined where it names none. */
export const getGuess = (build: BuildRequest): BuildChoice | undefined =>
  build.error_type === 'CHOICE_NEEDED' ? BuildChoice.safeParse(build.choose).data : undefined;
