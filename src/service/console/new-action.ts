/** What the forms of a new action do: look at a page, show the rows of a choice, request the build. */
import { createHash, randomUUID } from 'node:crypto';
import type { Hono } from 'hono';
import * as z from 'zod';
import { BuildChoice, type BuildPreview } from '../../contract/endpoints.ts';
import { RequestError } from '../foundation/errors.ts';
import { clientAddress, type Environment, type Request } from '../http/authentication.ts';
import { requestBuild } from '../operations/build-requests.ts';
import { parseIdempotencyKey } from '../operations/idempotency.ts';
import type { ConsoleOptions } from './console-options.ts';
import { cut, type Html } from './html.ts';
import type { Visitor } from './layout.ts';
import {
  addressPage,
  candidatesPage,
  columnsPage,
  type NewAction,
  newActionPath,
  type Problem,
} from './new-action-page.ts';
import type { SessionGuard } from './session-guard.ts';

export function registerNewAction(
  console: Hono<Environment>,
  sessionGuard: SessionGuard,
  options: ConsoleOptions,
): void {
  const forms = new NewActionForms(options);
  console.get(
    newActionPath,
    sessionGuard.page((visitor, request) =>
      addressPage(visitor, {
        websiteUrl: request.req.query('website_url') ?? '',
        goal: request.req.query('goal') ?? '',
      }),
    ),
  );
  console.post(
    newActionPath,
    sessionGuard.form((visitor, posted, request) => forms.answer(visitor, posted, request)),
  );
}

class NewActionForms {
  readonly #options: ConsoleOptions;

  constructor(options: ConsoleOptions) {
    this.#options = options;
  }

  /** What comes after the step that was posted. */
  async answer(visitor: Visitor, posted: URLSearchParams, request: Request): Promise<Html | Response> {
    const form = readForm(posted);
    try {
      switch (posted.get('step')) {
        case 'columns':
          return columnsPage(visitor, await this.#look(visitor, request, form), form);
        case 'rows':
          return columnsPage(visitor, await this.#look(visitor, request, form, toBuildChoice(form)), form);
        case 'build':
          return await this.#build(visitor, request, form, posted.get('force') === 'true');
        default: {
          const start = { ...form, candidate: '', names: undefined };
          return candidatesPage(visitor, await this.#look(visitor, request, start), start);
        }
      }
    } catch (error) {
      return this.#again(visitor, request, form, error);
    }
  }

  #getRequester(visitor: Visitor, request: Request) {
    return { userId: visitor.user.id, address: clientAddress(request, this.#options.trustProxy) };
  }

  /** Counts like a preview over the interface. */
  async #look(
    visitor: Visitor,
    request: Request,
    { websiteUrl, goal, candidate }: NewAction,
    choose?: BuildChoice,
  ): Promise<BuildPreview> {
    await this.#options.rateLimits.count('previewBuild', this.#getRequester(visitor, request));
    const body = {
      website_url: websiteUrl,
      ...(goal === '' ? {} : { goal }),
      ...(candidate === '' ? {} : { candidate }),
      ...(choose === undefined ? {} : { choose }),
    };
    return this.#options.context.previewBuild(visitor.user.id, body, request.req.raw.signal);
  }

  /** The form again, with what was typed and what is wrong. */
  async #again(visitor: Visitor, request: Request, form: NewAction, error: unknown): Promise<Response> {
    if (!(error instanceof RequestError)) throw error;
    for (const [name, value] of Object.entries(error.headers)) request.header(name, value);
    const problem = toProblem(error);
    const page = await this.#pageFor(visitor, request, form, problem);
    return request.html(page, error.httpStatus === 429 ? 429 : 422);
  }

  async #pageFor(visitor: Visitor, request: Request, form: NewAction, problem: Problem): Promise<Html> {
    if (form.names === undefined) return addressPage(visitor, form, problem);
    try {
      return columnsPage(visitor, await this.#look(visitor, request, form), form, problem);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      return addressPage(visitor, form, problem);
    }
  }

  async #build(visitor: Visitor, request: Request, form: NewAction, force: boolean): Promise<Response> {
    const choose = toBuildChoice(form);
    const body = {
      website_url: form.websiteUrl,
      goal: form.goal || `List ${Object.keys(choose.fields).join(', ')}`,
      choose,
      visibility: form.isPublic ? 'public' : 'private',
      force,
    } as const;
    await this.#options.rateLimits.count('requestBuild', this.#getRequester(visitor, request));
    const digest = createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 32);
    const key = parseIdempotencyKey(`console-${form.nonce}-${digest}`, 'build', body);
    await requestBuild(this.#options.context, visitor.user.id, body, key);
    return request.redirect('/console/builds', 303);
  }
}

/** People write example.com. */
const withScheme = (address: string): string =>
  address === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`;

function readForm(posted: URLSearchParams): NewAction {
  const text = (name: string) => (posted.get(name) ?? '').replaceAll('\0', '').trim();
  const named = [...posted.keys()].filter((name) => name.startsWith('name-'));
  return {
    websiteUrl: withScheme(text('website_url')),
    goal: text('goal'),
    candidate: text('candidate'),
    names:
      named.length === 0 ? undefined : new Map(named.map((name) => [name.slice('name-'.length), text(name)])),
    isPublic: posted.get('public') === 'true',
    nonce: /^[\w-]{1,64}$/.test(text('nonce')) ? text('nonce') : randomUUID(),
  };
}

/** Throws a `RequestError` that says what is wrong with the names. */
function toBuildChoice({ candidate, names }: NewAction): BuildChoice {
  const chosenColumns = [...(names ?? [])].filter(([, name]) => name !== '');
  const refuse = (message: string) => new RequestError(400, 'INVALID_INPUT', message);
  if (chosenColumns.length === 0) throw refuse('Name at least one column');
  const fields = new Map<string, string>();
  for (const [column, name] of chosenColumns) {
    if (fields.has(name)) throw refuse(`Two columns are named ${name}; give each column its own name`);
    fields.set(name, column);
  }
  const { data, error } = BuildChoice.safeParse({ candidate, fields: Object.fromEntries(fields) });
  if (data === undefined) throw refuse(`A name is not usable: ${error.issues[0]?.message ?? ''}`);
  return data;
}

const Existing = z.array(z.object({ name: z.string() })).catch([]);

function toProblem({ code, message, httpStatus, extra }: RequestError): Problem {
  if (code === 'ACTION_EXISTS') {
    const names = Existing.parse(extra.existing_actions).map(({ name }) => cut(name, 100));
    return {
      message: `${message}: ${names.slice(0, 5).join('; ')}. Use one, or build another.`,
      mayForce: true,
    };
  }
  return {
    message: httpStatus === 429 ? `Too many attempts. ${message}.` : `${message.replace(/\.$/, '')}.`,
  };
}
