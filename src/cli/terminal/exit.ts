/** How the command ends when something went wrong: one line on stderr, and a code that says what kind. */

/** Errors whose message is written for the user; of any other the developer needs the place too. */
const expectedNames = new Set([
  'SettingsError',
  'StoreError',
  'AdministrationError',
  'ClientConfigError',
  'PromptAborted',
  'GatewayError',
  'SubjectKeyError',
]);

/** 1: it failed. 2: the settings or the command line are wrong. */
export function exitWith(error: unknown): never {
  const isExpected = error instanceof Error && (expectedNames.has(error.name) || 'code' in error);
  const text =
    error instanceof Error ? (isExpected ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`svc-mcp: ${text}\n`);
  process.exit(error instanceof Error && error.name === 'SettingsError' ? 2 : 1);
}
