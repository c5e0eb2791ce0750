import type { Logger } from 'pino';
import type { EncryptionKeys } from '../../store/encryption-keys.ts';
import type { LoginRunner } from '../accounts/login-runner.ts';
import type { SignInBrowser } from '../accounts/sign-in-window.ts';
import type { Publication } from '../catalog/publication.ts';
import type { WebsiteCheck } from '../fetch/website.ts';
import type { CatalogProblem, HealthCheck } from '../foundation/ports.ts';
import type { Worker } from '../jobs/worker.ts';
import type { ServiceDatabase } from '../store/schema.ts';
import type { PreviewBuild } from './preview-build.ts';
import type { PreviewRepair } from './preview-repair.ts';

/** The dependencies of the operations. */
export interface Context {
  readonly database: ServiceDatabase;
  readonly publication: Publication;
  /** What is wrong with the catalog files of this process at present. */
  readonly catalogProblems: () => readonly CatalogProblem[];
  /** Of the machine: its browser, and its way to websites. */
  readonly healthChecks: () => Promise<readonly HealthCheck[]>;
  readonly jobs: Worker;
  /** Undefined: this service signs in nowhere. */
  readonly logins: Pick<LoginRunner, 'login'> | undefined;
  /** Undefined: no browser can be shown to a person on this machine. */
  readonly signInBrowser: SignInBrowser | undefined;
  readonly checkWebsite: WebsiteCheck;
  readonly previewBuild: PreviewBuild;
  readonly previewRepair: PreviewRepair;
  readonly keys: EncryptionKeys;
  readonly logger: Logger;
  /** Default: `/v1/svc`. */
  readonly apiPrefix: string;
  /** Aborted when the service stops. */
  readonly stopped: AbortSignal;
}
