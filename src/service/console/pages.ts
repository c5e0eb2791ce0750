/**
 * The building blocks of the console: pages that load and show, and forms that act. `console.ts` has the table of all.
 */

import { isLoopback } from '../../contract/web-address.ts';
import type { Html } from '../../http/page.ts';
import { clientAddress } from '../../http/server.ts';
import type { ServiceRequest } from '../api/authentication.ts';
import type { RateLimits } from '../api/rate-limits.ts';
import { AdministrationError, RequestError } from '../foundation/errors.ts';
import { notFound } from '../foundation/request-error.ts';
import type { Context } from '../operations/context.ts';
import type { SignInWindows } from '../operations/sign-in-windows.ts';
import type { GuardOptions } from './guard.ts';
import { cut, sentence } from './html.ts';
import { findParent, layout, type PageLink, type Problem, type Section } from './layout.ts';
import type { Visitor } from './sessions.ts';

export interface ConsoleOptions extends GuardOptions {
  readonly context: Context;
  readonly rateLimits: RateLimits;
}

/** No id or name contains NUL, and databases refuse it. */
const plain = (text: string | undefined): string => (text?.includes('\0') ? '' : (text ?? ''));

export type ActionNames = ReadonlyMap<string, string>;

/** A request of a signed-in user. */
export class Visit {
  readonly context: Context;
  readonly windows: SignInWindows;
  readonly visitor: Visitor;
  readonly request: ServiceRequest;
  readonly userId: string;
  readonly #options: ConsoleOptions;

  constructor(options: ConsoleOptions, windows: SignInWindows, visitor: Visitor, request: ServiceRequest) {
    this.#options = options;
    this.context = options.context;
    this.windows = windows;
    this.visitor = visitor;
    this.request = request;
    this.userId = visitor.user.id;
  }

  /** A part of the path, by its name. */
  part(name: string): string {
    return plain(this.request.req.param(name));
  }

  query(name: string): string {
    return plain(this.request.req.query(name));
  }

  /** The query's entries of these names, for filters and for links that keep them. */
  queries<Name extends string>(...names: readonly Name[]): Record<Name, string>;
  queries(...names: readonly string[]): Record<string, string> {
    return Object.fromEntries(names.map((name) => [name, this.query(name).trim().slice(0, 200)]));
  }

  /** From 1; 1 if the query has no valid page number. */
  get pageNumber(): number {
    const text = this.query('page');
    return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1;
  }

  /** Counts towards the same limit as requests over the interface. Throws 429. */
  count(endpoint: Parameters<RateLimits['count']>[0]): Promise<void> {
    return this.#options.rateLimits.count(endpoint, { userId: this.userId, address: this.#clientAddress });
  }

  get #clientAddress(): string {
    return clientAddress(this.request.env.incoming, this.#options.trustProxy);
  }

  /** Whether the visitor is at the service's machine, and sees a window that is opened there. */
  get seesWindows(): boolean {
    return this.context.signInBrowser !== undefined && isLoopback(this.#clientAddress);
  }

  /** Undefined for what the user does not see. */
  async findAction(actionId: string) {
    return (await this.context.publication.current()).action(actionId, this.userId);
  }

  /** By id, without those that the user does not see any more. */
  async readActionNames(actionIds: readonly (string | null | undefined)[]): Promise<ActionNames> {
    const listing = await this.context.publication.current();
    const names = new Map<string, string>();
    for (const id of new Set(actionIds)) {
      const name = listing.action(id ?? '', this.userId)?.action.definition.name;
      if (name !== undefined) names.set(id ?? '', cut(name, 200));
    }
    return names;
  }

  /** The service's own, as the visitor's browser names it. */
  get address(): string {
    return this.#options.publicUrl?.replace(/\/+$/, '') ?? new URL(this.request.req.url).origin;
  }

  goTo(path: string): Response {
    return this.request.redirect(path, 303);
  }

  async show(html: Html, status: 200 | 422 | 429 = 200): Promise<Response> {
    return this.request.html(html, status);
  }
}

export interface ConsoleRoute {
  readonly method: 'get' | 'post';
  readonly path: string;
  /** `posted` is empty for a page. */
  readonly answer: (visit: Visit, posted: URLSearchParams) => Promise<Response>;
}

interface PageDefinition<Data> {
  readonly path: string;
  readonly section: Section;
  /** Default: the section's name. */
  readonly title?: string | ((data: Data) => string);
  /** Calls an operation of the interface. Its `NOT_FOUND` becomes a page. */
  readonly load: (visit: Visit) => Data | Promise<Data>;
  readonly view: (data: Data, visit: Visit) => Html | Promise<Html>;
  /** The page above this one. Default: that of the section. */
  readonly parent?: (data: Data) => PageLink;
  /** In so many seconds the page is loaded again. */
  readonly again?: (data: Data) => number | undefined;
  readonly problem?: (data: Data) => Problem | undefined;
  /** Nobody else finds the page. */
  readonly isOperators?: true;
}

export interface ConsolePage<Data> extends ConsoleRoute, Pick<PageDefinition<Data>, 'load'> {
  /** The page with other data, such as the entries of its form, and the problem with them. */
  readonly render: (visit: Visit, data: Data, problem?: Problem) => Promise<Html>;
}

export function page<Data>(definition: PageDefinition<Data>): ConsolePage<Data> {
  const { path, section, title = section } = definition;
  const render = async (visit: Visit, data: Data, problem?: Problem): Promise<Html> =>
    layout(
      {
        title: typeof title === 'string' ? title : title(data),
        section,
        visitor: visit.visitor,
        parent: definition.parent?.(data) ?? findParent(section, path),
        again: definition.again?.(data),
        problem: problem ?? definition.problem?.(data),
      },
      await definition.view(data, visit),
    );
  const answer = async (visit: Visit) => {
    if (definition.isOperators === true && !visit.visitor.isOperator) throw notFound('page');
    return visit.show(await render(visit, await definition.load(visit)));
  };
  return { method: 'get', path, load: definition.load, render, answer };
}

interface FormDefinition {
  readonly path: string;
  /** Nobody else finds the form. */
  readonly isOperators?: true;
  readonly accept: (visit: Visit, posted: URLSearchParams) => Promise<Response>;
  /** Shows the form again with what was typed and what is wrong. Absent: the refusal is a page of its own. */
  readonly again?: (
    visit: Visit,
    posted: URLSearchParams,
    problem: Problem,
    error: RequestError,
  ) => Promise<Html>;
}

export const form = ({ path, accept, again, isOperators }: FormDefinition): ConsoleRoute => ({
  method: 'post',
  path,
  async answer(visit, posted) {
    if (isOperators === true && !visit.visitor.isOperator) throw notFound('page');
    try {
      return await accept(visit, posted);
    } catch (error) {
      if (error instanceof AdministrationError) throw new RequestError(400, 'INVALID_INPUT', error.message);
      // `NOT_FOUND` always becomes a page of its own.
      if (again === undefined || !(error instanceof RequestError) || error.httpStatus === 404) throw error;
      for (const [name, value] of Object.entries(error.headers)) visit.request.header(name, value);
      const html = await again(visit, posted, { message: describeRefusal(error) }, error);
      return visit.show(html, error.httpStatus === 429 ? 429 : 422);
    }
  },
});

export const describeRefusal = ({ httpStatus, message }: RequestError): string =>
  httpStatus === 429 ? `Too many attempts. ${sentence(message)}` : sentence(message);

/** A download. */
export const file = (
  path: string,
  type: string,
  load: (visit: Visit) => Promise<{ readonly name: string; readonly text: string }>,
): ConsoleRoute => ({
  method: 'get',
  path,
  async answer(visit) {
    const { name, text } = await load(visit);
    return visit.request.body(text, 200, {
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Disposition': `attachment; filename="${name}"`,
    });
  },
});
