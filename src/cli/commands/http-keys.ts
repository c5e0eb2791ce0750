/** `svc-mcp http keys`: the service keys that subjects of the authorization server act with. */
import { text as readAll } from 'node:stream/consumers';
import { SubjectKeyError } from '../../gateway/foundation/errors.ts';
import { isSubjectName, type Subject } from '../../gateway/interface/principal.ts';
import type { SubjectKeys } from '../../gateway/store/subject-keys.ts';
import { SettingsError } from '../config/errors.ts';
import type { Flags } from '../config/flags.ts';
import { loadSettings, readSecretFile } from '../config/load.ts';
import { openSubjectKeys } from '../setup/subject-keys.ts';
import { openPrompt } from '../terminal/prompt.ts';
import { table } from '../terminal/table.ts';

export async function addSubjectKey(name: string, flags: Flags): Promise<void> {
  await withKeys(flags, async (keys, issuer) => {
    const subject = toSubject(issuer, name);
    await keys.add(subject, await readKey(subject, flags));
    process.stdout.write(
      `${name} of ${subject.issuer} acts with this key from now on. It was not checked: the first call shows whether the service takes it.\n`,
    );
  });
}

export async function listSubjectKeys(flags: Flags): Promise<void> {
  await withKeys(flags, async (keys) => {
    const records = (await keys.list()).map(({ issuer, subject, addedAt }) => ({
      subject,
      issuer,
      added_at: addedAt.toISOString(),
    }));
    const rows = records.map(({ subject, issuer, added_at }) => [subject, issuer, added_at]);
    process.stdout.write(
      flags.json === true
        ? `${JSON.stringify({ subjects: records })}\n`
        : `${table(['SUBJECT', 'ISSUER', 'ADDED'], rows)}\n`,
    );
  });
}

export async function revokeSubjectKey(name: string, flags: Flags): Promise<void> {
  await withKeys(flags, async (keys, issuer) => {
    const subject = toSubject(issuer, name);
    if (!(await keys.revoke(subject))) {
      throw new SubjectKeyError(
        `${name} of ${subject.issuer} has no key here; svc-mcp http keys list shows the subjects that have one`,
      );
    }
    process.stdout.write(`Revoked the key of ${name} of ${subject.issuer}.\n`);
  });
}

async function withKeys(
  flags: Flags,
  work: (keys: SubjectKeys, issuer: string | undefined) => Promise<void>,
): Promise<void> {
  const settings = loadSettings(process.env, flags, { ownKeys: true });
  const { keys, close } = openSubjectKeys(settings);
  try {
    await work(keys, settings.oauthIssuer);
  } finally {
    await close();
  }
}

function toSubject(issuer: string | undefined, subject: string): Subject {
  if (issuer === undefined) {
    throw new SettingsError(
      'The authorization server of the subject is not set: set SVC_OAUTH_ISSUER, or pass --oauth-issuer',
    );
  }
  if (!isSubjectName(subject)) {
    throw new SettingsError('A subject has 1 to 255 characters, none of them invisible');
  }
  return { issuer, subject };
}

/** From the file that is named, else typed without being shown, else from stdin. */
async function readKey({ subject }: Subject, { keyFile }: Flags): Promise<string> {
  const key = (await readText(subject, keyFile)).trim();
  // The characters a header may carry it in.
  if (/^[\x21-\x7e]{1,512}$/.test(key)) return key;
  throw new SettingsError('The key must consist of 1 to 512 visible ASCII characters. Nothing was stored');
}

async function readText(subject: string, keyFile: unknown): Promise<string> {
  if (typeof keyFile === 'string') return readSecretFile(keyFile, '--key-file');
  if (!process.stdin.isTTY) return readAll(process.stdin);
  const prompt = openPrompt();
  try {
    return await prompt.ask(`API key of the service for ${subject}: `, { secret: true });
  } finally {
    prompt.close();
  }
}
