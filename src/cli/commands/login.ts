/** `svc-mcp login <slug>`: signs in from a terminal, for machines without a browser; nothing typed is shown or kept. */
import * as z from 'zod';
import { fieldLabel, isSecretField, typedValue } from '../../contract/login-fields.ts';
import { LoginField } from '../../contract/resources.ts';
import { getLoginValues } from '../../gateway/accounts/login.ts';
import { SettingsError, SignInError } from '../config/errors.ts';
import { type Flags, settingArguments } from '../config/flags.ts';
import { loadSettings } from '../config/load.ts';
import { loginValues, loginVariable } from '../config/login-values.ts';
import { openSession, type ToolAnswer, type ToolSession } from '../setup/session.ts';
import { unknownCatalog } from '../setup/unknown-catalog.ts';
import { openPrompt } from '../terminal/prompt.ts';
import { describeFailure, failureCode } from '../terminal/text.ts';

const Details = z.looseObject({
  catalog: z.looseObject({ name: z.string(), auth_types: z.array(z.string()).default([]) }),
  login_input_schema: z.array(LoginField).optional(),
});
const SignInRequired = z.looseObject({ status: z.literal('sign_in_required'), login_url: z.string() });
const Verified = z.looseObject({
  status: z.literal('verified'),
  identity_name: z.string().optional(),
  expires_at: z.string().optional(),
});

export async function login(slug: string, flags: Flags): Promise<void> {
  const settings = loadSettings(process.env, flags);
  // A person types here, not an agent, so SVC_LOGIN_PARAMS does not apply.
  const session = await openSession(settings, [...settingArguments(flags), '--login-params=allow']);
  try {
    const details = await session.callTool('browse_catalogs', { catalog: slug });
    if (details.isError && flags.json !== true && failureCode(details.body) === 'NOT_FOUND')
      throw await unknownCatalog(slug, settings);
    if (details.isError) return report(details, flags);
    const { catalog, login_input_schema: fields = [] } = Details.parse(details.body);
    // The console page that signs in there ends with this command.
    if (settings.baseUrl === undefined && catalog.auth_types.includes('browser_state') && fields.length === 0)
      throw new SignInError(`${slug} signs in with a browser window: svc-mcp connect ${slug}`);
    const params =
      getLoginValues(slug, fields, loginValues(process.env)) ?? (await ask(slug, catalog.name, fields));
    return report(await signIn(session, slug, flags, params), flags);
  } finally {
    await session.close();
  }
}

async function ask(
  slug: string,
  name: string,
  fields: readonly LoginField[],
): Promise<Record<string, unknown>> {
  if (!process.stdin.isTTY && fields.length > 0) {
    const variables = fields
      .filter(({ required }) => required)
      .map((field) => loginVariable(slug, field.name));
    throw new SettingsError(
      `login asks on a terminal. Without a terminal, set ${variables.join(' and ')} (or …_FILE)`,
    );
  }
  const params: Record<string, unknown> = {};
  if (fields.length === 0) return params;
  process.stderr.write(`Sign in to ${name}\n`);
  const prompt = openPrompt();
  try {
    for (const field of fields) {
      const { label, hint } = fieldLabel(field.name, field.description);
      const notes = [...(hint === '' ? [] : [hint]), ...(field.required ? [] : ['optional'])];
      const question = `${label}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}: `;
      const text = await prompt.ask(question, { secret: isSecretField(field) });
      if (text !== '') params[field.name] = typedValue(field, text);
    }
  } finally {
    prompt.close();
  }
  return params;
}

function signIn(
  session: ToolSession,
  catalog: string,
  { identity }: Flags,
  params: Record<string, unknown>,
): Promise<ToolAnswer> {
  const account = typeof identity === 'string' ? { identity_name: identity } : {};
  return session.callTool('login', { catalog, ...account, params });
}

function report({ body, shown, isError }: ToolAnswer, flags: Flags): void {
  if (isError) process.exitCode = 1;
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify(body, undefined, 2)}\n`);
    return;
  }
  const verified = Verified.safeParse(body);
  if (verified.success) {
    const { identity_name = '', expires_at } = verified.data;
    const until = expires_at === undefined ? '' : `, until ${expires_at}`;
    process.stdout.write(`Signed in as ${identity_name}${until}.\n`);
    return;
  }
  const page = SignInRequired.safeParse(body);
  if (page.success) {
    process.stdout.write(`Open ${page.data.login_url} in a browser and connect the account there.\n`);
    return;
  }
  process.stderr.write(`${describeFailure(shown)}\n`);
  process.exitCode = 1;
}
