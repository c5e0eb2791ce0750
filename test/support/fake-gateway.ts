/** A gateway in memory that records what it is asked and answers as a test says. */
import type {
  CallContext,
  Gateway,
  ListedTool,
  ToolListing,
  WatchNews,
} from '../../src/gateway/interface/gateway.ts';
import type { Completed, JsonObject, Outcome, RunBody } from '../../src/gateway/interface/outcomes.ts';

export interface FakeCall {
  readonly method: keyof Gateway;
  readonly input: object;
  readonly context: CallContext;
}

export const completed: Completed = {
  status: 'completed',
  job_id: 'job-1',
  data: { title: 'A book' },
  credits_used: 3,
  job_credits: 3,
  execution_ms: 12,
};

export function listedTool(name: string, more: Partial<ListedTool> = {}): ListedTool {
  return {
    name,
    title: `Title of ${name}`,
    description: `Does ${name}. Costs 3 credits.`,
    inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
    actionId: `action/${name}`,
    effect: 'spends',
    ...more,
  };
}

export class FakeGateway implements Gateway {
  readonly calls: FakeCall[] = [];
  readonly closedWith: (number | undefined)[] = [];
  waitsEnded = 0;
  /** Answers runs, of a tool or by id. */
  onRun: (call: FakeCall) => Promise<Outcome<RunBody>> = async () => ({ body: completed });
  /** Answers everything else. */
  onCall: (call: FakeCall) => Promise<Outcome> = async ({ method }) => ({ body: { status: 'ok', method } });
  #listing: ToolListing;
  readonly #listeners = new Set<() => void>();

  constructor(...tools: ListedTool[]) {
    this.#listing = { tools, unlisted: 0 };
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  changeListing(...tools: ListedTool[]): void {
    this.#listing = { tools, unlisted: 0 };
    for (const listener of this.#listeners) listener();
  }

  async listing() {
    return this.#listing;
  }
  async nearestTool() {
    return undefined;
  }
  async unavailableActions() {
    return [];
  }

  websites() {
    return ['shop'];
  }
  async whenRead() {}
  async guides() {
    return [];
  }
  async guide() {
    return undefined;
  }
  onListingChange(listener: () => void) {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
  endWaits() {
    this.waitsEnded += 1;
  }
  async close(graceMs?: number) {
    this.closedWith.push(graceMs);
  }

  async runTool(name: string, args: JsonObject, context: CallContext) {
    if (!this.#listing.tools.some((tool) => tool.name === name)) return undefined;
    return this.#run({ method: 'runTool', input: { name, args }, context });
  }
  runAction(input: object, context: CallContext) {
    return this.#run({ method: 'runAction', input, context });
  }
  searchActions(input: object, context: CallContext) {
    return this.#call({ method: 'searchActions', input, context });
  }
  browseCatalogs(input: object, context: CallContext) {
    return this.#call({ method: 'browseCatalogs', input, context });
  }
  getJob(input: object, context: CallContext) {
    return this.#call({ method: 'getJob', input, context });
  }
  login(input: object, context: CallContext) {
    return this.#call({ method: 'login', input, context });
  }
  /** How the person's sign-in ends; `onCall` and `onRun` see the question before. */
  onAwaitSignIn: Gateway['awaitSignIn'] = async () => 'verified';
  awaitSignIn(...args: Parameters<Gateway['awaitSignIn']>) {
    return this.onAwaitSignIn(...args);
  }
  listIdentities(input: object, context: CallContext) {
    return this.#call({ method: 'listIdentities', input, context });
  }
  requestBuild(input: object, context: CallContext) {
    return this.#call({ method: 'requestBuild', input, context });
  }
  editAction(input: object, context: CallContext) {
    return this.#call({ method: 'editAction', input, context });
  }
  watch(input: object, context: CallContext) {
    return this.#call({ method: 'watch', input, context });
  }
  listWatches(input: object, context: CallContext) {
    return this.#call({ method: 'listWatches', input, context });
  }
  /** What watches have told and nobody has read. */
  news: WatchNews | undefined;
  readonly newsListeners = new Set<(ids: readonly string[]) => void>();
  onWatchNews(listener: (ids: readonly string[]) => void) {
    this.newsListeners.add(listener);
    return () => void this.newsListeners.delete(listener);
  }
  watchNews() {
    return this.news;
  }
  serveWatches() {}
  async runDueWatches() {}
  previewBuild(input: object, context: CallContext) {
    return this.#call({ method: 'previewBuild', input, context });
  }
  runBatch(input: object, context: CallContext) {
    return this.#call({ method: 'runBatch', input, context });
  }
  getUsage(context: Pick<CallContext, 'signal'>) {
    const whole = { waitMs: 0, progress: () => undefined, confirmation: 'cannot-ask', ...context } as const;
    return this.#call({ method: 'getUsage', input: {}, context: whole });
  }
  listBuildRequests(input: object, context: CallContext) {
    return this.#call({ method: 'listBuildRequests', input, context });
  }
  /** There are none: tests of tasks take a real gateway. */
  readonly tasks: Gateway['tasks'] = {
    open: () => Promise.reject(new Error('This gateway keeps nothing')),
    look: async () => undefined,
    cancel: async () => undefined,
  };

  names: Gateway['names'] = async () => [];

  #run(call: FakeCall) {
    this.calls.push(call);
    return this.onRun(call);
  }
  #call(call: FakeCall) {
    this.calls.push(call);
    return this.onCall(call);
  }
}
