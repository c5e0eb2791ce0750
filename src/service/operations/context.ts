import type { Logger } from 'pino';
import type { EncryptionKeys } from '../../store/encryption-keys.ts';
import type { ServiceDatabase } from '../database/schema.ts';
import type { WebsiteCheck } from '../fetching/website.ts';
import type { Worker } from '../jobs/worker.ts';
import type { Publication } from '../listing/publication.ts';
import type { LoginRunner } from '../login/runner.ts';
import type { SignInBrowser } from '../login/sign-in-window.ts';
import type { PreviewBuild } from './preview-build.ts';

/** What the operations work with. */
export interface Context {
  readonly database: ServiceDatabase;
  readonly publication: Publication;
  readonly jobs: Worker;
  /** Undefined: this service signs in nowhere. */
  readonly logins: Pick<LoginRunner, 'login'> | undefined;
  /** Undefined: no browser can be shown to a person on this machine. */
  readonly signInBrowser: SignInBrowser | undefined;
  readonly checkWebsite: WebsiteCheck;
  readonly previewBuild: PreviewBuild;
  readonly keys: EncryptionKeys;
  readonly logger: Logger;
  /** `/v1/svc`, unless it is set otherwise. */
  readonly apiPrefix: string;
  /** Aborted when the service stops. */
  readonly stopped: AbortSignal;
}
