/** What a client's configuration says, and where it is. Each client has a file of its own here. */
import type * as z from 'zod';

/** A value that stays out of the file: the client looks it up when it starts the server. */
export interface Secret {
  /** The server's own variable, such as `SVC_API_KEY`. */
  readonly variable: string;
  readonly about: string;
  /** A file that holds the value, for clients that cannot refer to secrets (`<variable>_FILE`). */
  readonly file: string;
}

/** A server that the client starts, and speaks with over stdin and stdout. */
export interface LocalServer {
  readonly kind: 'local';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: readonly Secret[];
}

/** A server that runs elsewhere (`svc-mcp http`); without a header the client signs in by OAuth. */
export interface RemoteServer {
  readonly kind: 'remote';
  readonly url: string;
  readonly header: { readonly name: string; readonly prefix: string; readonly secret: Secret } | undefined;
}

export type Server = LocalServer | RemoteServer;

export type Json = z.infer<z.ZodJSONSchema>;
export type JsonObject = Record<string, Json>;

/** A value that VS Code asks its user for, once. */
export type Input = JsonObject & { readonly id: string };

/** What goes into a client's file: an entry under `<section>.<name>`, and the inputs it refers to. */
export interface Addition {
  readonly section: string;
  readonly name: string;
  readonly entry: Json;
  readonly inputs: readonly Input[];
}

/** The machine that the client runs on. */
export interface System {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface Client {
  /** As people call it. */
  readonly title: string;
  readonly format: 'json' | 'toml' | 'yaml';
  /** The table or object that holds the servers. */
  readonly section: string;
  /** Path of its configuration file. */
  file(system: System): string;
  /** Throws a `ClientConfigError` for a server that this client's file cannot name. */
  entry(server: Server, name: string): { readonly entry: JsonObject; readonly inputs: readonly Input[] };
  /** What the user does so that the client has the secret. */
  secretStep(secret: Secret): string;
  /** What makes the client read its file again. */
  readonly restartStep: string;
}

/** The usual entry of a started server: its command, and variables with `reference` in the place of each secret. */
export function localEntry(
  server: LocalServer,
  reference: (secret: Secret) => readonly [string, string],
): JsonObject {
  const env = { ...server.env, ...Object.fromEntries(server.secrets.map(reference)) };
  const { command, args } = server;
  return { command, args: [...args], ...(Object.keys(env).length === 0 ? {} : { env }) };
}

/** The header of a remote server with `reference` in the place of its secret; nothing without one. */
export function getHeaders(
  { header }: RemoteServer,
  reference: (secret: Secret) => string,
): { readonly headers?: JsonObject } {
  return header === undefined
    ? {}
    : { headers: { [header.name]: `${header.prefix}${reference(header.secret)}` } };
}

/** Where a program keeps its user's settings on this system, `folder` being its own. */
export function userSettings({ platform, home, environment }: System): string {
  if (platform === 'darwin') return `${home}/Library/Application Support`;
  if (platform === 'win32') return environment.APPDATA ?? `${home}\\AppData\\Roaming`;
  return environment.XDG_CONFIG_HOME || `${home}/.config`;
}
