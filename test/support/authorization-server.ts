/**
 * A real authorization server on loopback, which signs in whoever it is told to and asks nobody, and an OAuth client
 * whose person follows every redirect at once.
 *
 *     const server = await startAuthorizationServer();
 *     const person = new OAuthPerson(server, 'alice');
 *     const client = await person.connect(resource, 'stateless');
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { UnauthorizedError as FirstLineUnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as FirstLineClient } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as FirstLineTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { exportJWK } from 'jose';
import Provider, { type ClientMetadata } from 'oidc-provider';
import { newKey } from './issuer.ts';
import { type Era, modeOf } from './mcp-pipe.ts';

const closers: (() => Promise<unknown>)[] = [];

/** For `afterEach`. */
export async function closeAuthorizationServers(): Promise<void> {
  for (const close of closers.reverse().splice(0)) await close();
}

const scope = 'actions:read actions:run accounts:write builds:write';
const callback = 'https://client.example/callback';
/** A client that somebody registered before, with every scope. */
const registered: ClientMetadata = {
  client_id: 'registered-before',
  redirect_uris: [callback],
  grant_types: ['authorization_code'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

export interface AuthorizationServerProcess {
  readonly issuer: string;
  /** Scopes that clients asked for, in order. */
  readonly askedScopes: string[];
  /** Who signs in next. */
  user: string;
}

export async function startAuthorizationServer({
  tokenSeconds = 300,
} = {}): Promise<AuthorizationServerProcess> {
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined;
  const listener = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        listener.close(resolve);
        listener.closeAllConnections();
      }),
  );
  const address = listener.address();
  const issuer = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const state: AuthorizationServerProcess = { issuer, askedScopes: [], user: '' };
  const key = await newKey('RS256');
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(key.privateKey)), kid: key.kid, use: 'sig', alg: 'RS256' }] },
    clients: [registered],
    cookies: { keys: ['of the tests'] },
    pkce: { required: () => true },
    scopes: ['openid', 'offline_access', ...scope.split(' ')],
    findAccount: async (_context, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    ttl: { AccessToken: tokenSeconds, Grant: 3600, Interaction: 3600, Session: 3600 },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: async (_context, resource) => ({
          scope,
          audience: resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: tokenSeconds,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  const answer = provider.callback();
  handle = async (request, response) => {
    if (request.url?.startsWith('/interaction/') !== true) return answer(request, response);
    const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login') {
      state.askedScopes.push(String(params.scope));
      return provider.interactionFinished(request, response, { login: { accountId: state.user } });
    }
    const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
    const grant =
      known ??
      new provider.Grant({ accountId: session?.accountId ?? '', clientId: String(params.client_id) });
    const { missingOIDCScope, missingResourceScopes } = prompt.details;
    if (Array.isArray(missingOIDCScope)) grant.addOIDCScope(missingOIDCScope.join(' '));
    for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {})) {
      grant.addResourceScope(resource, [scopes].flat().join(' '));
    }
    const consent = { grantId: await grant.save() };
    return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
  };
  return state;
}

export interface Connected {
  readonly client: Client;
  /** Does it, and once more after the person allowed what the token did not. */
  steppingUp<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Somebody with a client of either line of packages, who signs in wherever they are sent. */
export class OAuthPerson implements OAuthClientProvider {
  readonly redirectUrl = callback;
  readonly clientMetadata = {
    client_name: 'a-test',
    redirect_uris: [callback],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  readonly #server: AuthorizationServerProcess;
  readonly #user: string;
  #client: StoredOAuthClientInformation | undefined;
  #discovered: OAuthDiscoveryState | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #verifier = '';
  #answer = new URLSearchParams();

  /** `registers`: its client registers itself, and is allowed what it asked for then. */
  constructor(server: AuthorizationServerProcess, user: string, { registers = false } = {}) {
    this.#server = server;
    this.#user = user;
    if (!registers) this.#client = { client_id: registered.client_id, issuer: server.issuer };
  }

  clientInformation() {
    return this.#client;
  }
  saveClientInformation(client: StoredOAuthClientInformation) {
    this.#client = client;
  }
  tokens() {
    return this.#tokens;
  }
  saveTokens(tokens: StoredOAuthTokens) {
    this.#tokens = tokens;
  }
  discoveryState() {
    return this.#discovered;
  }
  saveDiscoveryState(state: OAuthDiscoveryState) {
    this.#discovered = state;
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  codeVerifier() {
    return this.#verifier;
  }

  /** The browser: follows until it would get back to the client. */
  async redirectToAuthorization(first: URL) {
    this.#server.user = this.#user;
    const cookies = new Map<string, string>();
    let address = first;
    for (let steps = 0; steps < 10 && address.origin !== new URL(callback).origin; steps += 1) {
      const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
      const answer = await fetch(address, { redirect: 'manual', headers: { cookie } });
      for (const line of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      const location = answer.headers.get('location');
      if (location === null) throw new Error(`${address.pathname} led nowhere: ${await answer.text()}`);
      address = new URL(location, address);
    }
    this.#answer = address.searchParams;
    if (!this.#answer.has('code')) throw new Error(`No code: ${this.#answer}`);
  }

  get accessToken(): string {
    return this.#tokens?.access_token ?? '';
  }

  get grantedScope(): string {
    return this.#tokens?.scope ?? '';
  }

  /** Connects the current client, which is sent to sign in on its way. */
  async connect(resource: string, era: Era): Promise<Connected> {
    const open = () => {
      const client = new Client(
        { name: 'a-test', version: '1' },
        { versionNegotiation: { mode: modeOf(era) } },
      );
      const transport = new StreamableHTTPClientTransport(new URL(resource), { authProvider: this });
      closers.push(() => client.close());
      return { client, transport, connected: client.connect(transport) };
    };
    const first = open();
    const signedIn = async (transport: StreamableHTTPClientTransport, error: unknown) => {
      if (!(error instanceof UnauthorizedError)) throw error;
      await transport.finishAuth(this.#answer);
      return open();
    };
    const { client, transport, connected } = await first.connected.then(
      () => first,
      (error: unknown) => signedIn(first.transport, error),
    );
    await connected;
    const finish = () => transport.finishAuth(this.#answer);
    return {
      client,
      async steppingUp(work) {
        try {
          return await work();
        } catch (error) {
          if (!(error instanceof UnauthorizedError)) throw error;
          await finish();
          return work();
        }
      },
    };
  }

  /** The same with the first line of packages, over either of its transports. */
  async connectFirstLine(address: string, transportName: 'sse' | 'streamable'): Promise<FirstLineClient> {
    const open = () => {
      const client = new FirstLineClient({ name: 'a-test', version: '1' });
      closers.push(() => client.close());
      const url = new URL(address);
      const transport =
        transportName === 'sse'
          ? new SSEClientTransport(url, { authProvider: this })
          : new FirstLineTransport(url, { authProvider: this });
      return { client, transport };
    };
    const first = open();
    try {
      await first.client.connect(first.transport);
      return first.client;
    } catch (error) {
      if (!(error instanceof FirstLineUnauthorizedError)) throw error;
      await first.transport.finishAuth(this.#answer.get('code') ?? '');
    }
    const second = open();
    await second.client.connect(second.transport);
    return second.client;
  }
}
