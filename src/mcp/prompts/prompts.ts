/** The prompts for the three tasks that people begin with. What the person typed stands in quotes. */
import {
  type GetPromptResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { buildCredits } from '../../contract/limits.ts';
import { cleanText } from '../../gateway/foundation/text.ts';

interface Argument {
  readonly name: string;
  readonly description: string;
  readonly required?: boolean;
}

type Values = Readonly<Record<string, string>>;

interface PromptDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly Argument[];
  text(values: Values): string;
}

const maxLength = 4_000;

const call = (tool: string, args: Readonly<Record<string, unknown>>) => `${tool} ${JSON.stringify(args)}`;
const lines = (...parts: readonly (string | undefined)[]) =>
  parts.filter((part) => part !== undefined).join('\n');

const catalog: Argument = { name: 'catalog', description: 'Slug of the website' };

const prompts: readonly PromptDefinition[] = [
  {
    name: 'find_and_run',
    title: 'Find an action and run it',
    description: 'Finds the action for a task, runs it and answers from its data',
    arguments: [
      { name: 'task', description: 'What you want to know or get done', required: true },
      catalog,
      { name: 'category', description: "One of browse_catalogs' categories, such as commerce" },
      { name: 'action_id', description: 'The action, where you know it' },
      { name: 'identity', description: 'Account to act for' },
    ],
    text: ({ task, catalog: slug, category, action_id, identity }) =>
      lines(
        `Get this done with an action of the catalog: ${JSON.stringify(task)}`,
        '',
        action_id === undefined
          ? `1. Find it: ${call('search_actions', { q: '…', catalog: slug, category })}. Try other words before giving up.`
          : `1. Look it up: ${call('search_actions', { q: action_id, catalog: slug, category })}.`,
        `2. Tell me which action you take and what it costs, before you run it, if it costs more than I would expect.`,
        `3. Run it by its tool or with run_action${identity === undefined ? '' : `, for the account ${JSON.stringify(identity)}`}. Status "processing" means: go on with get_job, never run it again.`,
        '4. Answer from data, and say what it cost.',
      ),
  },
  {
    name: 'connect_account',
    title: 'Connect an account',
    description: 'Signs you in to a website on a page of its own, so that actions can act for your account',
    arguments: [
      { ...catalog, required: true },
      { name: 'identity_name', description: 'Label of the account, such as work' },
    ],
    text: ({ catalog: slug, identity_name }) =>
      lines(
        `Connect my account of the catalog ${JSON.stringify(slug)}.`,
        '',
        `1. ${call('login', { catalog: slug, identity_name })}, without params: I sign in on a page. Never ask me for a password here; if the answer has a login_url, give it to me.`,
        `2. When I have signed in: ${call('list_identities', { catalog: slug })}, and tell me which account is connected.`,
      ),
  },
  {
    name: 'build_action',
    title: 'Have an action built',
    description: `Requests a new action for a website where none fits; ${buildCredits} credits, refunded if it fails`,
    arguments: [
      { name: 'website_url', description: 'Such as https://example.com', required: true },
      { name: 'goal', description: 'What the action should do or extract', required: true },
      { ...catalog, description: 'Slug of an existing catalog to extend' },
    ],
    text: ({ website_url, goal, catalog: slug }) =>
      lines(
        `I need an action for ${JSON.stringify(website_url)} with this goal: ${JSON.stringify(goal)}`,
        '',
        `1. Look first whether one exists: ${call('search_actions', { q: '…', catalog: slug })}. If one fits, say so and stop.`,
        `2. Otherwise tell me that a build costs ${buildCredits} credits, and wait for my yes.`,
        `3. ${call('request_build', { website_url, goal, catalog: slug })}, then follow it with list_build_requests until it ends.`,
        '4. Show me the new action with its params and price, or why the build failed.',
      ),
  },
];

export const listedPrompts = (): Prompt[] =>
  prompts.map(({ text: _, arguments: args, ...prompt }) => ({ ...prompt, arguments: [...args] }));

/** @throws ProtocolError for an unknown prompt, a missing argument or one that is too long. */
export function getPrompt(name: string, args: Readonly<Record<string, string>>): GetPromptResult {
  const prompt = prompts.find((candidate) => candidate.name === name);
  if (prompt === undefined) {
    const names = prompts.map((candidate) => candidate.name).join(', ');
    throw invalid(`There is no prompt ${cleanText(name, 100)}. Prompts: ${names}.`);
  }
  const values: Record<string, string> = {};
  for (const argument of prompt.arguments) {
    const value = Object.hasOwn(args, argument.name) ? (args[argument.name]?.trim() ?? '') : '';
    if (value === '' && argument.required) throw invalid(`${name} needs the argument ${argument.name}.`);
    if (value.length > maxLength) {
      throw invalid(`The argument ${argument.name} is longer than ${maxLength} characters.`);
    }
    if (value !== '') values[argument.name] = value;
  }
  return {
    description: prompt.description,
    messages: [{ role: 'user', content: { type: 'text', text: prompt.text(values) } }],
  };
}

const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message);
