/** The service behind the scripted upstream: the specification in memory, with everything open to a test. */
import { randomUUID } from 'node:crypto';
import type { EndpointName } from '../../src/contract/endpoints.ts';
import { buildCredits, maxPendingBuilds } from '../../src/contract/limits.ts';
import type { BuildRequest, Identity } from '../../src/contract/resources.ts';
import type { ActionScript, CatalogScript, JobScript, UpstreamScript } from './upstream-script.ts';

export interface ScriptedAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface ScriptedJob {
  readonly id: string;
  readonly actionId: string;
  readonly params: unknown;
  readonly credentialId: unknown;
  readonly startedAt: number;
  readonly price: number;
  /** Replace it to end or change the job. */
  script: JobScript;
  /** Polls answered so far. */
  polls: number;
  refunded: boolean;
}

interface Call {
  readonly parameter: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly idempotencyKey?: string | undefined;
}

type KnownCatalog = CatalogScript & { readonly id: string; readonly category: string };

const epoch = '2026-01-01T00:00:00Z';

export class ScriptedService {
  balance: number;
  readonly catalogs = new Map<string, KnownCatalog>();
  /** Set an entry anew to change a price, a schema or the jobs to come; delete it to take it away. */
  readonly actions = new Map<string, ActionScript>();
  readonly jobs = new Map<string, ScriptedJob>();
  readonly identities: Identity[];
  readonly builds: BuildRequest[] = [];
  /** When a build was accepted (`performance.now()`), by its id. */
  readonly buildsAcceptedAt = new Map<string, number>();
  /** Milliseconds after which a build has succeeded with the first action; undefined: `finishBuild` ends it. */
  buildMs: number | undefined;
  /** The header `Svc-Extensions` of every answer. With `idempotency`, a request whose key was accepted is not carried out again. */
  extensions: string | undefined;
  /** What was accepted, by idempotency key. */
  readonly #accepted = new Map<string, ScriptedAnswer>();
  /** POST /login answers 200 with this code instead of `verified`. */
  loginFailure: string | undefined;
  /** Who signs in, as POST /login and the credentials then tell it. */
  siteUser: string | undefined;
  /** What POST /build-request/preview answers; without it there is no such path. */
  preview: ScriptedAnswer | undefined;
  /** Answers the extension `action-edit`; without it the service has no such paths. */
  edits: ((endpoint: EndpointName, body: Record<string, unknown>) => ScriptedAnswer) | undefined;

  constructor(script: UpstreamScript) {
    this.balance = script.balance ?? 1000;
    this.extensions = script.extensions;
    this.identities = [...(script.identities ?? [])];
    for (const catalog of script.catalogs ?? []) this.#addCatalog(catalog);
    for (const action of script.actions ?? []) this.addAction(action);
  }

  addAction(action: ActionScript): void {
    this.actions.set(action.action_id, action);
    const slug = action.catalog_slug ?? 'example';
    if (!this.catalogs.has(slug)) this.#addCatalog({ slug });
  }

  /** Ends a build: with an action it is published, without one it has failed and is refunded. */
  finishBuild(id: string, action?: ActionScript): void {
    const build = this.builds.find((candidate) => candidate.id === id);
    if (build === undefined) throw new Error(`No build ${id}`);
    if (action === undefined) {
      Object.assign(build, { status: 'failed', error: 'No data found', error_type: 'EXTRACTION_FAILED' });
      this.balance += build.credits_charged;
      return;
    }
    this.addAction({ mine: true, ...action });
    Object.assign(build, { status: 'success', action_id: action.action_id });
  }

  error(status: number, code: string, message: string, extra: object = {}): ScriptedAnswer {
    return { status, body: { status: 'error', error: { code, message, ...extra } } };
  }

  answer(endpoint: EndpointName, call: Call): ScriptedAnswer {
    const key = this.extensions?.includes('idempotency') === true ? call.idempotencyKey : undefined;
    const earlier = key === undefined ? undefined : this.#accepted.get(key);
    if (earlier !== undefined) return earlier;
    const answer = this.#answer(endpoint, call);
    if (key !== undefined && answer.status < 300) this.#accepted.set(key, answer);
    return answer;
  }

  #answer(endpoint: EndpointName, call: Call): ScriptedAnswer {
    switch (endpoint) {
      case 'listCatalogs':
        return this.#listCatalogs(call.query.get('scope') === 'my');
      case 'getCatalog':
        return this.#getCatalog(call.parameter);
      case 'search':
        return this.#search(call.query);
      case 'login':
        return this.#login(record(call.body));
      case 'submitTask':
        return this.#submitTask(record(call.body));
      case 'getJob':
        return this.#getJob(call.parameter);
      case 'listIdentities':
        return this.#listIdentities(call.query.get('catalog_id'));
      case 'getIdentity':
        return this.#getIdentity(call.parameter);
      case 'requestBuild':
        return this.#requestBuild(record(call.body));
      case 'previewBuild':
        return this.preview ?? this.error(404, 'NOT_FOUND', 'No such path');
      case 'getUsage':
        return { status: 200, body: { status: 'ok', balance: this.balance, spent_today: 0 } };
      case 'editAction':
      case 'removeAction':
      case 'revertAction':
      case 'repairAction':
        return this.edits?.(endpoint, record(call.body)) ?? this.error(404, 'NOT_FOUND', 'No such path');
      case 'listBuildRequests':
        this.#endBuilds();
        return { status: 200, body: { status: 'ok', build_requests: this.builds.toReversed() } };
    }
  }

  #endBuilds(): void {
    const { buildMs } = this;
    const [action_id] = this.actions.keys();
    if (buildMs === undefined) return;
    for (const build of this.builds) {
      const age = performance.now() - (this.buildsAcceptedAt.get(build.id) ?? 0);
      if (build.status === 'pending' && age >= buildMs)
        Object.assign(build, { status: 'success', action_id });
    }
  }

  #addCatalog(catalog: CatalogScript): void {
    this.catalogs.set(catalog.slug, { id: randomUUID(), category: 'commerce', ...catalog });
  }

  #actionsOf(slug: string): ActionScript[] {
    return [...this.actions.values()].filter((action) => (action.catalog_slug ?? 'example') === slug);
  }

  #catalogEntry(catalog: KnownCatalog) {
    const domain = catalog.domain ?? `${catalog.slug}.example`;
    const actions = this.#actionsOf(catalog.slug);
    return {
      id: catalog.id,
      slug: catalog.slug,
      name: catalog.name ?? catalog.slug,
      url: `https://${domain}/`,
      domain,
      category: catalog.category,
      description: `Actions for ${domain}`,
      logo_url: `https://${domain}/logo.png`,
      auth_required: actions.some((action) => action.auth_mode === 'required'),
      auth_type: catalog.auth_types?.[0] ?? null,
      auth_types: catalog.auth_types ?? [],
      auth_login_url: catalog.auth_login_url ?? null,
      status: 'active',
      created_at: epoch,
      updated_at: epoch,
      action_count: actions.length,
    };
  }

  #listCatalogs(mine: boolean): ScriptedAnswer {
    const catalogs = [...this.catalogs.values()].filter((catalog) =>
      this.#actionsOf(catalog.slug).some((action) => !mine || action.mine === true),
    );
    return { status: 200, body: { catalog: catalogs.map((catalog) => this.#catalogEntry(catalog)) } };
  }

  #getCatalog(slug: string): ScriptedAnswer {
    const catalog = this.catalogs.get(slug);
    if (catalog === undefined) return this.error(404, 'NOT_FOUND', 'No such catalog');
    const actions = this.#actionsOf(slug).map((action) => ({
      id: `id-of-${action.action_id}`,
      action_id: action.action_id,
      catalog_id: catalog.id,
      tags: action.tags ?? [],
      type: action.type ?? 'scrape',
      credits_per_call: action.credits ?? 1,
      parameters: parametersOf(action),
      wheel_version: '1.0.0',
      status: 'active',
      owner_user_id: action.mine === true ? 'me' : null,
      created_at: epoch,
      updated_at: epoch,
      ...commonFields(action),
    }));
    return {
      status: 200,
      body: {
        catalog: this.#catalogEntry(catalog),
        actions,
        ...(catalog.login_input_schema && { login_input_schema: catalog.login_input_schema }),
      },
    };
  }

  #search(query: URLSearchParams): ScriptedAnswer {
    const q = query.get('q')?.toLowerCase() ?? '';
    const results = [...this.actions.values()]
      .filter((action) => {
        const slug = action.catalog_slug ?? 'example';
        const text = [action.name ?? action.action_id, action.description, ...(action.tags ?? [])].join(' ');
        return (
          text.toLowerCase().includes(q) &&
          (query.get('catalog') ?? slug) === slug &&
          (query.get('category') ?? this.catalogs.get(slug)?.category) ===
            this.catalogs.get(slug)?.category &&
          !(query.get('auth') === 'false' && action.auth_mode === 'required')
        );
      })
      .map((action) => {
        const slug = action.catalog_slug ?? 'example';
        const catalog = this.catalogs.get(slug);
        return {
          action_id: action.action_id,
          catalog_name: catalog?.name ?? slug,
          catalog_slug: slug,
          connected: this.identities.some(
            (identity) =>
              identity.catalog_id === catalog?.id &&
              identity.credentials.some((credential) => credential.status === 'active'),
          ),
          params: parametersOf(action),
          credits: action.credits ?? 1,
          ...commonFields(action),
        };
      });
    return { status: 200, body: { results } };
  }

  #login(body: Readonly<Record<string, unknown>>): ScriptedAnswer {
    const catalog = this.catalogs.get(String(body.catalog_slug));
    if (catalog === undefined) return this.error(400, 'CATALOG_NOT_FOUND', 'No such catalog');
    if (catalog.login_input_schema === undefined) {
      return this.error(400, 'LOGIN_NOT_SUPPORTED', 'This catalog has no credentials login');
    }
    const params = record(body.params);
    const missing = catalog.login_input_schema.filter((field) => field.required && !params[field.name]);
    if (missing.length > 0) {
      const missing_fields = missing.map((field) => field.name);
      return this.error(400, 'INVALID_PARAMS', 'Fields are missing', { missing_fields });
    }
    if (this.loginFailure !== undefined) return this.error(200, this.loginFailure, 'Sign-in failed');
    const name = String(body.identity_name ?? params.email ?? params.username ?? 'default');
    const found = this.identities.find((one) => one.catalog_id === catalog.id && one.name === name);
    const identity = found ?? this.#addIdentity(catalog.id, name);
    const credential_id = identity.credentials[0]?.id;
    const told = this.siteUser === undefined ? {} : { site_user: this.siteUser };
    for (const credential of identity.credentials) Object.assign(credential, { status: 'active', ...told });
    return {
      status: 201,
      body: {
        status: 'verified',
        identity_id: identity.id,
        identity_name: name,
        credential_id,
        catalog_id: catalog.id,
        catalog_slug: catalog.slug,
        expires_at: new Date(Date.now() + 24 * 3600 * 1000).toISOString(),
        ...told,
      },
    };
  }

  #addIdentity(catalogId: string, name: string): Identity {
    const id = randomUUID();
    const identity: Identity = {
      id,
      catalog_id: catalogId,
      name,
      is_default: !this.identities.some((other) => other.catalog_id === catalogId),
      created_at: epoch,
      credentials: [
        {
          id: randomUUID(),
          identity_id: id,
          credential_type: 'credentials',
          status: 'active',
          last_used_at: epoch,
          created_at: epoch,
        },
      ],
    };
    this.identities.push(identity);
    return identity;
  }

  #submitTask(body: Readonly<Record<string, unknown>>): ScriptedAnswer {
    const action = this.actions.get(String(body.action_id));
    if (action === undefined) return this.error(404, 'NOT_FOUND', 'No such action');
    if (action.auth_mode === 'required' && body.credential_id === undefined) {
      return this.error(401, 'AUTH_REQUIRED', 'Connect an account', {
        connect_url: `/connect/${action.catalog_slug ?? 'example'}`,
      });
    }
    const price = action.credits ?? 1;
    if (this.balance < price) {
      const extra = { balance: this.balance, required: price };
      return this.error(402, 'INSUFFICIENT_CREDITS', 'Not enough credits', extra);
    }
    this.balance -= price;
    const job: ScriptedJob = {
      id: randomUUID(),
      actionId: action.action_id,
      params: body.params,
      credentialId: body.credential_id,
      startedAt: performance.now(),
      price,
      script: typeof action.job === 'function' ? action.job(body.params) : (action.job ?? {}),
      polls: 0,
      refunded: false,
    };
    this.jobs.set(job.id, job);
    if (action.mode === 'sync') return { status: 200, body: this.#ended(job) };
    return {
      status: 202,
      body: { status: 'processing', job_id: job.id, poll_url: `/v1/svc/jobs/${job.id}` },
    };
  }

  #getJob(id: string): ScriptedAnswer {
    const job = this.jobs.get(id);
    if (job === undefined) return this.error(404, 'NOT_FOUND', 'No such job');
    job.polls += 1;
    const early = job.polls <= (job.script.polls ?? 0);
    if (early || performance.now() - job.startedAt < (job.script.ms ?? 0)) {
      return { status: 200, body: { status: 'processing' } };
    }
    return { status: 200, body: this.#ended(job) };
  }

  #ended(job: ScriptedJob) {
    if (job.script.error !== undefined) {
      if (!job.refunded) this.balance += job.price;
      job.refunded = true;
      return { status: 'failed', error: job.script.error, credits_used: 0 };
    }
    return {
      status: 'completed',
      data: 'data' in job.script ? job.script.data : { params: job.params ?? null },
      credits_used: job.script.creditsUsed ?? job.price,
      execution_ms: Math.round(performance.now() - job.startedAt),
    };
  }

  #listIdentities(catalogId: string | null): ScriptedAnswer {
    const identities = this.identities.filter((one) => catalogId === null || one.catalog_id === catalogId);
    return { status: 200, body: { status: 'ok', identities } };
  }

  #getIdentity(id: string): ScriptedAnswer {
    const identity = this.identities.find((one) => one.id === id);
    if (identity === undefined) return this.error(404, 'NOT_FOUND', 'No such identity');
    return { status: 200, body: { status: 'ok', identity } };
  }

  #requestBuild(body: Readonly<Record<string, unknown>>): ScriptedAnswer {
    const url = URL.canParse(String(body.website_url)) ? new URL(String(body.website_url)) : undefined;
    if (url === undefined || typeof body.goal !== 'string') {
      return this.error(400, 'INVALID_INPUT', 'website_url and goal are required');
    }
    const domain = url.hostname.replace(/^www\./, '');
    const catalog = [...this.catalogs.values()].find(
      (one) => (one.domain ?? `${one.slug}.example`) === domain,
    );
    const existing = catalog === undefined ? [] : this.#actionsOf(catalog.slug);
    if (existing.length > 0 && body.force !== true) {
      return this.error(409, 'ACTION_EXISTS', 'Similar actions exist', {
        existing_actions: existing.map(({ action_id, name, description }) => ({
          action_id,
          name: name ?? action_id,
          description: description ?? null,
        })),
      });
    }
    if (this.builds.filter((build) => build.status === 'pending').length >= maxPendingBuilds) {
      return this.error(429, 'BUILD_LIMIT_REACHED', 'Too many pending build requests');
    }
    if (this.balance < buildCredits) {
      const extra = { balance: this.balance, required: buildCredits };
      return this.error(402, 'INSUFFICIENT_CREDITS', 'Not enough credits', extra);
    }
    this.balance -= buildCredits;
    const build: BuildRequest = {
      id: randomUUID(),
      user_id: 'me',
      website_url: url.href,
      domain,
      goal: body.goal,
      visibility: String(body.visibility ?? 'private'),
      status: 'pending',
      credits_charged: buildCredits,
      created_at: new Date().toISOString(),
      updated_at: epoch,
    };
    this.builds.push(build);
    this.buildsAcceptedAt.set(build.id, performance.now());
    return { status: 201, body: { status: 'ok', build_request: build } };
  }
}

/** What an action shows in both listings. */
function commonFields(action: ActionScript): Record<string, unknown> {
  const auth_mode = action.auth_mode ?? 'none';
  return {
    name: action.name ?? action.action_id,
    description: action.description === undefined ? `Runs ${action.action_id}` : action.description,
    mode: action.mode ?? 'async',
    auth_mode,
    auth_required: auth_mode === 'required',
    ...action.overrides,
  };
}

function parametersOf(action: ActionScript): unknown {
  return action.parameters === undefined ? { type: 'object', properties: {} } : action.parameters;
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
